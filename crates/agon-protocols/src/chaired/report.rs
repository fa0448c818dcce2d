//! The statements of reporter and assessor: the prose of the summary, the blog post and the assessment.
//! Headings, figures, quotations and lists of sources are the files' own.

use std::ops::Range;

use agon_core::{Faults, parse};
use agon_text::{HiddenPassages, count_words};
use serde_json::{Value, json};

use super::{log::DebateLog, naming, object};
use crate::common::fields::{ObjectReader, one_line};

/// Words of the blog post, its headline and headings included.
pub const BLOG_WORDS: std::ops::RangeInclusive<usize> = 800..=1_500;
/// Headings of the post, which count as its words.
const BLOG_HEADINGS: &str = "The Case For The Case Against Key Takeaways Sources";
/// What is said of an argument and never by whom it is made.
const DISMISSALS: [&str; 11] = [
    "not compelling",
    "not convincing",
    "unconvincing",
    "not supported",
    "unsupported",
    "not strong",
    "weak",
    "flawed",
    "does not directly",
    "fails to",
    "lacks",
];
/// How good a debate was.
pub const QUALITIES: [&str; 4] = ["Excellent", "Good", "Adequate", "Poor"];

/// A point of a debater and the entries that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportPoint {
    /// In a sentence or two.
    pub point: String,
    /// Where it was made.
    pub seqs: Vec<u64>,
}

/// Prose of `summary.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryProse {
    /// What was debated and how it went.
    pub overview: String,
    /// The key arguments of each debater, by name.
    pub arguments: Vec<(String, Vec<ReportPoint>)>,
    /// Moments in which debaters answered each other.
    pub exchanges: Vec<ReportPoint>,
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
pub fn summary_schema(names: &[&str], log: &DebateLog) -> Value {
    let point = |by: Option<&str>| {
        let own = log.arguments().filter(|logged| by.is_none_or(|by| logged.item.speaker == by));
        let seqs: Vec<String> = own.map(|logged| logged.item.seq.to_string()).collect();
        let seqs = list(1, 4, json!({"type": "string", "enum": seqs}));
        object(json!({"point": text(30, 600), "seqs": seqs}))
    };
    // Each with entries of its own; of someone of whom nothing stands with any.
    let debaters = names.iter().map(|name| {
        let spoke = log.arguments().any(|logged| logged.item.speaker == *name);
        let points = list(3, 5, point(Some(*name).filter(|_| spoke)));
        object(json!({"debater": {"type": "string", "enum": [name]}, "points": points}))
    });
    let debaters = json!({"anyOf": debaters.collect::<Vec<_>>()});
    object(json!({
        "overview": text(120, 1_500), "arguments": list(names.len(), names.len(), debaters),
        "exchanges": list(1, 4, point(None)), "flow": text(120, 1_500),
    }))
}

/// The summary in `said`, or every rule it breaks: three to five points a debater, references to
/// arguments that stand, nothing that was redacted.
pub fn summary(said: &str, names: &[&str], log: &DebateLog) -> Result<SummaryProse, Faults> {
    let value = parse::json(said)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let points = |fields: &ObjectReader<'_>, name: &str, faults: &mut Faults| {
        let mut points = Vec::new();
        for (i, item) in fields.list(name, "summary", faults).iter().enumerate() {
            let Some(item) = ObjectReader::of(item, format!("{}[{i}]", fields.path(name)), faults) else {
                continue;
            };
            let point = item.text("point", "summary", faults);
            points.push(ReportPoint { point, seqs: super::chair::seqs(&item, log, faults) });
        }
        points
    };
    let mut arguments = Vec::new();
    for (i, item) in fields.list("arguments", "summary", &mut faults).iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("arguments[{i}]"), &mut faults) else { continue };
        let name = item.choice("debater", names, "summary", &mut faults);
        let points = points(&item, "points", &mut faults);
        if !(3..=5).contains(&points.len()) {
            faults.add(
                "summary",
                item.path("points"),
                format!("3 to 5 points are wanted, found {}", points.len()),
            );
        }
        for (j, point) in points.iter().enumerate() {
            if let Some(why) = not_own(point, &name, names, log) {
                faults.add("summary", format!("{}[{j}]", item.path("points")), why);
            }
        }
        arguments.push((name, points));
    }
    for name in names.iter().filter(|name| !arguments.iter().any(|(of, _)| of == *name)) {
        faults.add("summary", "arguments", format!("the key arguments of {name} are missing"));
    }
    let summary = SummaryProse {
        overview: fields.text("overview", "summary", &mut faults),
        arguments,
        exchanges: points(&fields, "exchanges", &mut faults),
        flow: fields.text("flow", "summary", &mut faults),
    };
    let all = summary.arguments.iter().flat_map(|(_, points)| points).chain(&summary.exchanges);
    let texts = all.map(|point| point.point.as_str()).chain([summary.overview.as_str(), &summary.flow]);
    leaks(&texts.collect::<Vec<_>>().join("\n"), log.struck(), &mut faults);
    faults.or(summary)
}

/// Why `point` is not a key argument of the debater `name`: it rests on no entry of its own, or it speaks about
/// someone's argument instead of giving it.
fn not_own(point: &ReportPoint, name: &str, names: &[&str], log: &DebateLog) -> Option<String> {
    let by = |seq: &u64| log.at(*seq).map(|logged| logged.item.speaker.as_str());
    // Of someone of whom nothing stands no entry can be named.
    let spoke = log.arguments().any(|logged| logged.item.speaker == name);
    let other = point.seqs.iter().find_map(|seq| by(seq).filter(|by| *by != name).map(|by| (seq, by)));
    if let Some((seq, by)) = other.filter(|_| spoke) {
        return Some(format!(
            "seq {seq} is an entry of {by}; a key argument of {name} stands in entries of {name}"
        ));
    }
    let lower = point.point.to_lowercase();
    let first = |of: &&&str| {
        let rest = lower.strip_prefix(&of.to_lowercase());
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
    };
    if let Some(other) = names.iter().filter(|other| **other != name).find(first) {
        return Some(format!("it tells of {other}; give an argument that {name} made"));
    }
    let own = ["'", "\u{2019}"].map(|mark| format!("{}{mark}", name.to_lowercase()));
    let is_owned = own.iter().any(|own| lower.contains(own));
    let is_judged = DISMISSALS.iter().any(|word| lower.contains(word));
    (is_owned && is_judged).then(|| format!("it judges an argument of {name}; say what {name} argued"))
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
    /// What the post is about; a word of it is not a leak.
    pub topic: &'b str,
    /// Names of debaters.
    pub names: &'b [&'b str],
    /// What entries say that were redacted, or that rest on unreliable sources.
    pub texts: HiddenPassages,
}

/// The blog post by its form, or every fault; `told` says that its author was told its length
/// before: a second miss stands.
pub fn blog(said: &str, barred: &Barred<'_>, told: bool) -> Result<Blog, Faults> {
    let mut faults = Faults::default();
    let Some(blog) = blog_form(said, &mut faults)? else { return Err(faults) };
    let all = blog.texts().join("\n");
    for word in naming::told(&all, barred.topic, barred.names) {
        let message =
            format!("the post is about the topic and does not mention {word:?}; write it otherwise");
        faults.add("leak", "", message);
    }
    leaks(&all, &barred.texts, &mut faults);
    if let Some(missed) = length(&blog).filter(|_| !told) {
        faults.add("length", "", missed);
    }
    faults.or(blog)
}

/// The blog post as it was accepted.
pub fn accepted_blog(said: &str) -> Option<Blog> {
    let mut faults = Faults::default();
    let blog = blog_form(said, &mut faults).ok()??;
    faults.or(blog).ok()
}

/// How the length of a post misses what is wanted; `None` where it does not.
pub fn length(blog: &Blog) -> Option<String> {
    let count = count_words(&blog.texts().join("\n")) + count_words(BLOG_HEADINGS);
    (!BLOG_WORDS.contains(&count)).then(|| format!("it has {count} words; 800 to 1500 are wanted"))
}

fn blog_form(said: &str, faults: &mut Faults) -> Result<Option<Blog>, Faults> {
    let value = parse::json(said)?;
    let Some(fields) = ObjectReader::of(&value, "", faults) else { return Ok(None) };
    let prose = |name: &str, faults: &mut Faults| {
        fields.text(name, "blog", faults);
        super::statement::paragraphs(fields.get(name).and_then(Value::as_str).unwrap_or_default())
    };
    Ok(Some(Blog {
        headline: fields.text("headline", "blog", faults),
        opening: prose("opening", faults),
        case_for: prose("case_for", faults),
        case_against: prose("case_against", faults),
        takeaways: lines(&fields, "takeaways", "blog", faults),
    }))
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
pub fn assessment(said: &str, roles: &[String], log: &DebateLog) -> Result<Assessment, Faults> {
    let value = parse::json(said)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let mut given = Vec::new();
    for (i, item) in fields.list("roles", "assessment", &mut faults).iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("roles[{i}]"), &mut faults) else { continue };
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
    leaks(&said.join("\n"), log.struck(), &mut faults);
    faults.or(assessment)
}

/// A list of three to five texts.
fn lines(fields: &ObjectReader<'_>, name: &str, rule: &str, faults: &mut Faults) -> Vec<String> {
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

/// Passages that one fault quotes, and the most characters of each.
const LEAKS_MAX: usize = 3;
const LEAK_CHARS_MAX: usize = 200;

/// Adds a fault where `text` repeats what is `barred`, with the words that it repeats.
pub(super) fn leaks(text: &str, barred: &HiddenPassages, faults: &mut Faults) {
    let repeated = barred.find_in(text);
    if repeated.is_empty() {
        return;
    }
    let source = "of a redacted entry, or of one whose source is unreliable";
    let quote = |range: Range<usize>| {
        let words = one_line(&text[range]);
        let cut: String = words.chars().take(LEAK_CHARS_MAX).collect();
        if cut.len() < words.len() { format!("\"{cut}\u{2026}\"") } else { format!("\"{cut}\"") }
    };
    let more = repeated.len().saturating_sub(LEAKS_MAX);
    let quoted: Vec<String> = repeated.into_iter().take(LEAKS_MAX).map(quote).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "it repeats words {source}: {}{more}; leave them out, or say it in other words and without their figures",
        quoted.join(", ")
    );
    faults.add("leak", "", message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::quoted::RUN;

    fn post(opening: &str) -> String {
        let filler = |count: usize| vec!["word"; count].join(" ");
        json!({
            "headline": "Ink or memory", "opening": opening, "case_for": filler(400), "case_against": filler(400),
            "takeaways": ["Write it down.", "Keep it short.", "Read it again."],
        })
        .to_string()
    }

    fn barred<'b>(names: &'b [&'b str]) -> Barred<'b> {
        let struck = "Forty teams lost nine decisions in the first cold winter of their work.";
        Barred { topic: "Should teams write?", names, texts: HiddenPassages::of([struck], RUN) }
    }

    #[test]
    fn the_blog_mentions_neither_debate_nor_debaters() {
        assert!(blog(&post("It begins."), &barred(&["ada"]), false).is_ok());
        for opening in ["In this debate it began.", "The debaters met.", "As Ada put it, no."] {
            let faults = blog(&post(opening), &barred(&["ada"]), false).unwrap_err();
            assert_eq!(faults.0[0].rule, "leak", "{opening}");
        }
        assert!(blog(&post("The public debate about ink."), &barred(&["ada"]), false).is_ok());
        let topic = Barred { topic: "Are debate clubs good?", ..barred(&["ada"]) };
        assert!(blog(&post("A debate club."), &topic, false).is_ok(), "a word of the topic is no leak");
    }

    #[test]
    fn the_blog_holds_nothing_redacted_or_unreliable() {
        let quoted = "They say forty teams lost nine decisions in the first cold winter.";
        let own = blog(&post(quoted), &barred(&[]), true).unwrap_err().0.remove(0);
        assert_eq!(own.rule, "leak");
        assert!(
            own.message.contains("\"forty teams lost nine decisions in the first cold winter\""),
            "{own}"
        );
    }

    #[test]
    fn the_blog_has_800_to_1500_words_and_a_second_miss_stands() {
        let short = post("It begins.").replace("word ", "");
        assert_eq!(blog(&short, &barred(&[]), false).unwrap_err().0[0].rule, "length");
        let stands = blog(&short, &barred(&[]), true).unwrap();
        assert!(
            length(&stands).is_some_and(|missed| missed.contains("800 to 1500")),
            "it stands with a warning"
        );
    }

    #[test]
    fn every_role_is_assessed_once() {
        let roles = vec!["chair".to_owned(), "ada".into()];
        let role = |name: &str| json!({"role": name, "strengths": "a b", "improvements": "c d", "suggestions": "e f"});
        let mut value = json!({
            "quality": "Good", "reason": "It was fair.", "roles": [role("ada"), role("chair")],
            "execution": ["a", "b", "c"], "output": ["a", "b", "c"],
        });
        let found = assessment(&value.to_string(), &roles, &DebateLog::default()).unwrap();
        assert_eq!(found.roles[0].0, "chair", "in the order of the file");
        value["roles"] = json!([role("ada")]);
        value["quality"] = json!("Superb");
        value["output"] = json!(["a"]);
        assert_eq!(assessment(&value.to_string(), &roles, &DebateLog::default()).unwrap_err().0.len(), 3);
    }
}
