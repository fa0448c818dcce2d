//! The statements of reporter and assessor: the prose of the summary, the blog post and the assessment.
//! Headings, figures, quotations and lists of sources are the files' own.

use std::ops::Range;

use agon_core::Faults;
use agon_text::{HiddenPassages, count_words};

/// A point of a debater and the entries that made it.
pub use super::chair::CitedPoint as ReportPoint;
use super::{
    chair::parse_argument_seqs,
    debaters::{DebaterLabels, Debaters},
    log::DebateLog,
    objections::{self, Objection, PublishedText, is_in},
};
use crate::common::{
    fields::one_line,
    form::{Form, Kind, Reader, choice_kind, form_field, list_kind, text_kind},
};

/// Words of the blog post, its headline and headings included.
pub const BLOG_WORDS: std::ops::RangeInclusive<usize> = 800..=1_500;
/// Headings of the post, which count as its words.
const BLOG_HEADINGS: &str = "The Case For The Case Against Key Takeaways Sources";
/// How good a debate was.
pub const QUALITIES: [&str; 4] = ["Excellent", "Good", "Adequate", "Poor"];

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
    /// What it objects to in the texts about the debate.
    pub objections: Vec<Objection>,
}

/// The form of the summary.
pub fn summary_form(debaters: &Debaters, log: &DebateLog) -> Form {
    let points = |least, most, by: Option<&str>| {
        let seqs = list_kind(1, 4, Kind::Reference(log.list_standing_seqs(by)));
        let point = [form_field("point", text_kind(30, 600)), form_field("seqs", seqs).with_rule("seqs")];
        list_kind(least, most, Kind::Object(Form::new("summary", point)))
    };
    // Each with entries of its own; of someone of whom nothing stands with any.
    let each = debaters.0.iter().map(|debater| {
        let spoke = log.standing_arguments().any(|logged| logged.item.speaker == debater.name);
        let own = points(3, 5, Some(debater.name.as_str()).filter(|_| spoke));
        let name = form_field("debater", Kind::Reference(vec![debater.title.clone()]));
        Form::new("summary", [name, form_field("points", own)])
    });
    let count = debaters.0.len();
    let fields = [
        form_field("overview", text_kind(120, 1_500)),
        form_field("arguments", list_kind(count, count, Kind::AnyOf(each.collect()))),
        form_field("exchanges", points(1, 4, None)),
        form_field("flow", text_kind(120, 1_500)),
    ];
    Form::new("summary", fields)
}

/// The summary in `said`, or every rule it breaks: three to five points a debater, references to
/// arguments that stand, nothing that was redacted.
pub fn parse_summary(said: &str, debaters: &Debaters, log: &DebateLog) -> Result<SummaryProse, Faults> {
    summary_form(debaters, log).read_statement(said, |fields, faults| {
        let mut arguments = Vec::new();
        for part in fields.read_parts("arguments", faults) {
            let Some(item) = part.open(faults) else { continue };
            let named = item.read_text("debater", faults);
            let Some(debater) = debaters.find_by_any_name(&named) else {
                item.add_fault("debater", format!("{named:?} is not one of {}", debaters.titles().join(", ")), faults);
                continue;
            };
            let points = parse_points(&item, "points", log, faults);
            if !(3..=5).contains(&points.len()) {
                item.add_fault("points", format!("3 to 5 points are wanted, found {}", points.len()), faults);
            }
            for (j, point) in points.iter().enumerate() {
                if let Some(why) = find_foreign_entry(point, &debater.name, debaters, log) {
                    faults.add("summary", format!("{}[{j}]", item.field_path("points")), why);
                }
            }
            arguments.push((debater.name.clone(), points));
        }
        for debater in debaters.0.iter().filter(|debater| !arguments.iter().any(|(of, _)| *of == debater.name)) {
            fields.add_fault("arguments", format!("the key arguments of {} are missing", debater.title), faults);
        }
        let summary = SummaryProse {
            overview: fields.read_text("overview", faults),
            arguments,
            exchanges: parse_points(fields, "exchanges", log, faults),
            flow: fields.read_text("flow", faults),
        };
        let all = summary.arguments.iter().flat_map(|(_, points)| points).chain(&summary.exchanges);
        let texts = all.map(|point| point.point.as_str()).chain([summary.overview.as_str(), &summary.flow]);
        check_leaks(&texts.collect::<Vec<_>>().join("\n"), log.struck_passages(), faults);
        Some(summary)
    })
}

fn parse_points(fields: &Reader<'_, '_>, name: &str, log: &DebateLog, faults: &mut Faults) -> Vec<ReportPoint> {
    let mut points = Vec::new();
    for part in fields.read_parts(name, faults) {
        let Some(item) = part.open(faults) else { continue };
        let point = item.read_text("point", faults);
        let seqs = parse_argument_seqs(&item, "seqs", log, faults);
        if seqs.is_empty() {
            item.add_fault("seqs", "name the seq of at least one argument", faults);
        }
        points.push(ReportPoint { point, seqs });
    }
    points
}

/// Why `point` is not a key argument of the debater `name`: it rests on an entry of another debater.
fn find_foreign_entry(point: &ReportPoint, name: &str, debaters: &Debaters, log: &DebateLog) -> Option<String> {
    // Of someone of whom nothing stands no entry can be named.
    if !log.standing_arguments().any(|logged| logged.item.speaker == name) {
        return None;
    }
    let by = |seq: &u64| log.entry_at(*seq).map(|logged| logged.item.speaker.as_str());
    let (seq, by) = point.seqs.iter().find_map(|seq| by(seq).filter(|by| *by != name).map(|by| (seq, by)))?;
    let (by, name) = (debaters.title_of(by), debaters.title_of(name));
    Some(format!("seq {seq} is an entry of {by}; a key argument of {name} stands in entries of {name}"))
}

/// The form of the blog post.
pub fn blog_form() -> Form {
    let fields = [
        form_field("headline", text_kind(10, 140)),
        form_field("opening", text_kind(200, 2_500)),
        form_field("case_for", text_kind(600, 4_000)),
        form_field("case_against", text_kind(600, 4_000)),
        form_field("takeaways", list_kind(3, 5, text_kind(40, 600))),
    ];
    Form::new("blog", fields)
}

/// What a blog post may not show.
#[derive(Debug, Clone, Default)]
pub struct Barred<'b> {
    /// What the post is about; a name that stands in it is not a leak.
    pub topic: &'b str,
    /// Names of debaters.
    pub names: &'b [&'b str],
    /// What entries say that were redacted, or that rest on unreliable sources.
    pub texts: HiddenPassages,
}

/// The blog post by its form, or every fault; `told` says which rules its author was told before: a second miss of the
/// length stands, and so does a name that may be an ordinary word.
pub fn parse_blog(said: &str, barred: &Barred<'_>, told: impl Fn(&str) -> bool) -> Result<Blog, Faults> {
    let (blog, mut faults) = blog_form().read_draft(said, read_blog)?;
    let all = blog.list_texts().join("\n");
    for name in names_in(&all, barred).into_iter().filter(|_| !told("name")) {
        let message =
            format!("the post is about the topic and does not mention {name:?}, who debated it; write it otherwise");
        faults.add("name", "", message);
    }
    check_leaks(&all, &barred.texts, &mut faults);
    if let Some(missed) = check_length(&blog).filter(|_| !told("length")) {
        faults.add("length", "", missed);
    }
    faults.into_result(blog)
}

/// Names of debaters that stand in `text` word for word, and not in the topic.
fn names_in<'b>(text: &str, barred: &Barred<'b>) -> Vec<&'b str> {
    barred.names.iter().copied().filter(|name| is_in(text, name) && !is_in(barred.topic, name)).collect()
}

/// What is warned of in a post that stands: its length, and the names of debaters.
pub fn blog_warnings(blog: &Blog, barred: &Barred<'_>) -> Vec<String> {
    let names = names_in(&blog.list_texts().join("\n"), barred);
    let named = names.into_iter().map(|name| format!("name: the post mentions {name:?}"));
    named.chain(check_length(blog).map(|missed| format!("length: {missed}"))).collect()
}

/// The blog post as it was accepted.
pub fn accepted_blog(said: &str) -> Option<Blog> {
    blog_form().read_statement(said, |fields, faults| Some(read_blog(fields, faults))).ok()
}

/// How the length of a post misses what is wanted; `None` where it does not.
pub fn check_length(blog: &Blog) -> Option<String> {
    let count = count_words(&blog.list_texts().join("\n")) + count_words(BLOG_HEADINGS);
    (!BLOG_WORDS.contains(&count)).then(|| format!("it has {count} words; 800 to 1500 are wanted"))
}

fn read_blog(fields: &Reader<'_, '_>, faults: &mut Faults) -> Blog {
    Blog {
        headline: fields.read_text("headline", faults),
        opening: fields.read_paragraphs("opening", faults),
        case_for: fields.read_paragraphs("case_for", faults),
        case_against: fields.read_paragraphs("case_against", faults),
        takeaways: parse_lines(fields, "takeaways", faults),
    }
}

impl Blog {
    /// Everything it says.
    pub fn list_texts(&self) -> Vec<&str> {
        let parts = [&self.headline, &self.opening, &self.case_for, &self.case_against];
        parts.into_iter().chain(&self.takeaways).map(String::as_str).collect()
    }
}

/// The form of the assessment of `roles`, and of what is objected to in `texts`.
pub fn assessment_form(roles: &[String], log: &DebateLog, texts: &[PublishedText]) -> Form {
    let role = ["strengths", "improvements", "suggestions"].map(|name| form_field(name, text_kind(20, 800)));
    let role = [form_field("role", Kind::Reference(roles.to_vec()))].into_iter().chain(role);
    let role = Kind::Object(Form::new("assessment", role));
    let fields = [
        form_field("reason", text_kind(40, 1_000)),
        form_field("quality", choice_kind(QUALITIES)),
        form_field("roles", list_kind(roles.len(), roles.len(), role)),
        form_field("execution", list_kind(3, 5, text_kind(20, 500))),
        form_field("output", list_kind(3, 5, text_kind(20, 500))),
    ];
    Form::new("assessment", fields.into_iter().chain(objections::objections_field(log, texts)))
}

/// Roles that are assessed, in their order; the debaters as the assessor knows them.
pub fn assessed_roles(debaters: &Debaters, labels: &DebaterLabels) -> Vec<String> {
    let others = ["reporter", "verifier", "audience"].map(String::from);
    ["chair".to_owned()].into_iter().chain(labels.list_names(debaters)).chain(others).collect()
}

/// The assessment in `said`, or every rule it breaks. An objection to `texts` that cannot be is left out once its
/// author was `told`.
pub fn parse_assessment(
    said: &str,
    roles: &[String],
    log: &DebateLog,
    texts: &[PublishedText],
    told: bool,
) -> Result<Assessment, Faults> {
    assessment_form(roles, log, texts).read_statement(said, |fields, faults| {
        let mut given = Vec::new();
        for part in fields.read_parts("roles", faults) {
            let Some(item) = part.open(faults) else { continue };
            let mut read = |name: &str| item.read_text(name, faults);
            given.push((read("role"), [read("strengths"), read("improvements"), read("suggestions")]));
        }
        let mut ordered = Vec::new();
        for role in roles {
            match given.iter().find(|(of, _)| of == role) {
                Some(found) => ordered.push(found.clone()),
                None => fields.add_fault("roles", format!("{role} is not assessed"), faults),
            }
        }
        let assessment = Assessment {
            objections: objections::parse_objections(fields, texts, told, faults),
            quality: fields.read_text("quality", faults),
            reason: fields.read_text("reason", faults),
            roles: ordered,
            execution: parse_lines(fields, "execution", faults),
            output: parse_lines(fields, "output", faults),
        };
        let said = assessment.roles.iter().flat_map(|(_, texts)| texts).chain(&assessment.execution);
        let said: Vec<&str> = said.chain(&assessment.output).chain([&assessment.reason]).map(String::as_str).collect();
        check_leaks(&said.join("\n"), log.struck_passages(), faults);
        Some(assessment)
    })
}

/// A list of three to five texts.
fn parse_lines(fields: &Reader<'_, '_>, name: &str, faults: &mut Faults) -> Vec<String> {
    let items = fields.read_items(name, faults);
    if !(3..=5).contains(&items.len()) {
        fields.add_fault(name, format!("3 to 5 are wanted, found {}", items.len()), faults);
    }
    let texts = items.iter().filter_map(|item| item.as_str().map(one_line).filter(|text| !text.is_empty()));
    let texts: Vec<String> = texts.collect();
    if texts.len() < items.len() {
        fields.add_fault(name, "each must be a text", faults);
    }
    texts
}

/// Passages that one fault quotes, and the most characters of each.
const LEAKS_MAX: usize = 3;
const LEAK_CHARS_MAX: usize = 200;

/// Adds a fault where `text` repeats what is `barred`, with the words that it repeats.
pub(super) fn check_leaks(text: &str, barred: &HiddenPassages, faults: &mut Faults) {
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
    use serde_json::json;

    use super::*;
    use crate::common::redacted_text::RUN;

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
        Barred { topic: "Should teams write?", names, texts: HiddenPassages::from_texts([struck], RUN) }
    }

    #[test]
    fn a_name_of_a_debater_in_the_blog_is_told_once_in_every_script() {
        let names = ["ada", "王芳"];
        assert!(parse_blog(&post("In this debate it began; Adam knows."), &barred(&names), |_| false).is_ok());
        for opening in ["As Ada put it, no.", "Laut ADA nein.", "王芳说不行。"] {
            let faults = parse_blog(&post(opening), &barred(&names), |_| false).unwrap_err();
            assert_eq!(faults.0[0].rule, "name", "{opening}");
            let stands = parse_blog(&post(opening), &barred(&names), |rule| rule == "name").unwrap();
            assert_eq!(blog_warnings(&stands, &barred(&names)).len(), 1, "{opening}");
        }
        let topic = Barred { topic: "Is Ada a good language?", ..barred(&names) };
        assert!(parse_blog(&post("Ada is a language."), &topic, |_| false).is_ok(), "a word of the topic");
    }

    #[test]
    fn the_blog_holds_nothing_redacted_or_unreliable() {
        let quoted = "They say forty teams lost nine decisions in the first cold winter.";
        let own = parse_blog(&post(quoted), &barred(&[]), |_| true).unwrap_err().0.remove(0);
        assert_eq!(own.rule, "leak");
        assert!(own.message.contains("\"forty teams lost nine decisions in the first cold winter\""), "{own}");
    }

    #[test]
    fn the_blog_has_800_to_1500_words_and_a_second_miss_stands() {
        let short = post("It begins.").replace("word ", "");
        assert_eq!(parse_blog(&short, &barred(&[]), |_| false).unwrap_err().0[0].rule, "length");
        let stands = parse_blog(&short, &barred(&[]), |_| true).unwrap();
        assert!(check_length(&stands).is_some_and(|missed| missed.contains("800 to 1500")), "it stands with a warning");
    }

    #[test]
    fn every_role_is_assessed_once() {
        let roles = vec!["chair".to_owned(), "ada".into()];
        let role = |name: &str| json!({"role": name, "strengths": "a b", "improvements": "c d", "suggestions": "e f"});
        let mut value = json!({
            "quality": "Good", "reason": "It was fair.", "roles": [role("ada"), role("chair")],
            "execution": ["a", "b", "c"], "output": ["a", "b", "c"],
        });
        let found = parse_assessment(&value.to_string(), &roles, &DebateLog::default(), &[], false).unwrap();
        assert_eq!(found.roles[0].0, "chair", "in the order of the file");
        value["roles"] = json!([role("ada")]);
        value["quality"] = json!("Superb");
        value["output"] = json!(["a"]);
        assert_eq!(
            parse_assessment(&value.to_string(), &roles, &DebateLog::default(), &[], false).unwrap_err().0.len(),
            3
        );
    }
}
