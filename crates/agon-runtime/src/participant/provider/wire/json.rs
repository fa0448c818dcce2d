//! Parts of frames, borrowed where JSON has no escapes. Servers write null, numbers or lists where others write text:
//! anything else than a text counts as none, and does not spoil the frame.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// A text, if it is one.
#[derive(Debug, Default, Clone)]
pub(super) struct FrameText<'f>(Option<Cow<'f, str>>);

impl FrameText<'_> {
    /// The text, where it is one and not empty.
    pub fn as_text(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }
}

/// The content of a message: a text, or parts of which some are thinking.
#[derive(Debug, Default, Clone)]
pub(super) struct FrameContent<'f> {
    pub text: FrameText<'f>,
    pub reasoning: FrameText<'f>,
}

/// A part of a content.
#[derive(Deserialize)]
struct FramePart<'f> {
    #[serde(borrow, default)]
    text: FrameText<'f>,
    #[serde(borrow, default)]
    thinking: FrameContent<'f>,
}

/// Visits everything else than a text, and gives none.
macro_rules! ignore_all_but_text {
    () => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
            while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = FrameText<'de>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(FrameText(Some(Cow::Borrowed(text))))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(FrameText(Some(Cow::Owned(text.to_owned()))))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(FrameText::default())
    }
    ignore_all_but_text!();
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = FrameContent<'de>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of parts")
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(FrameContent { text: FrameText(Some(Cow::Borrowed(text))), ..FrameContent::default() })
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(FrameContent { text: FrameText(Some(Cow::Owned(text.to_owned()))), ..FrameContent::default() })
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let (mut text, mut reasoning) = (String::new(), String::new());
        while let Some(part) = parts.next_element::<FramePart<'de>>()? {
            text += part.text.as_text().unwrap_or_default();
            reasoning += part.thinking.text.as_text().unwrap_or_default();
        }
        let owned = |text: String| FrameText(Some(Cow::Owned(text)));
        Ok(FrameContent { text: owned(text), reasoning: owned(reasoning) })
    }
    ignore_all_but_text!();
}

impl<'de: 'f, 'f> Deserialize<'de> for FrameText<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

impl<'de: 'f, 'f> Deserialize<'de> for FrameContent<'f> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
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
        let borrowed: FrameText<'_> = serde_json::from_str(r#""plain""#).unwrap();
        assert!(matches!(borrowed.0, Some(Cow::Borrowed(_))), "nothing is copied");
    }
}
