//! The audience's statements: questions after a round, and its opinion at the end.

use agon_core::{Faults, parse};
use agon_text::{collect_different, count_words};

use super::debaters::Debaters;
use crate::common::{
    fields::one_line,
    form::{Form, Kind, form_field, list_kind, text_kind},
};

/// Questions after one round.
pub const QUESTIONS_MAX: usize = 2;
/// How long the audience may think about its questions, in seconds.
pub const QUESTION_SECONDS: u32 = 120;
/// Words of its opinion (log rule L16).
pub const OPINION_WORDS: std::ops::RangeInclusive<usize> = 200..=400;
/// Longest question, in characters.
const QUESTION_CHARS_MAX: u32 = 400;

/// A question and whom it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The log's name of a debater.
    pub to: String,
    /// What is asked.
    pub question: String,
}

/// The form of the questions for `names`.
pub fn questions_form(names: &[&str]) -> Form {
    let question = [
        form_field("to", Kind::Reference(names.iter().map(|name| (*name).to_owned()).collect())),
        form_field("question", text_kind(10, QUESTION_CHARS_MAX)),
    ];
    let question = Kind::Object(Form::new("questions", question));
    Form::new("questions", [form_field("questions", list_kind(0, QUESTIONS_MAX, question))])
}

/// The usable questions in `text`, and what is wrong with the others. The time is short, so nothing
/// is asked again.
pub fn parse_questions(text: &str, debaters: &Debaters) -> (Vec<Question>, Vec<String>) {
    let value = match parse::parse_json_answer(text) {
        Ok(value) => value,
        // The words that the source system agreed on with its audience.
        Err(_) if text.trim().trim_end_matches('.').eq_ignore_ascii_case("no questions") => {
            return Default::default();
        }
        Err(faults) => return (Vec::new(), vec![faults.to_string()]),
    };
    let Some(items) = value["questions"].as_array() else {
        return (Vec::new(), vec!["there is no list of questions".into()]);
    };
    let (mut questions, mut wrong) = (Vec::new(), Vec::new());
    for item in items {
        let to = item["to"].as_str().unwrap_or_default();
        let question = one_line(item["question"].as_str().unwrap_or_default());
        match debaters.find_by_any_name(to) {
            None => wrong.push(format!("{to:?} is not a debater")),
            Some(_) if question.is_empty() || question.chars().count() > QUESTION_CHARS_MAX as usize => {
                wrong.push(format!("a question for {to} is empty or longer than {QUESTION_CHARS_MAX} characters"));
            }
            Some(_) if questions.len() >= QUESTIONS_MAX => {
                wrong.push(format!("more than {QUESTIONS_MAX} questions"));
            }
            Some(debater) => questions.push(Question { to: debater.name.clone(), question }),
        }
    }
    (questions, wrong)
}

/// The form of the opinion.
pub fn opinion_form() -> Form {
    Form::new("opinion", [form_field("opinion", text_kind(400, 4_000))])
}

/// The opinion by its form alone.
pub fn parse_opinion(text: &str) -> Result<String, Faults> {
    opinion_form().read_statement(text, |fields, faults| Some(fields.read_paragraphs("opinion", faults)))
}

/// What an opinion lacks: its length, and two or three references to arguments, of which `stands` says whether they do.
pub fn check_opinion(opinion: &str, stands: impl Fn(u64) -> bool) -> Faults {
    let mut faults = Faults::default();
    let count = count_words(opinion);
    if !OPINION_WORDS.contains(&count) {
        faults.add("L16", "opinion", format!("it has {count} words; 200 to 400 are wanted"));
    }
    let cited = find_seq_references(opinion).into_iter().filter(|seq| stands(*seq)).count();
    if cited < 2 {
        let message = format!("it refers to {cited} argument(s); name two or three by their number, as \"seq 4\"");
        faults.add("L16", "opinion", message);
    }
    faults
}

/// Numbers after the word `seq`, each once.
pub fn find_seq_references(text: &str) -> Vec<u64> {
    let lower = text.to_lowercase();
    // "seq 4", "seqs 4, 9 and 12".
    let lists = lower.split("seq").skip(1).map(|rest| {
        let rest = rest.trim_start_matches('s');
        &rest[..rest.find(|c: char| !(c.is_ascii_digit() || " ,and#".contains(c))).unwrap_or(rest.len())]
    });
    let numbers = lists.flat_map(|list| list.split(|c: char| !c.is_ascii_digit()));
    collect_different(numbers.filter_map(|number| number.parse().ok()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn debaters() -> Debaters {
        let member = |(n, name): (usize, &str)| crate::common::lineup::Member {
            seat: crate::common::named_seat(&format!("debater-{n}")),
            name: name.into(),
            persona: String::new(),
            details: serde_json::Map::new(),
        };
        Debaters::from_members(&[(1, "ada"), (2, "bob")].map(member))
    }

    #[test]
    fn at_most_two_questions_for_debaters_by_name() {
        let text = json!({"questions": [
            {"to": "Ada", "question": "Who pays for it?"}, {"to": "eve", "question": "Why?"},
            {"to": "bob", "question": " "}, {"to": "bob", "question": "Since when?"}, {"to": "bob", "question": "And?"},
        ]});
        let (questions, wrong) = parse_questions(&text.to_string(), &debaters());
        let to: Vec<&str> = questions.iter().map(|question| question.to.as_str()).collect();
        assert_eq!((to, wrong.len()), (vec!["ada", "bob"], 3));
    }

    #[test]
    fn no_questions_is_an_answer() {
        assert_eq!(parse_questions("No questions.", &debaters()), Default::default());
        assert_eq!(parse_questions(r#"{"questions": []}"#, &debaters()), Default::default());
        assert_eq!(parse_questions("Well.", &debaters()).1.len(), 1);
    }

    #[test]
    fn references_are_found_however_they_are_listed() {
        assert_eq!(find_seq_references("As seq 4 and seqs 9, 12 and 9 say; (Seq 3)."), [4, 9, 12, 3]);
        assert!(find_seq_references("a consequence of it").is_empty());
    }

    #[test]
    fn l16_an_opinion_has_200_to_400_words_and_two_references() {
        for (count, faults) in [(199, 2), (200, 1), (400, 1), (401, 2)] {
            let opinion = vec!["word"; count].join(" ");
            assert_eq!(check_opinion(&opinion, |_| false).0.len(), faults, "{count}");
        }
    }
}
