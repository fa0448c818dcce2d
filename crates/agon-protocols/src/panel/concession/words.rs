//! Text as words: sentences, and the tokens of one with panelists' names found whole.

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SentenceToken {
    /// A word in small letters; in scripts without blanks a character.
    Word(String),
    /// One of the names, by its place.
    Name(usize),
    /// A comma or another mark at which one draws breath; also words of others between quotation marks.
    Break,
}

/// A sentence as it was written, with its tokens.
#[derive(Debug, Clone)]
pub(super) struct TokenisedSentence {
    pub text: String,
    pub tokens: Vec<SentenceToken>,
}

/// Whether `c` belongs to a script that sets no blanks between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// The sentences of `text`. What stands between quotation marks is others' and leaves no words.
pub(super) fn sentences(text: &str, names: &[&str]) -> Vec<TokenisedSentence> {
    let whole: Vec<char> = text.chars().collect();
    let straight = whole.iter().filter(|c| **c == '"').count() % 2 == 0;
    let mut found = Vec::new();
    let (mut current, mut own, mut quoted) = (String::new(), String::new(), None::<char>);
    for (at, &c) in whole.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| whole[at]);
        let after = whole.get(at + 1).copied();
        current.push(c);
        match quoted {
            Some(end) if c == end || (c == '“' && end == '”') => {
                let within = end == '’' && after.is_some_and(char::is_alphanumeric);
                if !within {
                    quoted = None;
                    own.push(',');
                }
            }
            Some(_) => {}
            None => match closing(c).filter(|_| c != '"' || straight) {
                // An apostrophe opens nothing.
                Some(end) if c != '‘' || !before.is_some_and(char::is_alphanumeric) => {
                    quoted = Some(end);
                    own.push(',');
                }
                _ => own.push(c),
            },
        }
        let is_end = match c {
            '。' | '！' | '？' | '\n' => true,
            '.' | '!' | '?' => after
                .is_none_or(|next| next.is_whitespace() || closing(next).is_some() || "”»)".contains(next)),
            _ => false,
        };
        if (is_end && quoted.is_none()) || after.is_none() {
            if current.chars().any(char::is_alphanumeric) {
                found
                    .push(TokenisedSentence { text: current.trim().to_owned(), tokens: tokens(&own, names) });
            }
            current.clear();
            own.clear();
        }
    }
    found
}

/// The mark that ends a quotation which `c` begins.
fn closing(c: char) -> Option<char> {
    Some(match c {
        '"' => '"',
        '“' | '„' => '”',
        '«' => '»',
        '‘' => '’',
        '「' => '」',
        _ => return None,
    })
}

/// Words as they are compared: apostrophes part them, a contracted "not" is written out.
pub(super) fn tokens(text: &str, names: &[&str]) -> Vec<SentenceToken> {
    let mut raw: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() && !is_unspaced(c) {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            raw.push(std::mem::take(&mut word));
        }
        if is_unspaced(c) {
            raw.push(c.to_string());
        } else if !c.is_whitespace() && !"'’-*_.".contains(c) {
            raw.push(",".into());
        }
    }
    let names: Vec<Vec<String>> = names.iter().map(|name| pieces(name)).collect();
    let mut tokens: Vec<SentenceToken> = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        if let Some((place, length)) = name_at(&raw[at..], &names) {
            tokens.push(SentenceToken::Name(place));
            at += length;
            continue;
        }
        let word = raw[at].to_lowercase();
        match (word.as_str(), tokens.last_mut()) {
            (",", _) => tokens.push(SentenceToken::Break),
            ("t", Some(SentenceToken::Word(before))) if before.ends_with('n') => {
                before.pop();
                tokens.push(SentenceToken::Word("not".into()));
            }
            ("cannot", _) => tokens.extend(["can", "not"].map(|word| SentenceToken::Word(word.into()))),
            _ => tokens.push(SentenceToken::Word(word)),
        }
        at += 1;
    }
    tokens
}

fn pieces(name: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for part in name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
        match part.chars().any(is_unspaced) {
            true => pieces.extend(part.chars().map(String::from)),
            false => pieces.push(part.to_owned()),
        }
    }
    pieces
}

/// The name that `raw` begins with, the longest first, and how many words it takes. Of a name of several
/// words the first alone will do where nobody shares it.
fn name_at(raw: &[String], names: &[Vec<String>]) -> Option<(usize, usize)> {
    let whole = names.iter().enumerate().filter(|(_, name)| {
        !name.is_empty() && name.len() <= raw.len() && name.iter().zip(raw).all(|(a, b)| a == b)
    });
    if let Some((place, name)) = whole.max_by_key(|(_, name)| name.len()) {
        return Some((place, name.len()));
    }
    let first = raw.first()?;
    if !first.chars().next().is_some_and(char::is_uppercase) {
        return None;
    }
    let mut called = names.iter().enumerate().filter(|(_, name)| {
        name.first().is_some_and(|name| {
            is_form(first, name) && !names.iter().flatten().any(|other| other == first && other != name)
        })
    });
    let found = called.next().map(|(place, _)| (place, 1));
    found.filter(|_| called.next().is_none())
}

/// Whether `word` is `name` itself or an inflected form of it: "Adas", "Адой".
fn is_form(word: &str, name: &str) -> bool {
    let is_cyrillic = |c: char| matches!(c, '\u{400}'..='\u{4ff}');
    if word == name || word.strip_prefix(name) == Some("s") {
        return true;
    }
    let count = name.chars().count();
    if count < 3 || !name.chars().all(is_cyrillic) {
        return false;
    }
    let stem: String = name.chars().take(count - 1).collect();
    word.starts_with(&stem) && word.chars().count() <= count + 2
}
