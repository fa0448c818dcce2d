//! What reporter and assessor write: the prose of the summary, the blog post, the assessment.
//! Headings, figures, quotations and lists of sources are the files' own.

use agon_core::{Faults, parse};
use serde_json::{Value, json};

use super::{log::Log, object};
use crate::common::fields::{Fields, words};

/// Words of the blog post, its headline and headings included.
pub const BLOG_WORDS: std::ops::RangeInclusive<usize> = 800..=1_500;
/// Words in a row that nobody writes twice by chance.
const LEAK_WORDS: usize = 8;
/// How good a debate was.
pub const QUALITIES: [&str; 4] = ["Excellent", "Good", "Adequate", "Poor"];

/// A point of a debater and the entries that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// In a sentence or two.
    pub point: String,
    /// Where it was made.
    pub seqs: Vec<u64>,
}

/// Prose of `summary.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What was debated and how it went.
    pub overview: String,
    /// The key arguments of each debater, by name.
    pub arguments: Vec<(String, Vec<Point>)>,
    /// Moments in which debaters answered each other.
    pub exchanges: Vec<Point>,
    /// How the debate moved.
    pub flow: String,
}

/// Prose of `blog-post.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blog {
    /// One line.
    pub headline: String,
    /// Before the first heading.
    pub opening: String,
    /// The best of one side.
    pub case_for: String,
    /// The best of the other.
    pub case_against: String,
    /// What a reader takes away.
    pub takeaways: Vec<String>,
}

/// Prose of `assessor-report.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// One of [`QUALITIES`].
    pub quality: String,
    /// Why.
    pub reason: String,
    /// Strengths, areas for improvement and suggestions, by role.
    pub roles: Vec<(String, [String; 3])>,
    /// What would make the next debate better.
    pub execution: Vec<String>,
    /// What would make its files better.
    pub output: Vec<String>,
}

fn text(chars_min: usize, chars_max: usize) -> Value {
    json!({"type": "string", "minLength": chars_min, "maxLength": chars_max})
}

fn list(least: usize, most: usize, items: Value) -> Value {
    json!({"type": "array", "minItems": least, "maxItems": most, "items": items})
}

/// JSON Schema of the summary.
pub fn summary_schema(names: &[&str], log: &Log) -> Value {
    let seqs: Vec<String> = log.arguments().map(|logged| logged.item.seq.to_string()).collect();
    let seqs = list(1, 4, json!({"type": "string", "enum": seqs}));
    let point = object(json!({"point": text(30, 600), "seqs": seqs}));
    let debater =
        object(json!({"debater": {"type": "string", "enum": names}, "points": list(3, 5, point.clone())}));
    object(json!({
        "overview": text(120, 1_500), "arguments": list(names.len(), names.len(), debater),
        "exchanges": list(1, 4, point), "flow": text(120, 1_500),
    }))
}

/// The summary in `said`, or every rule it breaks: three to five points a debater, references to
/// arguments that stand, nothing that was redacted.
pub fn summary(said: &str, names: &[&str], log: &Log) -> Result<Summary, Faults> {
    let value = parse::json(said)?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::of(&value, "", &mut faults) else { return Err(faults) };
    let points = |fields: &Fields<'_>, name: &str, faults: &mut Faults| {
        let mut points = Vec::new();
        for (i, item) in fields.list(name, "summary", faults).iter().enumerate() {
            let Some(item) = Fields::of(item, format!("{}[{i}]", fields.path(name)), faults) else {
                continue;
            };
            let point = item.text("point", "summary", faults);
            points.push(Point { point, seqs: super::chair::seqs(&item, log, faults) });
        }
        points
    };
    let mut arguments = Vec::new();
    for (i, item) in fields.list("arguments", "summary", &mut faults).iter().enumerate() {
        let Some(item) = Fields::of(item, format!("arguments[{i}]"), &mut faults) else { continue };
        let name = item.choice("debater", names, "summary", &mut faults);
        let points = points(&item, "points", &mut faults);
        if !(3..=5).contains(&points.len()) {
            faults.add(
                "summary",
                item.path("points"),
                format!("3 to 5 points are wanted, found {}", points.len()),
            );
        }
        arguments.push((name, points));
    }
    for name in names.iter().filter(|name| !arguments.iter().any(|(of, _)| of == *name)) {
        faults.add("summary", "arguments", format!("the key arguments of {name} are missing"));
    }
    let summary = Summary {
        overview: fields.text("overview", "summary", &mut faults),
        arguments,
        exchanges: points(&fields, "exchanges", &mut faults),
        flow: fields.text("flow", "summary", &mut faults),
    };
    let all = summary.arguments.iter().flat_map(|(_, points)| points).chain(&summary.exchanges);
    let texts = all.map(|point| point.point.as_str()).chain([summary.overview.as_str(), &summary.flow]);
    leaks(&texts.collect::<Vec<_>>().join("\n"), &struck(log), &mut faults);
    faults.or(summary)
}

/// JSON Schema of the blog post.
pub fn blog_schema() -> Value {
    object(json!({
        "headline": text(10, 140), "opening": text(200, 2_500), "case_for": text(600, 4_000),
        "case_against": text(600, 4_000), "takeaways": list(3, 5, text(40, 600)),
    }))
}

/// What a blog post may not show.
#[derive(Debug, Clone, Default)]
pub struct Barred<'b> {
    /// What the post is about; a word of it is no leak.
    pub topic: &'b str,
    /// Names of debaters.
    pub names: &'b [&'b str],
    /// Texts of entries that were redacted, or that rest on unreliable sources.
    pub texts: Vec<&'b str>,
}

/// The blog post by its form, or every fault; `told` says that its author was told its length
/// before: a second miss stands.
pub fn blog(said: &str, barred: &Barred<'_>, told: bool) -> Result<Blog, Faults> {
    let value = parse::json(said)?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::of(&value, "", &mut faults) else { return Err(faults) };
    let prose = |name: &str, faults: &mut Faults| {
        fields.text(name, "blog", faults);
        super::turn::paragraphs(fields.get(name).and_then(Value::as_str).unwrap_or_default())
    };
    let blog = Blog {
        headline: fields.text("headline", "blog", &mut faults),
        opening: prose("opening", &mut faults),
        case_for: prose("case_for", &mut faults),
        case_against: prose("case_against", &mut faults),
        takeaways: lines(&fields, "takeaways", "blog", &mut faults),
    };
    let all = blog.texts().join("\n");
    let mut forbidden: Vec<String> = barred.names.iter().map(|name| name.to_lowercase()).collect();
    forbidden.extend(["debate", "debates", "debated", "debater", "debaters", "debating"].map(String::from));
    let topic = tokens(barred.topic);
    let written = tokens(&all);
    for word in forbidden.iter().filter(|word| !topic.contains(word)) {
        if written.contains(word) {
            let message =
                format!("the post is about the topic and does not mention {word:?}; write it otherwise");
            faults.add("leak", "", message);
        }
    }
    leaks(&all, &barred.texts, &mut faults);
    let count = words(&all);
    if !BLOG_WORDS.contains(&count) && !told {
        faults.add("length", "", format!("it has {count} words; 800 to 1500 are wanted"));
    }
    faults.or(blog)
}

impl Blog {
    /// Everything it says.
    pub fn texts(&self) -> Vec<&str> {
        let parts = [&self.headline, &self.opening, &self.case_for, &self.case_against];
        parts.into_iter().chain(&self.takeaways).map(String::as_str).collect()
    }
}

/// JSON Schema of the assessment of `roles`.
pub fn assessment_schema(roles: &[String]) -> Value {
    let role = object(json!({
        "role": {"type": "string", "enum": roles}, "strengths": text(20, 800),
        "improvements": text(20, 800), "suggestions": text(20, 800),
    }));
    object(json!({
        "reason": text(40, 1_000), "quality": {"type": "string", "enum": QUALITIES},
        "roles": list(roles.len(), roles.len(), role),
        "execution": list(3, 5, text(20, 500)), "output": list(3, 5, text(20, 500)),
    }))
}

/// Roles that are assessed, in their order; `debaters` as the assessor knows them.
pub fn roles(debaters: Vec<String>) -> Vec<String> {
    let others = ["reporter", "verifier", "audience"].map(String::from);
    ["chair".to_owned()].into_iter().chain(debaters).chain(others).collect()
}

/// The assessment in `said`, or every rule it breaks.
pub fn assessment(said: &str, roles: &[String], log: &Log) -> Result<Assessment, Faults> {
    let value = parse::json(said)?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::of(&value, "", &mut faults) else { return Err(faults) };
    let mut given = Vec::new();
    for (i, item) in fields.list("roles", "assessment", &mut faults).iter().enumerate() {
        let Some(item) = Fields::of(item, format!("roles[{i}]"), &mut faults) else { continue };
        let mut read = |name: &str| item.text(name, "assessment", &mut faults);
        given.push((read("role"), [read("strengths"), read("improvements"), read("suggestions")]));
    }
    let mut ordered = Vec::new();
    for role in roles {
        match given.iter().find(|(of, _)| of == role) {
            Some(found) => ordered.push(found.clone()),
            None => faults.add("assessment", "roles", format!("{role} is not assessed")),
        }
    }
    let assessment = Assessment {
        quality: fields.choice("quality", &QUALITIES, "assessment", &mut faults),
        reason: fields.text("reason", "assessment", &mut faults),
        roles: ordered,
        execution: lines(&fields, "execution", "assessment", &mut faults),
        output: lines(&fields, "output", "assessment", &mut faults),
    };
    let said = assessment.roles.iter().flat_map(|(_, texts)| texts).chain(&assessment.execution);
    let said: Vec<&str> =
        said.chain(&assessment.output).chain([&assessment.reason]).map(String::as_str).collect();
    leaks(&said.join("\n"), &struck(log), &mut faults);
    faults.or(assessment)
}

/// A list of three to five texts.
fn lines(fields: &Fields<'_>, name: &str, rule: &str, faults: &mut Faults) -> Vec<String> {
    let items = fields.list(name, rule, faults);
    if !(3..=5).contains(&items.len()) {
        faults.add(rule, fields.path(name), format!("3 to 5 are wanted, found {}", items.len()));
    }
    let text =
        |item: &Value| item.as_str().map(crate::common::fields::one_line).filter(|text| !text.is_empty());
    let texts: Vec<String> = items.iter().filter_map(text).collect();
    if texts.len() < items.len() {
        faults.add(rule, fields.path(name), "each must be a text");
    }
    texts
}

/// Texts of redacted entries.
pub fn struck(log: &Log) -> Vec<&str> {
    log.0.iter().filter(|logged| logged.struck.is_some()).map(|logged| logged.original().0).collect()
}

/// Adds a fault where `text` holds eight words in a row of one of `barred`.
fn leaks(text: &str, barred: &[&str], faults: &mut Faults) {
    if leaked(text, barred) {
        faults.add("leak", "", "it repeats words that may not be shown: of a redacted entry, or of one whose source is unreliable");
    }
}

/// Whether `text` holds eight words in a row of one of `barred`.
pub fn leaked(text: &str, barred: &[&str]) -> bool {
    let written = tokens(text);
    barred.iter().any(|barred| {
        let hidden = tokens(barred);
        let span = LEAK_WORDS.min(hidden.len());
        span > 3 && hidden.windows(span).any(|run| written.windows(span).any(|other| other == run))
    })
}

/// `text` without what it quotes of `barred`, eight words in a row or more; `None` where it quotes
/// nothing.
pub fn masked(text: &str, barred: &[&str]) -> Option<String> {
    let hidden: Vec<Vec<String>> = barred.iter().map(|barred| tokens(barred)).collect();
    let spans = spans(text);
    let mut quoted = vec![false; spans.len()];
    for hidden in &hidden {
        let count = LEAK_WORDS.min(hidden.len());
        if count <= 3 {
            continue;
        }
        for at in 0..(spans.len() + 1).saturating_sub(count) {
            let run = spans[at..at + count].iter().map(|(from, to)| text[*from..*to].to_lowercase());
            let run: Vec<String> = run.collect();
            if hidden.windows(count).any(|other| other == run) {
                quoted[at..at + count].fill(true);
            }
        }
    }
    if !quoted.contains(&true) {
        return None;
    }
    let (mut out, mut last) = (String::new(), 0);
    for (i, (from, to)) in spans.iter().enumerate().filter(|(i, _)| quoted[*i]) {
        if i == 0 || !quoted[i - 1] {
            out.push_str(&text[last..*from]);
            out.push_str("[REDACTED]");
        }
        last = *to;
    }
    Some(out + &text[last..])
}

/// Where the words of `text` stand.
fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric() || *c == '-') {
        match spans.last_mut() {
            Some((_, to)) if *to == at => *to = at + c.len_utf8(),
            _ => spans.push((at, at + c.len_utf8())),
        }
    }
    spans
}

/// The words of `text` in lower case.
fn tokens(text: &str) -> Vec<String> {
    spans(text).into_iter().map(|(from, to)| text[from..to].to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(opening: &str) -> String {
        let filler = |count: usize| vec!["word"; count].join(" ");
        json!({
            "headline": "Ink or memory", "opening": opening, "case_for": filler(400), "case_against": filler(400),
            "takeaways": ["Write it down.", "Keep it short.", "Read it again."],
        })
        .to_string()
    }

    fn barred<'b>(names: &'b [&'b str]) -> Barred<'b> {
        Barred {
            topic: "Should teams write?",
            names,
            texts: vec!["Forty teams lost nine decisions in the first cold winter of their work."],
        }
    }

    #[test]
    fn the_blog_mentions_neither_debate_nor_debaters() {
        assert!(blog(&post("It begins."), &barred(&["ada"]), false).is_ok());
        for opening in ["In this debate it began.", "The debaters met.", "As Ada put it, no."] {
            let faults = blog(&post(opening), &barred(&["ada"]), false).unwrap_err();
            assert_eq!(faults.0[0].rule, "leak", "{opening}");
        }
        let topic = Barred { topic: "Are debate clubs good?", ..barred(&["ada"]) };
        assert!(blog(&post("A debate club."), &topic, false).is_ok(), "a word of the topic is no leak");
    }

    #[test]
    fn the_blog_holds_nothing_redacted_or_unreliable() {
        let quoted = "They say forty teams lost nine decisions in the first cold winter.";
        assert_eq!(blog(&post(quoted), &barred(&[]), true).unwrap_err().0[0].rule, "leak");
    }

    #[test]
    fn what_is_quoted_of_a_redacted_entry_is_masked() {
        let struck = ["Forty teams lost nine decisions in the first cold winter of their work."];
        let quoting = "They say: \"forty teams lost nine decisions in the first cold winter\". I doubt it.";
        assert_eq!(masked(quoting, &struck).as_deref(), Some("They say: \"[REDACTED]\". I doubt it."));
        assert_eq!(masked("Nine decisions in the first winter.", &struck), None);
        assert_eq!(masked("", &struck), None);
    }

    #[test]
    fn the_blog_has_800_to_1500_words_and_a_second_miss_stands() {
        let short = post("It begins.").replace("word ", "");
        assert_eq!(blog(&short, &barred(&[]), false).unwrap_err().0[0].rule, "length");
        assert!(blog(&short, &barred(&[]), true).is_ok());
    }

    #[test]
    fn every_role_is_assessed_once() {
        let roles = vec!["chair".to_owned(), "ada".into()];
        let role = |name: &str| json!({"role": name, "strengths": "a b", "improvements": "c d", "suggestions": "e f"});
        let mut value = json!({
            "quality": "Good", "reason": "It was fair.", "roles": [role("ada"), role("chair")],
            "execution": ["a", "b", "c"], "output": ["a", "b", "c"],
        });
        let found = assessment(&value.to_string(), &roles, &Log::default()).unwrap();
        assert_eq!(found.roles[0].0, "chair", "in the order of the file");
        value["roles"] = json!([role("ada")]);
        value["quality"] = json!("Superb");
        value["output"] = json!(["a"]);
        assert_eq!(assessment(&value.to_string(), &roles, &Log::default()).unwrap_err().0.len(), 3);
    }
}
