//! Parts of frames, borrowed where JSON has no escapes. Servers write null, numbers or lists where others write text:
//! what has another form than expected counts as none, and does not spoil the frame.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::value::RawValue;

/// A part of a frame, if it has the form that is expected.
#[derive(Debug, Clone)]
pub(super) struct FrameField<T>(pub Option<T>);

/// A text, if it is one: copied only where JSON has escapes, since each frame has some.
#[derive(Debug, Clone, Default)]
pub(super) struct FrameText<'f>(Option<Cow<'f, str>>);

/// A number of tokens, if it is one.
pub(super) type FrameCount = FrameField<u64>;

impl<T> Default for FrameField<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FrameField<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let field = <&RawValue>::deserialize(deserializer)?;
        match serde_json::from_str(field.get()) {
            Ok(value) => Ok(Self(Some(value))),
            Err(error) if error.is_data() => Ok(Self(None)),
            // A text that cannot be decoded is not another form: a piece of the answer would be lost.
            Err(error) => Err(D::Error::custom(error)),
        }
    }
}

impl FrameText<'_> {
    /// The text, where it is one and not empty.
    pub fn as_text(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }
}

impl<'de: 'f, 'f> Deserialize<'de> for FrameText<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let field = <&RawValue>::deserialize(deserializer)?.get();
        Ok(Self(match field.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(text) if !text.contains('\\') => Some(text.into()),
            Some(_) => Some(serde_json::from_str(field).map_err(D::Error::custom)?),
            None => None,
        }))
    }
}

/// A call of a tool, whose arguments come as `A`.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f, A: Default + Deserialize<'de>"))]
pub(super) struct FrameToolCall<'f, A> {
    pub index: Option<u32>,
    pub id: FrameText<'f>,
    pub function: Option<FrameFunction<'f, A>>,
}

/// Which tool is called, and with what.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f, A: Default + Deserialize<'de>"))]
pub(super) struct FrameFunction<'f, A> {
    pub name: FrameText<'f>,
    #[serde(alias = "args")]
    pub arguments: A,
}

/// The content of a message: a text, or parts of which some are thinking.
#[derive(Debug, Default, Clone)]
pub(super) struct FrameContent<'f> {
    pub text: FrameText<'f>,
    pub reasoning: FrameText<'f>,
}

/// A part of a content.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'f"))]
struct FramePart<'f> {
    text: FrameText<'f>,
    thinking: Option<&'f RawValue>,
}

impl<'de: 'f, 'f> Deserialize<'de> for FrameContent<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let content = <&RawValue>::deserialize(deserializer)?;
        if !content.get().starts_with('[') {
            let text = serde_json::from_str(content.get()).map_err(D::Error::custom)?;
            return Ok(Self { text, ..Self::default() });
        }
        let parts = read_parts(content).map_err(D::Error::custom)?;
        let thoughts: Result<Vec<_>, _> = parts.iter().filter_map(|part| part.thinking).map(read_parts).collect();
        let thoughts = thoughts.map_err(D::Error::custom)?;
        Ok(Self { text: join_texts(&parts), reasoning: join_texts(thoughts.iter().flatten()) })
    }
}

/// The parts of a content; a text by itself is one. What they think is not read here, so that no server sets the depth.
fn read_parts(content: &RawValue) -> serde_json::Result<Vec<FramePart<'_>>> {
    match content.get().starts_with('[') {
        true => serde_json::from_str(content.get()),
        false => Ok(vec![FramePart { text: serde_json::from_str(content.get())?, thinking: None }]),
    }
}

fn join_texts<'p, 'f: 'p>(parts: impl IntoIterator<Item = &'p FramePart<'f>>) -> FrameText<'f> {
    let text: String = parts.into_iter().filter_map(|part| part.text.as_text()).collect();
    FrameText(Some(text.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_none_and_spoils_nothing() {
        for (json, text, reasoning) in [
            (r#""plain""#, Some("plain"), None),
            (r#""with \"escapes\"""#, Some("with \"escapes\""), None),
            ("null", None, None),
            ("5", None, None),
            (r#"{"a":[1]}"#, None, None),
            (r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#, Some("ab"), None),
            (
                r#"[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]"#,
                Some("a"),
                Some("hm"),
            ),
        ] {
            let content: FrameContent<'_> = serde_json::from_str(json).unwrap();
            assert_eq!((content.text.as_text(), content.reasoning.as_text()), (text, reasoning), "{json}");
        }
        let text: FrameText<'_> = serde_json::from_str(r#"["a", {"b": 1}]"#).unwrap();
        assert_eq!(text.as_text(), None);
        for broken in [r#""costs 5 \ud83d""#, r#"[{"type":"text","text":"costs 5 \ud83d"}]"#] {
            assert!(serde_json::from_str::<FrameContent<'_>>(broken).is_err(), "half a character: {broken}");
        }
        let borrowed: FrameText<'_> = serde_json::from_str(r#""plain""#).unwrap();
        assert!(matches!(borrowed.0, Some(Cow::Borrowed(_))), "nothing is copied");
    }
}
