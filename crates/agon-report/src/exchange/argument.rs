//! `arguments/{id}.md`: one argument, its engagements in the frontmatter, its words in the body.

use agon_protocols::exchange::{
    argument::{Argument, Engagement, Ground, Side},
    state::PlacedArgument,
};
use agon_text::markdown;
use serde::Serialize;
use serde_json::json;

use super::frontmatter::{self, Document};

/// Written where an engagement names no target.
const NO_TARGET: &str = "unknown";
/// Written where an engagement names no type.
const NO_KIND: &str = "unspecified";

/// An argument file: an argument with its id, side and exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentFile {
    /// For example `prop_000a`.
    pub id: String,
    /// Whose.
    pub side: Side,
    /// From which exchange.
    pub exchange: u32,
    /// What it says. An engagement without target or type has an empty text there.
    pub argument: Argument,
}

impl ArgumentFile {
    /// The file exactly as the source system writes it.
    pub fn render(&self) -> String {
        self.render_with(&str::to_owned, &str::to_owned)
    }

    /// The same with every text of the body guarded, so that none can pass for the body's
    /// structure. Ordinary text is left as it is.
    pub fn render_escaped(&self) -> String {
        self.render_with(&markdown::escape_start, &markdown::escape_line)
    }

    fn render_with(&self, block: &dyn Fn(&str) -> String, line: &dyn Fn(&str) -> String) -> String {
        let Argument { claim, grounds, warrant, backing, qualifier, attacks, defends, .. } = &self.argument;
        let mut blocks = vec!["## Claim".into(), block(claim), "## Grounds".into()];
        for (i, ground) in grounds.iter().enumerate() {
            blocks.push(format!("### {}. {}", i + 1, line(&ground.source)));
            blocks.push(format!("> {}", block(&ground.content)));
            blocks.push(format!("**Relevance:** {}", line(&ground.relevance)));
        }
        blocks.extend(["## Warrant".into(), block(warrant)]);
        for (heading, text) in [("## Backing", backing), ("## Qualifier", qualifier)] {
            if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
                blocks.extend([heading.into(), block(text)]);
            }
        }
        for (heading, verb, engagements) in [("## Attacks", "Attacking", attacks), ("## Defends", "Defending", defends)]
        {
            if !engagements.is_empty() {
                blocks.push(heading.into());
            }
            for Engagement { target_id, kind, content } in engagements {
                blocks.push(format!("### {verb} {}", line(text_or(target_id, NO_TARGET))));
                blocks.push(format!("**Type:** {}", line(text_or(kind, NO_KIND))));
                blocks.push(block(content));
            }
        }
        frontmatter::render_document(&self.build_frontmatter(), &blocks.join("\n\n"))
    }

    fn build_frontmatter(&self) -> impl Serialize {
        let Argument { title, claim, attacks, defends, .. } = &self.argument;
        json!({
            "id": self.id, "side": self.side.prefix(), "exchange": self.exchange,
            "title": title, "claim": claim, "attacks": frontmatter_engagements(attacks), "defends": frontmatter_engagements(defends),
        })
    }

    /// Reads a file as the source system writes it.
    ///
    /// # Errors
    ///
    /// Why the text is not an argument file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let read = Document::parse(text)?;
        let unsound = |key: &str| format!("frontmatter: {key} is missing or not what it should be");
        let text = |key: &str| read.find_text(key).ok_or_else(|| unsound(key));
        let side = text("side")?;
        let side = Side::BOTH.into_iter().find(|s| s.prefix() == side).ok_or_else(|| unsound("side"))?;
        let exchange = read.find_number("exchange").and_then(|number| u32::try_from(number).ok());
        let exchange = exchange.ok_or_else(|| unsound("exchange"))?;
        let mut argument = BodyReader(&read.body).parse_argument()?;
        argument.title = text("title")?.to_owned();
        let file = Self { id: text("id")?.to_owned(), side, exchange, argument };
        let wanted = json!(file.build_frontmatter());
        let differs = ["claim", "attacks", "defends"].into_iter().find(|key| read.front.get(*key) != wanted.get(*key));
        differs.map_or(Ok(file), |key| Err(format!("frontmatter and body differ in {key}")))
    }
}

impl From<&PlacedArgument> for ArgumentFile {
    fn from(held: &PlacedArgument) -> Self {
        let argument = held.argument().clone();
        Self { id: held.id.clone(), side: held.side, exchange: held.exchange, argument }
    }
}

fn text_or<'t>(text: &'t str, otherwise: &'t str) -> &'t str {
    if text.is_empty() { otherwise } else { text }
}

/// Engagements as the frontmatter has them; those without a target stand in the body only.
fn frontmatter_engagements(engagements: &[Engagement]) -> Vec<impl Serialize> {
    let named = engagements.iter().filter(|engagement| !engagement.target_id.is_empty());
    named.map(|e| json!({"target_id": e.target_id, "type": text_or(&e.kind, NO_KIND)})).collect()
}

/// What is left of a body that is being read.
struct BodyReader<'b>(&'b str);

impl<'b> BodyReader<'b> {
    fn parse_argument(&mut self) -> Result<Argument, String> {
        let claim = self.require_part("## Claim\n\n", &["\n\n## Grounds\n\n"])?;
        self.consume_text("\n\n## Grounds")?;
        let mut grounds = Vec::new();
        while let Some(source) = self.take_part(&format!("\n\n### {}. ", grounds.len() + 1), &["\n\n> "]) {
            let content = self.require_part("\n\n> ", &["\n\n**Relevance:** "])?;
            let next = format!("\n\n### {}. ", grounds.len() + 2);
            let relevance = self.require_part("\n\n**Relevance:** ", &[next.as_str(), "\n\n## Warrant\n\n"])?;
            grounds.push(Ground { source, content, relevance });
        }
        const PARTS: [&str; 4] =
            ["\n\n## Backing\n\n", "\n\n## Qualifier\n\n", "\n\n## Attacks\n\n", "\n\n## Defends\n\n"];
        let warrant = self.require_part("\n\n## Warrant\n\n", &PARTS)?;
        let backing = self.take_part(PARTS[0], &PARTS[1..]);
        let qualifier = self.take_part(PARTS[1], &PARTS[2..]);
        let attacks = self.parse_engagements("\n\n## Attacks", "Attacking", &PARTS[3..])?;
        let defends = self.parse_engagements("\n\n## Defends", "Defending", &[])?;
        if !self.0.is_empty() {
            self.consume_text("the end")?;
        }
        Ok(Argument { title: String::new(), claim, grounds, warrant, backing, qualifier, attacks, defends })
    }

    fn parse_engagements(&mut self, heading: &str, verb: &str, ends: &[&str]) -> Result<Vec<Engagement>, String> {
        let mut engagements = Vec::new();
        if self.consume_text(heading).is_err() {
            return Ok(engagements);
        }
        let start = format!("\n\n### {verb} ");
        let stops = [&[start.as_str()][..], ends].concat();
        let named = |text: String, absent: &str| if text == absent { String::new() } else { text };
        self.consume_text(&start)?;
        loop {
            let target_id = named(self.take_until(&["\n\n**Type:** "]).to_owned(), NO_TARGET);
            let kind = named(self.require_part("\n\n**Type:** ", &["\n\n"])?, NO_KIND);
            // An empty content at the end may have lost its blank line.
            if !self.0.is_empty() {
                self.consume_text("\n\n")?;
            }
            let content = self.take_until(&stops).to_owned();
            engagements.push(Engagement { target_id, kind, content });
            if self.consume_text(&start).is_err() {
                return Ok(engagements);
            }
        }
    }

    fn consume_text(&mut self, wanted: &str) -> Result<(), String> {
        self.require_part(wanted, &[""]).map(drop)
    }

    /// What follows `start`, which comes next, up to the first of `stops`.
    fn require_part(&mut self, start: &str, stops: &[&str]) -> Result<String, String> {
        self.take_part(start, stops).ok_or_else(|| {
            let found: String = self.0.trim_start().chars().take(40).collect();
            format!("body: {:?} is wanted at {found:?}", start.trim())
        })
    }

    /// The same; `None` where something else comes next.
    fn take_part(&mut self, start: &str, stops: &[&str]) -> Option<String> {
        self.0 = self.0.strip_prefix(start)?;
        Some(self.take_until(stops).to_owned())
    }

    /// Everything up to the first of `stops`, or to the end.
    fn take_until(&mut self, stops: &[&str]) -> &'b str {
        let end = stops.iter().filter_map(|stop| self.0.find(stop)).min().unwrap_or(self.0.len());
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        text
    }
}
