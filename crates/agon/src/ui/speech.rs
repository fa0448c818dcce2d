//! Statements as they are read aloud: prose as it is, JSON field by field, both also while they
//! are still being written.

/// Turns the text of a statement, piece by piece, into lines for a reader.
#[derive(Debug, Default)]
pub struct Speech {
    mode: Mode,
    /// Name of the field that is being read.
    key: String,
    text: String,
    escape: Option<String>,
    open: Vec<Open>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Nothing but white space has come.
    #[default]
    Start,
    /// Free text.
    Prose,
    /// Between the values of a JSON statement.
    Between,
    /// Within a text of it.
    Text,
    /// Within a number or a word of it.
    Bare,
}

/// An object or list that is not yet closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    ObjectBeforeKey,
    ObjectBeforeValue,
    List,
}

impl Open {
    fn of(bracket: char) -> Self {
        if bracket == '{' { Open::ObjectBeforeKey } else { Open::List }
    }
}

/// Something to show.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    /// Prose.
    Prose(String),
    /// A field of a statement, whole.
    Field(String, String),
}

impl Speech {
    /// What `more` adds.
    pub fn push(&mut self, more: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for c in more.chars() {
            self.take(c, &mut pieces);
        }
        if self.mode == Mode::Prose && !self.text.is_empty() {
            pieces.push(Piece::Prose(std::mem::take(&mut self.text)));
        }
        pieces
    }

    fn take(&mut self, c: char, pieces: &mut Vec<Piece>) {
        match self.mode {
            Mode::Start if c.is_whitespace() => {}
            Mode::Start if c == '{' || c == '[' => {
                self.mode = Mode::Between;
                self.open.push(Open::of(c));
            }
            Mode::Start | Mode::Prose => {
                self.mode = Mode::Prose;
                self.text.push(c);
            }
            Mode::Between => self.between(c),
            Mode::Text => self.within_text(c, pieces),
            Mode::Bare if matches!(c, ',' | '}' | ']') || c.is_whitespace() => {
                self.end_value(pieces);
                self.mode = Mode::Between;
                self.between(c);
            }
            Mode::Bare => self.text.push(c),
        }
    }

    fn between(&mut self, c: char) {
        match (c, self.open.last_mut()) {
            ('{' | '[', _) => self.open.push(Open::of(c)),
            ('}' | ']', _) => drop(self.open.pop()),
            (':', Some(open)) => *open = Open::ObjectBeforeValue,
            (',', Some(open)) if *open != Open::List => *open = Open::ObjectBeforeKey,
            ('"', _) => self.mode = Mode::Text,
            (',', _) => {}
            (c, _) if c.is_whitespace() => {}
            (c, _) => {
                self.mode = Mode::Bare;
                self.text.push(c);
            }
        }
    }

    fn within_text(&mut self, c: char, pieces: &mut Vec<Piece>) {
        if let Some(escape) = &mut self.escape {
            escape.push(c);
            let done = !escape.starts_with('u') || escape.len() == 5;
            if done {
                let escape = self.escape.take().unwrap_or_default();
                self.text.push(unescape(&escape));
            }
            return;
        }
        match c {
            '\\' => self.escape = Some(String::new()),
            '"' if self.open.last() == Some(&Open::ObjectBeforeKey) => {
                self.key = std::mem::take(&mut self.text);
                self.mode = Mode::Between;
            }
            '"' => {
                self.end_value(pieces);
                self.mode = Mode::Between;
            }
            c => self.text.push(c),
        }
    }

    fn end_value(&mut self, pieces: &mut Vec<Piece>) {
        let value = std::mem::take(&mut self.text);
        if !value.is_empty() {
            pieces.push(Piece::Field(self.key.clone(), value));
        }
    }
}

fn unescape(escape: &str) -> char {
    match escape {
        "n" => '\n',
        "t" => '\t',
        _ => match escape.strip_prefix('u') {
            // Halves of a surrogate pair are shown as replacement characters; the record has them whole.
            Some(hex) => u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'),
            None => escape.chars().next().unwrap_or_default(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, at_once: usize) -> Vec<Piece> {
        let mut speech = Speech::default();
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(at_once).flat_map(|chunk| speech.push(&chunk.iter().collect::<String>())).collect()
    }

    #[test]
    fn fields_are_read_however_they_arrive() {
        let json =
            r#"{"stance":"for","arguments":[{"title":"A \"b\" \u00e9","n":-0.5},{"title":"c"}],"ok":true}"#;
        let field = |k: &str, v: &str| Piece::Field(k.into(), v.into());
        let wanted = vec![
            field("stance", "for"),
            field("title", "A \"b\" é"),
            field("n", "-0.5"),
            field("title", "c"),
            field("ok", "true"),
        ];
        assert_eq!(all(json, 1), wanted);
        assert_eq!(all(json, 7), wanted);
        assert_eq!(all(json, 1000), wanted);
    }

    #[test]
    fn prose_passes_as_it_is() {
        assert_eq!(all("  Hello {you}", 100), [Piece::Prose("Hello {you}".into())]);
    }
}
