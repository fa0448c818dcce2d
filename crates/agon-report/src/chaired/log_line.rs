//! One line of the chaired debate's log, written and read as its source system writes it.

use agon_protocols::chaired::log::{Phase, Type};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use crate::python_json;

/// Phases of a debate, as the log names them.
pub const PHASES: [&str; 4] = Phase::NAMES;

/// Types of entries.
pub fn list_types() -> [&'static str; 15] {
    Type::NAMES
}

/// Speakers that are not debaters.
pub const ROLES: [&str; 5] = ["chair", "reporter", "verifier", "audience", "assessor"];

/// One entry of the log, as the source system's script writes it; its sources as `S`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LogLine<S = String> {
    /// Number of the line, from 0.
    pub seq: u64,
    /// UTC with seconds, `2026-01-31T09:30:00Z`.
    pub timestamp: String,
    /// One of [`PHASES`].
    pub phase: String,
    /// A role or a debater.
    pub speaker: String,
    /// One of [`list_types`].
    #[serde(rename = "type")]
    pub kind: String,
    /// What is said.
    pub content: String,
    /// What it rests on, `None` for null: a list of JSON on one line ([`parse_sources`]), or what one holds.
    pub sources: Option<S>,
    /// The entry that is rebutted.
    pub rebuttal_to_seq: Option<u64>,
    /// The entry that is challenged or verified.
    pub target_seq: Option<u64>,
}

impl<S> LogLine<S> {
    /// What its speaker says in it, as the statement of a debater has it.
    pub fn build_item(&self, sources: impl Serialize) -> impl Serialize {
        json!({
            "type": self.kind, "content": self.content, "sources": sources,
            "rebuttal_to_seq": self.rebuttal_to_seq, "target_seq": self.target_seq,
        })
    }

    /// The line, without its line break, its sources written by `list`. References that are not given are left out, and
    /// stand behind a space where they are given.
    pub(super) fn render_with(&self, list: impl Fn(&S) -> String) -> String {
        let text = python_json::render_json_line::<str>;
        let mut line = format!(
            r#"{{"seq":{},"timestamp":{},"phase":{},"speaker":{},"type":{},"content":{},"sources":{}"#,
            self.seq,
            text(&self.timestamp),
            text(&self.phase),
            text(&self.speaker),
            text(&self.kind),
            text(&self.content),
            self.sources.as_ref().map_or_else(|| "null".to_owned(), list),
        );
        for (key, seq) in [("rebuttal_to_seq", self.rebuttal_to_seq), ("target_seq", self.target_seq)] {
            if let Some(seq) = seq {
                line.push_str(&format!(", \"{key}\": {seq}"));
            }
        }
        line + "}"
    }
}

impl LogLine {
    /// The line, without its line break.
    pub fn render(&self) -> String {
        self.render_with(String::clone)
    }

    /// Reads a line, or says why it is none. References may be left out or null.
    pub fn parse(line: &str) -> Result<Self, String> {
        let object = &mut serde_json::from_str(line).map_err(|error| format!("it is no JSON object: {error}"))?;
        let sources: Option<Vec<Value>> = take_key(object, "sources")?;
        Ok(Self {
            seq: take_key(object, "seq")?,
            timestamp: take_key(object, "timestamp")?,
            phase: take_key(object, "phase")?,
            speaker: take_key(object, "speaker")?,
            kind: take_key(object, "type")?,
            content: take_key(object, "content")?,
            sources: sources.map(|list| json!(list).to_string()),
            rebuttal_to_seq: take_key(object, "rebuttal_to_seq")?,
            target_seq: take_key(object, "target_seq")?,
        })
    }
}

fn take_key<T: DeserializeOwned>(object: &mut Map<String, Value>, key: &str) -> Result<T, String> {
    let value = serde_json::from_value(object.remove(key).unwrap_or_default());
    value.map_err(|_| format!("{key} is missing or not what it should be"))
}

/// The sources that someone gives as JSON: `None` for none, else their text as it was given, on
/// one line. What is not a list of `{url, title, accessed}` is said.
pub fn parse_sources(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if matches!(text, "" | "null") {
        return Ok(None);
    }
    let wanted = "a JSON list of sources is wanted";
    let value = agon_core::parse::parse_strict_json(text).map_err(|error| format!("{wanted}: {error}"))?;
    let list = value.as_array().ok_or(wanted)?;
    for (i, source) in list.iter().enumerate() {
        let field = |key: &str| {
            let text = source[key].as_str().filter(|text| !text.trim().is_empty());
            text.ok_or_else(|| format!("source {i}: {key} is missing or empty"))
        };
        let url = field("url")?;
        field("title")?;
        let accessed = field("accessed")?;
        let addressed = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        if addressed.is_none_or(|rest| rest.is_empty() || rest.contains(char::is_whitespace)) {
            return Err(format!("source {i}: url must be an http or https address, not {url:?}"));
        }
        if !agon_text::is_date(accessed) {
            return Err(format!("source {i}: accessed must be a date as 2026-01-31, not {accessed:?}"));
        }
    }
    if list.is_empty() {
        return Ok(None);
    }
    let one_line = !text.contains(char::is_control);
    Ok(Some(if one_line { text.to_owned() } else { value.to_string() }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line() -> LogLine {
        LogLine {
            seq: 7,
            timestamp: "2026-01-31T09:30:00Z".into(),
            phase: "rebuttal".into(),
            speaker: "Ada".into(),
            kind: "rebuttal".into(),
            content: "Größe \"x\"\n2".into(),
            sources: None,
            rebuttal_to_seq: None,
            target_seq: None,
        }
    }

    #[test]
    fn references_are_left_out_or_stand_behind_a_space() {
        let head = r#"{"seq":7,"timestamp":"2026-01-31T09:30:00Z","phase":"rebuttal","speaker":"Ada","type":"rebuttal","content":"Gr\u00f6\u00dfe \"x\"\n2","sources":null"#;
        assert_eq!(line().render(), format!("{head}}}"));
        let both = LogLine { rebuttal_to_seq: Some(3), target_seq: Some(4), ..line() };
        assert_eq!(both.render(), format!("{head}, \"rebuttal_to_seq\": 3, \"target_seq\": 4}}"));
        assert_eq!(LogLine::parse(&both.render()), Ok(both));
        let null = format!("{head},\"rebuttal_to_seq\":null,\"target_seq\":null}}");
        assert_eq!(LogLine::parse(&null), Ok(line()));
    }

    proptest::proptest! {
        #[test]
        fn a_line_that_is_written_reads_back(
            content: String, speaker: String, title: String, seq: u64, to: Option<u64>, target: Option<u64>,
        ) {
            let source = json!([{"url": "https://a.org/x", "title": format!("T{title}"), "accessed": "2026-01-31"}]);
            let sources = parse_sources(&source.to_string()).unwrap();
            let line = LogLine { seq, content, speaker, sources, rebuttal_to_seq: to, target_seq: target, ..line() };
            let text = line.render();
            proptest::prop_assert_eq!(text.lines().count(), 1);
            proptest::prop_assert_eq!(LogLine::parse(&text).unwrap(), line);
        }
    }

    #[test]
    fn sources_are_kept_as_they_were_given() {
        let given = r#"[{"url": "https://a.org/x", "title": "Über", "accessed": "2026-01-31"}]"#;
        assert_eq!(parse_sources(given), Ok(Some(given.into())));
        let broken = given.replace(", ", ",\n ");
        assert_eq!(parse_sources(&broken), Ok(Some(given.replace(": ", ":").replace(", ", ","))));
        for none in ["", "null", " null\n", "[]"] {
            assert_eq!(parse_sources(none), Ok(None), "{none:?}");
        }
    }

    #[test]
    fn what_is_no_list_of_sources_is_said() {
        let table = [
            ("[", "JSON"),
            ("{}", "list"),
            ("see [1]", "list"),
            ("[1]", "source 0: url"),
            ("[] is all that I found", "JSON"),
            (r#"[{"url":"https://a.org","title":"T"}]"#, "accessed"),
            (r#"[{"url":"ftp://a.org","title":"T","accessed":"2026-01-31"}]"#, "http"),
            (r#"[{"url":"https://a.org","title":"","accessed":"2026-01-31"}]"#, "title"),
            (r#"[{"url":"https://a.org","title":"T","accessed":"today"}]"#, "date"),
            (r#"[{"url":"https://a.org","url":"https://b.org","title":"T","accessed":"2026-01-31"}]"#, "twice"),
            (r#"[{"url":"https://a.org","title":NaN,"accessed":"2026-01-31"}]"#, "JSON"),
        ];
        for (text, says) in table {
            let error = parse_sources(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
