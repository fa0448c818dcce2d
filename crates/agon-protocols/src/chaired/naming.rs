//! Whether an article tells of the debate that it was made from: names a debater, or speaks of the debate
//! as such. A name that is an ordinary word, and the debate that a town has about something, are none.

/// Before these a name is a name: nothing says which one of many is meant.
const BARE: [&str; 24] = [
    "to", "as", "by", "of", "for", "with", "but", "while", "whereas", "from", "like", "unlike", "that",
    "says", "said", "asks", "asked", "when", "where", "if", "than", "against", "between", "debater",
];
/// What a debater has and nobody else: `the planner's rebuttal`.
const OWN: [&str; 7] = ["rebuttal", "closing", "opening", "argument", "arguments", "position", "statement"];
/// What follows where a debate about something is meant, and not this one.
const ABOUT: [&str; 12] = [
    "about",
    "over",
    "on",
    "around",
    "surrounding",
    "concerning",
    "regarding",
    "whether",
    "among",
    "is",
    "continues",
    "remains",
];
/// Before these a debate is this one.
const THIS: [&str; 4] = ["this", "our", "tonight's", "today's"];
/// Who debated, where it is told of this debate.
const WHO: [&str; 5] = ["they", "we", "participants", "sides", "both"];
/// Words that only a debate of this kind has.
const STAGED: [(&str, &str); 4] = [
    ("opening", "statement"),
    ("opening", "statements"),
    ("closing", "statement"),
    ("closing", "statements"),
];

/// A word of the article.
struct Word<'t> {
    text: &'t str,
    lower: String,
    /// Whether a sentence begins with it.
    begins: bool,
    /// The same without the `s` of a genitive.
    owner: Option<String>,
}

/// What in `article` tells of the debate, each once: the `names` of debaters, and words for the debate
/// itself. Words of the `topic` are none.
pub fn told(article: &str, topic: &str, names: &[&str]) -> Vec<String> {
    let words = words(article);
    let topic: Vec<String> = self::words(topic).into_iter().map(|word| word.lower).collect();
    let mut told: Vec<String> = Vec::new();
    let mut tell = |what: &str| {
        let what = what.to_owned();
        if !told.contains(&what) {
            told.push(what);
        }
    };
    for name in names.iter().filter(|name| !topic.contains(&name.to_lowercase())) {
        let parts: Vec<String> =
            self::words(&name.replace('-', " ")).into_iter().map(|word| word.lower).collect();
        if (0..words.len()).any(|at| is_named(&words, at, name, &parts)) {
            tell(name);
        }
    }
    for at in 0..words.len() {
        let word = words[at].owner.as_deref().unwrap_or(&words[at].lower);
        let plain = word.trim_end_matches('s');
        let is_told = match plain {
            "debate" => is_this_debate(&words, at),
            "debater" => true,
            "debated" => at > 0 && WHO.contains(&words[at - 1].lower.as_str()),
            "seq" => {
                words.get(at + 1).is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()))
            }
            _ => STAGED
                .iter()
                .any(|(one, two)| word == *one && words.get(at + 1).is_some_and(|n| n.lower == *two)),
        };
        if is_told && !topic.iter().any(|of| of.trim_end_matches('s') == plain) {
            tell(word);
        }
    }
    told
}

/// Whether the words from `at` on are the debater called `name`, whose name has these `parts`.
fn is_named(words: &[Word<'_>], at: usize, name: &str, parts: &[String]) -> bool {
    let Some(here) = words.get(at..at + parts.len()).filter(|_| !parts.is_empty()) else { return false };
    let (last, first) = (&here[parts.len() - 1], &here[0]);
    let same = here.iter().zip(parts).enumerate().all(|(i, (word, part))| {
        word.lower == *part || (i + 1 == parts.len() && word.owner.as_ref() == Some(part))
    });
    // A hyphenated name stands as one word, too.
    let joined = first.lower == name.to_lowercase() || first.owner.as_deref() == Some(&name.to_lowercase());
    if !(same || (joined && parts.len() > 1)) {
        return false;
    }
    let last = if same { last } else { first };
    // No word of any language is written so.
    let is_made = name.chars().skip(1).any(char::is_uppercase) || name.chars().any(char::is_numeric);
    if is_made || first.text.starts_with(char::is_uppercase) {
        // A sentence may begin with an ordinary word only where it has its plural or its article.
        return true;
    }
    let before = at.checked_sub(1).map(|at| words[at].lower.as_str());
    let after = words.get(at + if same { parts.len() } else { 1 }).map(|word| word.lower.as_str());
    let is_bare = first.begins || before.is_some_and(|before| BARE.contains(&before));
    let owns = last.owner.is_some() && after.is_some_and(|after| OWN.contains(&after));
    is_bare || owns
}

/// Whether the word `debate` at `at` means the one that the article was made from.
fn is_this_debate(words: &[Word<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| words[at].lower.as_str()).unwrap_or_default();
    let after = words.get(at + 1).map(|word| word.lower.as_str()).unwrap_or_default();
    THIS.contains(&before) || (before == "the" && !ABOUT.contains(&after)) || before == "chaired"
}

/// Where the words of `text` stand.
pub(super) fn spans(text: &str) -> Vec<(usize, usize)> {
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
pub(super) fn tokens(text: &str) -> Vec<String> {
    spans(text).into_iter().map(|(from, to)| text[from..to].to_lowercase()).collect()
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut last = 0;
    let mut words: Vec<Word<'_>> = Vec::new();
    for (from, to) in spans(text) {
        let between = &text[last..from];
        // A genitive belongs to its word.
        let is_genitive = ["'", "\u{2019}"].contains(&between) && text[from..to].eq_ignore_ascii_case("s");
        last = to;
        if let Some(word) = words.last_mut().filter(|_| is_genitive) {
            word.owner = Some(std::mem::take(&mut word.lower));
            word.lower = word.owner.iter().map(|owner| format!("{owner}'s")).collect();
            continue;
        }
        let begins = words.is_empty() || between.contains(['.', '!', '?', '\n', ':', '\u{201c}', '"']);
        words.push(Word { text: &text[from..to], lower: text[from..to].to_lowercase(), begins, owner: None });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["shopkeeper", "ada", "SmartSchools", "labour-economist"];

    #[test]
    fn a_name_is_told_where_it_is_a_name_and_not_where_it_is_a_word() {
        for leak in [
            "As Ada put it, no.",
            "Ada's case is strong.",
            "To shopkeeper this is dear.",
            "Shopkeeper argued that it is dear.",
            "So says the Shopkeeper.",
            "That was the shopkeeper's rebuttal.",
            "Here smartschools is right.",
            "The answer of labour-economist is no.",
            "According to labour economist, no.",
        ] {
            assert_eq!(told(leak, "Should cars go?", &NAMES).len(), 1, "{leak}");
        }
        for word in [
            "The shopkeeper on the corner sells bread.",
            "Every shopkeeper knows it; shopkeepers pay.",
            "A small shopkeeper's till is empty.",
            "Ask a labour economist.",
            "It is adamant.",
        ] {
            assert_eq!(told(word, "Should cars go?", &NAMES), Vec::<String>::new(), "{word}");
        }
        assert!(
            told("Ada is a language.", "Is Ada a good language?", &NAMES).is_empty(),
            "a word of the topic"
        );
    }

    #[test]
    fn the_debate_is_told_and_a_debate_about_something_is_not() {
        for leak in [
            "In this debate it began.",
            "The debaters met.",
            "The debate ended in a draw.",
            "The debate's end was plain.",
            "They debated it for hours.",
            "As seq 4 shows, no.",
            "Her closing statement said so.",
        ] {
            assert_eq!(told(leak, "Should cars go?", &[]).len(), 1, "{leak}");
        }
        for word in [
            "The public debate about cars is old.",
            "The debate over cars goes on.",
            "It is hotly debated.",
            "Debates about parking are loud.",
            "A debate of this kind divides towns.",
        ] {
            assert_eq!(told(word, "Should cars go?", &[]), Vec::<String>::new(), "{word}");
        }
        assert!(
            told("The debate club met.", "Are debate clubs good?", &[]).is_empty(),
            "a word of the topic"
        );
    }
}
