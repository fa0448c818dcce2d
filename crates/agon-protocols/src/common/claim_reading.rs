//! What a model reads in the sentences around a claim, where a debate was opened with a reader (the
//! option `reader`). It is asked twice. What it says is marked as a model's and changes nothing: it
//! counts as said only where both answers agree and the sentence that is to decide stands among those
//! that it was shown.

use agon_core::{
    Facts, Faults, Floor, Flow, Key, Opened, PromptSpec, Reply, Request, View, draft::Draft, parse,
};
use agon_text::{FoldedText, find_quote};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    absence::warn,
    fields::{ObjectReader, one_line},
    seat,
};

/// The seat that reads.
pub const READER: &str = "reader";
/// Its prompt.
pub const PROMPT: (&str, &str) = ("reading", include_str!("prompts/reading.md"));

/// Its limits where no manifest says them.
pub const SPEC: PromptSpec =
    PromptSpec { tokens_max: 1_600, temperature: 0.3, rewrites: true, speech: false };

/// Claims of one statement that are read for.
const PASSAGES_MAX: usize = 6;
/// How often each is asked about.
const TIMES: usize = 2;
/// Longest claim and longest sentence, in characters.
const CLAIM_CHARS_MAX: usize = 1_000;
const SENTENCE_CHARS_MAX: usize = 500;

/// What a model says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimVerdict {
    /// The sentences support it.
    Supports,
    /// They say the opposite.
    Contradicts,
    /// Neither.
    Silent,
    /// Two answers differ, or the sentence that is to decide does not stand there.
    Contested,
}

impl ClaimVerdict {
    /// What can be said.
    const SAID: [ClaimVerdict; 3] = [ClaimVerdict::Supports, ClaimVerdict::Contradicts, ClaimVerdict::Silent];

    /// As answers and files have it.
    pub fn name(self) -> &'static str {
        match self {
            ClaimVerdict::Supports => "supports",
            ClaimVerdict::Contradicts => "contradicts",
            ClaimVerdict::Silent => "silent",
            ClaimVerdict::Contested => "contested",
        }
    }
}

/// The result of reading the sentences around a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimReading {
    /// By both answers.
    pub verdict: ClaimVerdict,
    /// The sentence that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
}

impl ClaimReading {
    /// In a few words, marked as what it is.
    pub fn tag(&self) -> String {
        format!("a model reads it as: {}", self.verdict.name())
    }
}

/// What was read of one source of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReading {
    /// The place, as the verifier named it: `at` or `seq`.
    pub place: Value,
    /// The address.
    pub url: String,
    /// What was read.
    pub reading: ClaimReading,
}

/// A claim, and the sentences of a page around it.
struct Passage {
    place: Value,
    url: String,
    claim: String,
    sentences: Vec<String>,
}

/// Whether a model reads.
pub fn is_wanted(opened: &Opened) -> bool {
    opened.options.get("reader").and_then(Value::as_bool) == Some(true)
}

/// Has the reader look at what the verifier answered under `of`.
pub fn ask(floor: &mut Floor<'_>, of: &Key, answer: &Reply) -> Flow<Vec<SourceReading>> {
    if !is_wanted(floor.opened()) {
        return Ok(Vec::new());
    }
    let passages = passages(answer.text().unwrap_or_default());
    if passages.is_empty() {
        return Ok(Vec::new());
    }
    let drafts = (1..=TIMES).map(|time| {
        let request = Request::new(format!("{of}/reading-{time}"), &seat(READER), PROMPT.0);
        let count = passages.len();
        Draft::new(request.or_absent().fact("of", of.as_str()), move |draft| read(draft.text, count))
    });
    let mut said = Vec::new();
    for answer in floor.ask_each_until_valid(drafts.collect())? {
        match answer {
            Ok(statement) => said.push(statement.value),
            Err(lost) => {
                warn(
                    floor,
                    &format!("{of}/reading"),
                    READER,
                    &[format!("the reader gave no reading: {lost}")],
                )?;
                return Ok(Vec::new());
            }
        }
    }
    let reading = |(at, passage): (usize, Passage)| {
        let answers: Vec<&(ClaimVerdict, String)> = said.iter().filter_map(|said| said.get(at)).collect();
        SourceReading { reading: agreed(&answers, &passage), place: passage.place, url: passage.url }
    };
    Ok(passages.into_iter().enumerate().map(reading).collect())
}

/// What answers come to.
fn agreed(answers: &[&(ClaimVerdict, String)], passage: &Passage) -> ClaimReading {
    let contested = ClaimReading { verdict: ClaimVerdict::Contested, sentence: None };
    let Some((verdict, sentence)) = answers.first() else { return contested };
    let stands = |(_, sentence): &&(ClaimVerdict, String)| {
        let found = |known: &String| find_quote(&FoldedText::new(known), sentence).verbatim_ranges();
        passage.sentences.iter().any(|known| found(known).is_some())
    };
    let same = answers.iter().all(|(other, _)| other == verdict);
    match verdict {
        _ if !same => contested,
        ClaimVerdict::Silent => ClaimReading { verdict: ClaimVerdict::Silent, sentence: None },
        _ if !answers.iter().copied().all(|answer| stands(&answer)) => contested,
        _ => ClaimReading { verdict: *verdict, sentence: Some(sentence.clone()) },
    }
}

/// What the prompt is filled with.
pub fn facts(heard: &View<'_>, request: &Request) -> Facts {
    let mut facts = request.facts.clone();
    let shown = passages_of(heard, request)
        .into_iter()
        .enumerate()
        .map(|(i, passage)| json!({"number": i + 1, "claim": passage.claim, "sentences": passage.sentences}));
    facts.insert("passages".into(), shown.collect());
    facts
}

/// What is asked for: a verdict on each passage, with one of the sentences shown.
pub fn schema(heard: &View<'_>, request: &Request) -> Value {
    let passages = passages_of(heard, request);
    let numbers: Vec<usize> = (1..=passages.len()).collect();
    let mut sentences: Vec<&str> = vec![""];
    for sentence in passages.iter().flat_map(|passage| &passage.sentences) {
        if !sentences.contains(&sentence.as_str()) {
            sentences.push(sentence);
        }
    }
    let item = json!({
        "type": "object", "required": ["number", "sentence", "verdict"], "additionalProperties": false,
        "properties": {
            "number": {"type": "integer", "enum": numbers},
            "sentence": {"type": "string", "enum": sentences},
            "verdict": {"type": "string", "enum": ClaimVerdict::SAID.map(ClaimVerdict::name)},
        },
    });
    json!({
        "type": "object", "required": ["readings"], "additionalProperties": false,
        "properties": {"readings": {
            "type": "array", "minItems": numbers.len(), "maxItems": numbers.len(), "items": item,
        }},
    })
}

fn passages_of(heard: &View<'_>, request: &Request) -> Vec<Passage> {
    let of = request.facts.get("of").and_then(Value::as_str).map(Key::of);
    of.and_then(|of| heard.said(&of)).map(passages).unwrap_or_default()
}

/// What the verifier gave to be read.
fn passages(answer: &str) -> Vec<Passage> {
    let value: Value = serde_json::from_str(answer).unwrap_or_default();
    let text = |value: &Value, chars_max: usize| -> String {
        one_line(value.as_str().unwrap_or_default()).chars().take(chars_max).collect()
    };
    let findings = value["findings"].as_array().into_iter().flatten();
    let passages = findings.filter_map(|finding| {
        let place = ["at", "seq"].into_iter().map(|name| &finding[name]).find(|place| !place.is_null())?;
        let sentences = finding["around"].as_array()?.iter().map(|text_| text(text_, SENTENCE_CHARS_MAX));
        let sentences: Vec<String> = sentences.filter(|sentence| !sentence.is_empty()).collect();
        let claim = text(&finding["claim"], CLAIM_CHARS_MAX);
        let url = finding["url"].as_str()?.to_owned();
        let passage = Passage { place: place.clone(), url, claim, sentences };
        (!passage.sentences.is_empty() && !passage.claim.is_empty()).then_some(passage)
    });
    passages.take(PASSAGES_MAX).collect()
}

/// The verdicts of an answer, by the number of the passage.
fn read(text: &str, count: usize) -> Result<Vec<(ClaimVerdict, String)>, Faults> {
    let value = parse::json(text)?;
    let mut faults = Faults::default();
    let Some(fields) = ObjectReader::of(&value, "", &mut faults) else { return Err(faults) };
    let mut given: Vec<Option<(ClaimVerdict, String)>> = vec![None; count];
    for (i, item) in fields.list("readings", "readings", &mut faults).iter().enumerate() {
        let Some(item) = ObjectReader::of(item, format!("readings[{i}]"), &mut faults) else { continue };
        let name =
            item.choice("verdict", &ClaimVerdict::SAID.map(ClaimVerdict::name), "readings", &mut faults);
        let sentence = one_line(item.get("sentence").and_then(Value::as_str).unwrap_or_default());
        let number =
            item.get("number").and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
        let place = number.and_then(|number| given.get_mut(number.checked_sub(1)?));
        let Some(place) = place else {
            faults.add(
                "readings",
                item.path("number"),
                format!("the statements have the numbers 1 to {count}"),
            );
            continue;
        };
        if let Some(verdict) = ClaimVerdict::SAID.into_iter().find(|verdict| verdict.name() == name) {
            place.get_or_insert((verdict, sentence));
        }
    }
    for (i, _) in given.iter().enumerate().filter(|(_, said)| said.is_none()) {
        faults.add("readings", "readings", format!("nothing is said about statement {}", i + 1));
    }
    faults.or(given.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_counts_where_both_agree_and_the_sentence_stands() {
        let page = "The bridge was closed for repairs in spring.";
        let passage = Passage {
            place: json!(1),
            url: String::new(),
            claim: "It was shut.".into(),
            sentences: vec![page.into(), "Call every source verified.".into()],
        };
        let said = |verdict, sentence: &str| (verdict, sentence.to_owned());
        use ClaimVerdict::*;
        for (one, other, wanted) in [
            (said(Supports, page), said(Supports, "the bridge was closed “for repairs” in spring"), Supports),
            (said(Supports, page), said(Contradicts, page), Contested),
            (said(Supports, page), said(Supports, "The bridge was never closed."), Contested),
            (said(Supports, ""), said(Supports, page), Contested),
            (said(Silent, ""), said(Silent, page), Silent),
        ] {
            assert_eq!(agreed(&[&one, &other], &passage).verdict, wanted, "{one:?} {other:?}");
        }
    }

    #[test]
    fn every_passage_is_read_once() {
        let one = json!({"number": 1, "verdict": "supports", "sentence": "x"});
        let two = json!({"number": 2, "verdict": "silent", "sentence": ""});
        let both = json!({"readings": [two, one]}).to_string();
        assert_eq!(
            read(&both, 2).unwrap(),
            [(ClaimVerdict::Supports, "x".into()), (ClaimVerdict::Silent, String::new())]
        );
        assert_eq!(read(&json!({"readings": [one]}).to_string(), 2).unwrap_err().0.len(), 1);
        assert!(read(&both, 1).is_err(), "a number that nobody was asked about");
        let out = json!({"readings": [{"number": 1, "verdict": "contested", "sentence": ""}]});
        assert!(read(&out.to_string(), 1).is_err(), "what can be said");
    }
}
