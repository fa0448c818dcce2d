//! Turns the bytes of tokens into text deltas.
//!
//! A token may end in the middle of a character, and a text may end in the middle of a stop text:
//! both are held back until it is clear what they become.

/// Collects the bytes of an answer and releases them as text.
#[derive(Debug, Default)]
pub struct TextStream {
    stop: Vec<String>,
    bytes: Vec<u8>,
    held: String,
    stopped: bool,
}

impl TextStream {
    /// A stream that ends before the first of the `stop` texts; empty ones are ignored.
    pub fn new(mut stop: Vec<String>) -> Self {
        stop.retain(|text| !text.is_empty());
        Self { stop, ..Self::default() }
    }

    /// Whether a stop text has come: nothing is released any more.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Adds the bytes of a token and returns the text that is certain by now, possibly empty.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        if self.stopped {
            return String::new();
        }
        self.bytes.extend_from_slice(bytes);
        self.decode_characters();
        if let Some(at) = self.stop.iter().filter_map(|stop| self.held.find(stop)).min() {
            self.stopped = true;
            self.held.truncate(at);
            return std::mem::take(&mut self.held);
        }
        let kept = self.stop.iter().map(|stop| stop_overlap_len(&self.held, stop)).max().unwrap_or(0);
        let tail = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, tail)
    }

    /// Returns what was held back, at the end of the answer. An incomplete character becomes U+FFFD.
    pub fn finish(&mut self) -> String {
        if self.stopped {
            return String::new();
        }
        let rest = std::mem::take(&mut self.bytes);
        self.held.push_str(&String::from_utf8_lossy(&rest));
        std::mem::take(&mut self.held)
    }

    /// Moves all complete characters from `bytes` to `held`.
    fn decode_characters(&mut self) {
        let mut complete = self.bytes.len();
        for chunk in self.bytes.utf8_chunks() {
            self.held.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let at_end = std::ptr::eq(invalid.as_ptr_range().end, self.bytes.as_ptr_range().end);
            let incomplete = at_end && str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none());
            if incomplete {
                complete -= invalid.len();
            } else {
                self.held.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.bytes.drain(..complete);
    }
}

/// Length of the longest proper beginning of `stop` that `text` ends with.
fn stop_overlap_len(text: &str, stop: &str) -> usize {
    let longest = stop.len().saturating_sub(1).min(text.len());
    (1..=longest).rev().find(|&n| text.as_bytes().ends_with(&stop.as_bytes()[..n])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_split_between_tokens_stay_whole() {
        let mut stream = TextStream::default();
        let bytes = "é🦀".as_bytes();
        assert_eq!(stream.push(&bytes[..1]), "");
        assert_eq!(stream.push(&bytes[1..3]), "é");
        assert_eq!(stream.push(&bytes[3..5]), "");
        assert_eq!(stream.push(&bytes[5..]), "🦀");
        assert_eq!(stream.finish(), "");
    }

    #[test]
    fn invalid_bytes_become_replacement_characters_at_once_or_at_the_end() {
        let mut stream = TextStream::default();
        assert_eq!(stream.push(b"a\xffb"), "a\u{FFFD}b");
        assert_eq!(stream.push(b"\xf0\x9f"), "");
        assert_eq!(stream.finish(), "\u{FFFD}");
    }

    #[test]
    fn the_beginning_of_a_stop_text_is_held_back() {
        let mut stream = TextStream::new(vec!["\n\nB:".into(), String::new()]);
        assert_eq!(stream.push(b"yes\n"), "yes");
        assert_eq!(stream.push(b"\n"), "");
        assert_eq!(stream.push(b"B"), "");
        assert!(!stream.is_stopped());
        assert_eq!(stream.push(b": no"), "");
        assert!(stream.is_stopped());
    }

    #[test]
    fn a_broken_off_stop_text_is_released() {
        let mut stream = TextStream::new(vec!["END".into()]);
        assert_eq!(stream.push(b"the EN"), "the ");
        assert_eq!(stream.push(b"V"), "ENV");
        assert_eq!(stream.push(b" E"), " ");
        assert_eq!(stream.finish(), "E");
    }

    #[test]
    fn nothing_comes_after_the_earliest_stop_text() {
        let mut stream = TextStream::new(vec!["two".into(), "one".into()]);
        assert_eq!(stream.push(b"zero one two"), "zero ");
        assert!(stream.is_stopped());
        assert_eq!(stream.push(b"three"), "");
        assert_eq!(stream.finish(), "");
    }

    #[test]
    fn stop_texts_of_several_bytes_a_character_do_not_split_characters() {
        let mut stream = TextStream::new(vec!["über".into()]);
        assert_eq!(stream.push("a ü".as_bytes()), "a ");
        assert_eq!(stream.push(b"!"), "ü!");
    }
}
