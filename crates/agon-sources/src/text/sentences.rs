//! Sentences of a text, and the words in them that carry meaning.

use std::collections::BTreeSet;

/// Abbreviations after which no sentence ends.
const SHORT: [&str; 33] = [
    "mio", "mrd", "mln", "tsd", "tys", "bzw", "rs", "art", "abs", "mr", "mrs", "ms", "dr", "prof", "st",
    "no", "nr", "vs", "etc", "e.g", "i.e", "cf", "al", "fig", "approx", "ca", "u.s", "u.k", "inc", "ltd",
    "jr", "sr", "vol",
];

/// Words that any sentence may share with any other.
const COMMON: &str = " about above according after again against almost along already also although always among around \
another appears around because been before being below between both cannot claims could does doing done down during \
each either even ever every finds first found from further gave given gives going have having here however indeed \
instead into itself just least less like likely long made make makes many might mere more most much must near nearly \
need never none only other others over page part percent percentage point points quite rather really reported reports \
said same says seem seems several shall should show showed shows since some source such states still study than that \
their them then there these they this those though three through thus today told took toward under until upon used \
uses using very were what when where whether which while whole whose will with within without would year years your \
reach reached reaches rise rises rose risen fall falls fell fallen grow grows grew grown increase increased decrease \
decreased dropped declined million billion thousand trillion hundred roughly approximately total number figure figures result results ";

/// The sentences of `text`, as byte ranges; a line of its own is one.
pub fn sentences(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (i, (at, c)) in chars.iter().enumerate() {
        let end = at + c.len_utf8();
        let next = chars.get(i + 1).map(|(_, c)| *c);
        let ends = match c {
            '\n' => next.is_none_or(|c| c == '\n') || is_list(&text[end..]),
            '!' | '?' | '。' => closes(next),
            '.' => closes(next) && !is_short(&text[start..*at]) && goes_on_upright(&chars[i + 1..]),
            _ => false,
        };
        if ends {
            found.push(start..end);
            start = end;
        }
    }
    found.push(start..text.len());
    found.retain(|range| text[range.clone()].contains(char::is_alphanumeric));
    found
}

fn closes(next: Option<char>) -> bool {
    next.is_none_or(|c| c.is_whitespace() || "\"'”’»)]".contains(c))
}

/// Whether what follows a full stop does not begin in lower case.
fn goes_on_upright(rest: &[(usize, char)]) -> bool {
    let next = rest.iter().map(|(_, c)| *c).find(|c| c.is_alphanumeric());
    next.is_none_or(|c| !c.is_lowercase())
}

fn is_list(rest: &str) -> bool {
    rest.trim_start_matches(' ').starts_with(['-', '*', '|', '#', '>', '•'])
}

fn is_short(before: &str) -> bool {
    let word =
        before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default().to_lowercase();
    SHORT.contains(&word.as_str()) || (word.chars().count() == 1 && word.chars().all(char::is_alphabetic))
}

/// The words of `text` as they are written.
pub fn all_words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && !"%‰°²³µ$€£¥₹".contains(c))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether any sentence may have `word`, in lower case.
pub fn is_common(word: &str) -> bool {
    COMMON.contains(&format!(" {word} "))
}

/// Words of `text` that say what it is about, in one form each.
pub fn content_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 4);
    let words = words.filter(|word| word.chars().any(char::is_alphabetic)).map(str::to_lowercase);
    words.filter(|word| !is_common(word)).map(|word| stem(&word)).collect()
}

/// Endings do not count: `rises`, `rising` and `rise` are one.
pub fn stem(word: &str) -> String {
    let mut word = word.to_owned();
    for end in ["ing", "ies", "es", "ed", "s", "e", "y"] {
        if let Some(short) = word.strip_suffix(end).filter(|short| short.chars().count() >= 4) {
            word = short.to_owned();
            break;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_readers_end_them() {
        let text = "Dr. Li found 3.5 per cent. So did others! A list:\n- one\n- two\n\nThe U.S. rate fell.";
        let found: Vec<&str> = sentences(text).into_iter().map(|range| text[range].trim()).collect();
        assert_eq!(
            found,
            [
                "Dr. Li found 3.5 per cent.",
                "So did others!",
                "A list:",
                "- one",
                "- two",
                "The U.S. rate fell."
            ]
        );
        assert!(sentences(" . \n").is_empty());
    }

    #[test]
    fn content_words_leave_out_what_every_sentence_has() {
        let words =
            content_words("According to the report, unemployment rates were rising about 12 percent.");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert!(words.contains(&"unemployment") && !words.contains(&"about"), "{words:?}");
    }
}
