//! `arguments/{id}.md`: one argument, its engagements in the frontmatter, its words in the body.

use agon_protocols::exchange::{
    argument::{Argument, Engagement, Ground, Side},
    state::PlacedArgument,
};
use agon_text::markdown;
use serde_json::{Value, json};

use super::frontmatter::{self, Document, FrontmatterError};

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

/// Why a text is not an argument file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// It has no sound frontmatter.
    #[error(transparent)]
    Frontmatter(#[from] FrontmatterError),
    /// A key of the frontmatter is missing or has the wrong type.
    #[error("frontmatter: {0} is missing or not what it should be")]
    Key(&'static str),
    /// A part of the body is not where it should be.
    #[error("body: {wanted:?} is wanted at {found:?}")]
    Body {
        /// What should come next.
        wanted: String,
        /// The first characters of what comes instead.
        found: String,
    },
    /// Frontmatter and body say different things.
    #[error("frontmatter and body differ in {0}")]
    Differ(&'static str),
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

    fn build_frontmatter(&self) -> Value {
        let Argument { title, claim, attacks, defends, .. } = &self.argument;
        json!({
            "id": self.id, "side": self.side.prefix(), "exchange": self.exchange,
            "title": title, "claim": claim, "attacks": frontmatter_engagements(attacks), "defends": frontmatter_engagements(defends),
        })
    }

    /// Reads a file as the source system writes it.
    pub fn parse(text: &str) -> Result<Self, ArgumentError> {
        let Document { front, body } = Document::parse(text)?;
        let text = |key: &'static str| front.get(key).and_then(Value::as_str).ok_or(ArgumentError::Key(key));
        let side = text("side")?;
        let side = Side::BOTH.into_iter().find(|s| s.prefix() == side).ok_or(ArgumentError::Key("side"))?;
        let exchange = front.get("exchange").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let exchange = exchange.ok_or(ArgumentError::Key("exchange"))?;
        let mut argument = BodyReader(&body).parse_argument()?;
        argument.title = text("title")?.to_owned();
        let file = Self { id: text("id")?.to_owned(), side, exchange, argument };
        let wanted = file.build_frontmatter();
        let differs = ["claim", "attacks", "defends"].into_iter().find(|key| front.get(*key) != wanted.get(*key));
        differs.map_or(Ok(file), |key| Err(ArgumentError::Differ(key)))
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
fn frontmatter_engagements(engagements: &[Engagement]) -> Value {
    let named = engagements.iter().filter(|engagement| !engagement.target_id.is_empty());
    named.map(|e| json!({"target_id": e.target_id, "type": text_or(&e.kind, NO_KIND)})).collect()
}

/// What is left of a body that is being read.
struct BodyReader<'b>(&'b str);

impl<'b> BodyReader<'b> {
    fn parse_argument(&mut self) -> Result<Argument, ArgumentError> {
        self.consume_text("## Claim\n\n")?;
        let claim = self.take_until(&["\n\n## Grounds\n\n"]).to_owned();
        self.consume_text("\n\n## Grounds")?;
        let mut grounds = Vec::new();
        for next in 2.. {
            if self.consume_text(&format!("\n\n### {}. ", next - 1)).is_err() {
                break;
            }
            let source = self.take_until(&["\n\n> "]).to_owned();
            self.consume_text("\n\n> ")?;
            let content = self.take_until(&["\n\n**Relevance:** "]).to_owned();
            self.consume_text("\n\n**Relevance:** ")?;
            let relevance = self.take_until(&[&format!("\n\n### {next}. "), "\n\n## Warrant\n\n"]).to_owned();
            grounds.push(Ground { source, content, relevance });
        }
        self.consume_text("\n\n## Warrant\n\n")?;
        const PARTS: [&str; 4] =
            ["\n\n## Backing\n\n", "\n\n## Qualifier\n\n", "\n\n## Attacks\n\n", "\n\n## Defends\n\n"];
        let warrant = self.take_until(&PARTS).to_owned();
        let backing = self.consume_text(PARTS[0]).is_ok().then(|| self.take_until(&PARTS[1..]).to_owned());
        let qualifier = self.consume_text(PARTS[1]).is_ok().then(|| self.take_until(&PARTS[2..]).to_owned());
        let attacks = self.parse_engagements("\n\n## Attacks", "Attacking", &PARTS[3..])?;
        let defends = self.parse_engagements("\n\n## Defends", "Defending", &[])?;
        if !self.0.is_empty() {
            self.consume_text("the end")?;
        }
        Ok(Argument { title: String::new(), claim, grounds, warrant, backing, qualifier, attacks, defends })
    }

    fn parse_engagements(
        &mut self,
        heading: &str,
        verb: &str,
        ends: &[&str],
    ) -> Result<Vec<Engagement>, ArgumentError> {
        let mut engagements = Vec::new();
        if self.consume_text(heading).is_err() {
            return Ok(engagements);
        }
        let start = format!("\n\n### {verb} ");
        let mut stops = vec![start.as_str()];
        stops.extend(ends);
        let named = |text: &str, absent: &str| if text == absent { String::new() } else { text.to_owned() };
        self.consume_text(&start)?;
        loop {
            let target_id = named(self.take_until(&["\n\n**Type:** "]), NO_TARGET);
            self.consume_text("\n\n**Type:** ")?;
            let kind = named(self.take_until(&["\n\n"]), NO_KIND);
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

    fn consume_text(&mut self, wanted: &str) -> Result<(), ArgumentError> {
        self.0 = self.0.strip_prefix(wanted).ok_or_else(|| ArgumentError::Body {
            wanted: wanted.trim().to_owned(),
            found: self.0.trim_start().chars().take(40).collect(),
        })?;
        Ok(())
    }

    /// Everything up to the first of `stops`, or to the end.
    fn take_until(&mut self, stops: &[&str]) -> &'b str {
        let end = stops.iter().filter_map(|stop| self.0.find(stop)).min().unwrap_or(self.0.len());
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        text
    }
}
