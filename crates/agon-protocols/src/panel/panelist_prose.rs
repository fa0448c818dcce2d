//! What panelists say: prose that is free but for being prose, and the words of it that others quote.

use std::sync::Arc;

use agon_core::{Attempt, Faults, Key, Seat, parse};
use agon_text::{
    FoldedText, KnownTexts, QuoteMatch, Span, count_words, find_quotations, find_quote, folded_words, is_unspaced,
    split_sentences, split_words, take_words,
};

use crate::common::verification::{self, SourceCheck};

/// What stands for words that may no longer be shown.
pub const REDACTED: &str = "(redacted)";
/// Words of a quote that a question can carry, twice if need be, and still ask something.
pub const QUOTE_WORDS_MAX: usize = 30;
/// Fewer words quote nothing in particular.
pub const QUOTE_WORDS_MIN: usize = 3;
/// Lines laid out as a list or under headings that make a speech a paper.
const LAID_OUT_MIN: usize = 3;
/// Quotes of one speech that the moderator is offered.
const OFFERED_MAX: usize = 16;
/// Words of what counts as a label where a colon follows.
const LABEL_WORDS_MAX: usize = 3;
/// Where one draws breath within a sentence.
const PAUSES: [char; 7] = [',', ';', ':', '，', '；', '：', '、'];
/// Words of a sentence worth offering.
const OFFERED_WORDS_MIN: usize = 5;

/// One panelist's words in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speech {
    /// As they were said.
    pub text: String,
    /// The same with every run of white space as one blank and straight quotation marks.
    pub plain: String,
    /// What quotes are compared with.
    folded: FoldedText,
    /// The earlier turn of the same panelist that it copies nearly word for word, by its round.
    pub copies: Option<u32>,
    /// What was found about the pages that it cites.
    pub sources: Vec<SourceCheck>,
}

impl Speech {
    /// The same with what was found about its pages: a passage whose page never was is left out, and
    /// one that its page does not bear out is labelled.
    pub fn looked_up(self: Arc<Self>, sources: &[SourceCheck]) -> Arc<Self> {
        // What was redacted is not told by what was found about it.
        if sources.is_empty() || self.text == REDACTED {
            return self;
        }
        let text = verification::mark_passages(&self.text, sources);
        Arc::new(Self { copies: self.copies, sources: sources.to_vec(), ..Self::from_text(&text) })
    }

    /// `text` as a participant's words.
    pub fn from_text(text: &str) -> Self {
        let (plain, text) = (to_plain_line(text), text.trim());
        let folded = FoldedText::new(text);
        Self { text: text.to_owned(), plain, folded, copies: None, sources: Vec::new() }
    }

    /// Whether `quote` stands in it word for word, typography and case aside.
    pub fn has_quote(&self, quote: &str) -> bool {
        find_quote(&self.folded, quote).verbatim_ranges().is_some()
    }

    /// Passages that can be quoted whole, in their order.
    pub fn list_passages(&self) -> impl Iterator<Item = String> {
        let mut passages = Vec::new();
        let lines: Vec<String> = self.text.lines().map(to_plain_line).collect();
        let prose = lines.iter().filter(|line| !line.starts_with('#')).map(|line| strip_label(line));
        for sentence in prose.flat_map(split_sentences) {
            let words = split_words(sentence.text);
            if words.len() < OFFERED_WORDS_MIN {
                continue;
            }
            let is_pause =
                |word: &Span<'_>| word.text.ends_with(PAUSES) || sentence.text[word.range.end..].starts_with(PAUSES);
            let count = match words.get(..QUOTE_WORDS_MAX) {
                // The longest part of it that ends where one draws breath.
                Some(most) if words.len() > QUOTE_WORDS_MAX => {
                    let pause = most.iter().rposition(is_pause).map(|at| at + 1);
                    pause.filter(|count| *count >= OFFERED_WORDS_MIN).unwrap_or(QUOTE_WORDS_MAX)
                }
                _ => words.len(),
            };
            passages.push(trim_quote(take_words(sentence.text, count)));
        }
        if passages.is_empty() {
            // Short speech is quoted as it is.
            passages.push(trim_quote(take_words(&self.plain, QUOTE_WORDS_MAX)));
        }
        passages.retain(|passage| !passage.is_empty());
        passages.truncate(OFFERED_MAX);
        passages.into_iter()
    }

    /// Words that are nearly those of `quote`.
    fn find_near_words(&self, quote: &str) -> Option<String> {
        match find_quote(&self.folded, quote) {
            QuoteMatch::Near { range, .. } => Some(trim_quote(&self.text[range])),
            _ => None,
        }
    }

    /// Words that are nearly those of `quote`, or else the passage that has most of them.
    pub fn find_nearest_words(&self, quote: &str) -> Option<String> {
        let wanted: Vec<String> = words_of(quote);
        let common = |passage: &String| words_of(passage).iter().filter(|word| wanted.contains(word)).count();
        self.find_near_words(quote).or_else(|| self.list_passages().max_by_key(common))
    }
}

/// Everything said so far, oldest first: openings in round 0, then the answers.
#[derive(Debug, Clone, Default)]
pub struct Speeches(pub Vec<PanelTurn>);

/// A turn of the debate.
#[derive(Debug, Clone)]
pub struct PanelTurn {
    /// Who spoke.
    pub seat: Seat,
    /// In which round; 0 is the opening.
    pub round: u32,
    /// By which answer.
    pub key: Key,
    /// What.
    pub speech: Arc<Speech>,
}

impl Speeches {
    /// Adds a turn.
    pub fn push(&mut self, seat: &Seat, round: u32, key: &Key, speech: Arc<Speech>) {
        self.0.push(PanelTurn { seat: seat.clone(), round, key: key.clone(), speech });
    }

    /// What was said by the answer `key`.
    pub fn find_turn(&self, key: &Key) -> Option<&PanelTurn> {
        self.0.iter().find(|turn| turn.key == *key)
    }

    /// Turns of one panelist.
    pub fn list_turns<'s>(&'s self, seat: &'s Seat) -> impl DoubleEndedIterator<Item = &'s PanelTurn> {
        self.0.iter().filter(move |turn| turn.seat == *seat)
    }

    /// Whether `seat` said `quote`.
    pub fn has_said(&self, seat: &Seat, quote: &str) -> bool {
        self.list_turns(seat).any(|turn| turn.speech.has_quote(quote))
    }

    /// Who said `quote` first.
    pub fn find_speaker(&self, quote: &str) -> Option<&Seat> {
        self.0.iter().find(|turn| turn.speech.has_quote(quote)).map(|turn| &turn.seat)
    }

    /// What of `seat` comes nearest to `quote`.
    pub fn find_nearest_words(&self, seat: &Seat, quote: &str) -> Option<String> {
        let near = self.list_turns(seat).find_map(|turn| turn.speech.find_near_words(quote));
        near.or_else(|| self.list_turns(seat).find_map(|turn| turn.speech.find_nearest_words(quote)))
    }

    /// A panelist's prose, or why it is none. What is laid out as a list is told so once and then
    /// stands. So does a nearly verbatim copy of an earlier turn of the same panelist: it counts as
    /// repetition.
    pub fn check_speech(&self, seat: &Seat, draft: Attempt<'_>) -> Result<Speech, Faults> {
        check_prose(draft.text)?;
        if !draft.was_told("layout") && draft.text.lines().filter(|line| is_laid_out(line)).count() >= LAID_OUT_MIN {
            let message = "this is a list with headings or numbers; say the same as you would in a conversation, \
                           in plain sentences and paragraphs";
            return Err(Faults::one("layout", "", message));
        }
        let mut speech = Speech::from_text(draft.text);
        let earlier: Vec<&PanelTurn> = self.list_turns(seat).collect();
        let known = KnownTexts::from_texts(earlier.iter().map(|turn| turn.speech.text.as_str()));
        if let Some(copied) = known.find_copied(draft.text) {
            let round = earlier[copied.of].round;
            if !draft.was_told("repetition") {
                let of = if round == 0 { "your opening".to_owned() } else { format!("your answer in round {round}") };
                let message = format!(
                    "this repeats {of} almost word for word; answer the question in new words, with a reason or evidence you have not given"
                );
                return Err(Faults::one("repetition", "", message));
            }
            speech.copies = Some(round);
        }
        Ok(speech)
    }
}

/// Whether a line is a heading, an item of a list or begins with a label in bold.
fn is_laid_out(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    numbered || ["# ", "## ", "### ", "#### ", "- ", "* ", "• ", "**"].iter().any(|mark| line.starts_with(mark))
}

/// Whether `text` is prose: neither length nor stance nor labels are anybody's business.
fn check_prose(text: &str) -> Result<(), Faults> {
    let fault = |message: &str| Err(Faults::one("prose", "", message));
    let whole = text.trim();
    if !whole.chars().any(char::is_alphabetic) {
        return fault("the answer has no words; answer in prose");
    }
    let fenced = whole.starts_with("```") && whole.ends_with("```");
    if (fenced || whole.starts_with(['{', '['])) && parse::parse_json_answer(whole).is_ok() {
        return fault("this is JSON; answer in plain prose, as you would speak");
    }
    let is_heading = |line: &str| line.trim_start().starts_with('#') || line.trim_end().ends_with("===");
    if whole.lines().filter(|line| !line.trim().is_empty()).all(is_heading) {
        return fault("there is only a heading; say what you have to say, in prose without headings");
    }
    Ok(())
}

/// `text` on one line, with straight quotation marks.
pub fn to_plain_line(text: &str) -> String {
    let straight = text.chars().map(|c| match c {
        '“' | '”' | '„' | '«' | '»' => '"',
        '‘' | '’' => '\'',
        c if c.is_control() => ' ',
        c => c,
    });
    agon_text::to_single_line(&straight.collect::<String>())
}

/// A quote without what encloses and ends it.
pub fn trim_quote(quote: &str) -> String {
    to_plain_line(quote).trim_matches(|c: char| c.is_whitespace() || "\"'….,;:!?".contains(c)).to_owned()
}

/// What stands in quotation marks in `text`, each on one line.
pub fn extract_quotations(text: &str) -> Vec<String> {
    find_quotations(text).into_iter().map(|quotation| to_plain_line(quotation.text)).collect()
}

/// Words of `text` that are long enough to tell two passages apart.
fn words_of(text: &str) -> Vec<String> {
    let tells = |word: &String| word.chars().count() > 2 || word.contains(is_unspaced);
    folded_words(text).into_iter().filter(tells).collect()
}

/// `line` without the label or list mark that it begins with: "Evidence:", "**Claim 1:**", "2.".
fn strip_label(line: &str) -> &str {
    let line = line.trim_start_matches(|c: char| "-*•_ ".contains(c));
    let numbered = line
        .split_once(['.', ')'])
        .filter(|(mark, text)| !mark.is_empty() && mark.chars().all(|c| c.is_ascii_digit()) && text.starts_with(' '));
    let line = numbered.map_or(line, |(_, text)| text.trim_start());
    match line.split_once(": ").or_else(|| line.split_once(":**")) {
        Some((label, text)) if count_words(label) <= LABEL_WORDS_MAX => text.trim_start_matches(['*', ' ']),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::named_seat;

    fn attempt(text: &str) -> Attempt<'_> {
        Attempt { text, number: 0, quoted: &[], imported: false }
    }

    #[test]
    fn only_prose_is_an_answer_and_neither_length_nor_labels_are_judged() {
        let said = Speeches::default();
        for text in
            ["", " \n", "{}", "[1, 2", "```json\n{\"a\": 1}\n```", "{\"a\": \"b\"}", "## Verdict", "# A\n\n## B"]
        {
            assert!(said.check_speech(&named_seat("panelist-1"), attempt(text)).is_err(), "{text:?}");
        }
        let long = "word ".repeat(3_000);
        for text in ["No.", "Claim 1: yes", "## Answer\n\nYes.", "[sic] it is so", &long, "Así es."] {
            assert!(said.check_speech(&named_seat("panelist-1"), attempt(text)).is_ok(), "{text:.20}");
        }
    }

    #[test]
    fn a_list_is_told_once_and_then_stands() {
        let said = Speeches::default();
        let text = "### My view\n1. **Cost**: it is dear.\n2. **Time**: it is slow.\n\nSo no.";
        let faults = said.check_speech(&named_seat("panelist-1"), attempt(text)).unwrap_err();
        assert!(faults.to_string().contains("plain sentences"), "{faults}");
        let second = Attempt { text, number: 1, quoted: &faults.shorten_for_redraft(), imported: false };
        assert!(said.check_speech(&named_seat("panelist-1"), second).is_ok());
    }

    #[test]
    fn a_copy_is_told_once_and_then_counts_as_repetition() {
        let text = "What is written down can be found again by everybody who joins the team after the meeting is over.";
        let mut said = Speeches::default();
        said.push(&named_seat("panelist-1"), 0, &Key::from_parts("a"), Arc::new(Speech::from_text("Something else.")));
        said.push(&named_seat("panelist-1"), 4, &Key::from_parts("b"), Arc::new(Speech::from_text(text)));
        let faults = said.check_speech(&named_seat("panelist-1"), attempt(text)).unwrap_err();
        assert!(faults.to_string().contains("your answer in round 4"), "{faults}");
        let quoted = faults.shorten_for_redraft();
        let second = Attempt { text, number: 1, quoted: &quoted, imported: false };
        assert_eq!(said.check_speech(&named_seat("panelist-1"), second).unwrap().copies, Some(4));
        assert_eq!(
            said.check_speech(&named_seat("panelist-2"), attempt(text)).unwrap().copies,
            None,
            "another's words"
        );
    }

    #[test]
    fn a_quote_is_compared_word_for_word_white_space_aside() {
        let speech = Speech::from_text("Costs rose\n  by 5 %,   she said:\t“nobody’s fault”. Then they fell.");
        for quote in [
            "Costs rose by 5 %",
            "\"Costs rose by\n5 %,\"",
            "nobody's fault",
            "… then they fell".replace("then", "Then").as_str(),
        ] {
            assert!(speech.has_quote(quote), "{quote}");
        }
        for quote in ["", "\"\"", "Costs fell by 5 %", "costs rose by 5 percent", "Costs rose by 5 % Then"] {
            assert!(!speech.has_quote(quote), "{quote}");
        }
    }

    #[test]
    fn passages_are_verbatim_and_short_enough_to_be_quoted() {
        let long = format!("It began {}and then ended, {}at last.", "very ".repeat(12), "so ".repeat(40));
        let speech =
            Speech::from_text(&format!("Yes. Costs fell by a third in 2019. {long} \"Was it worth it to them?\" Hm."));
        let passages: Vec<String> = speech.list_passages().collect();
        assert_eq!(passages[0], "Costs fell by a third in 2019");
        assert!(passages[1].ends_with("and then ended"), "{passages:?}");
        assert_eq!(passages[2], "Was it worth it to them");
        for passage in &passages {
            assert!(speech.has_quote(passage) && passage.split(' ').count() <= QUOTE_WORDS_MAX, "{passage}");
        }
        assert_eq!(Speech::from_text("Yes.").list_passages().collect::<Vec<_>>(), ["Yes"]);
        let labelled = "## The first of my claims is this\n**Claim 1:** It costs more than it brings.\n2. In 2019 it was still cheap.\n2019 was the last of the cheap years.";
        assert_eq!(
            Speech::from_text(labelled).list_passages().collect::<Vec<_>>(),
            ["It costs more than it brings", "In 2019 it was still cheap", "2019 was the last of the cheap years"],
            "labels and headings are nothing to quote"
        );
        assert_eq!(
            speech.find_nearest_words("the costs fell by one third").as_deref(),
            Some("Costs fell by a third in 2019")
        );
    }
}
