//! The faults that the mock can produce, by name.

use std::{str::FromStr, time::Duration};

use axum::http::StatusCode;
use serde::{
    Deserialize,
    de::{IntoDeserializer, value::Error},
};

/// One way to fail. Written `name`, `name:argument` or `name:argument:argument` on the command line.
#[derive(Debug, Clone, PartialEq, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum MockFault {
    /// `status:503`, `status:429:7`: a status, and what `Retry-After` says.
    #[serde(skip)]
    Status(StatusCode, Option<String>),
    /// `says:400:TEXT`: a status with this error message.
    #[serde(skip)]
    Says(StatusCode, String),
    /// `quota`: 429 that waiting does not help.
    Quota,
    /// `unauthorized`: 401 that quotes the key it got.
    Unauthorized,
    /// `html`: 502 with a page of markup.
    Html,
    /// `page`: 200 with a page of markup, as the sign-in page of a network.
    Page,
    /// `redirect:URL`: 307 to somewhere else.
    #[serde(skip)]
    Redirect(String),
    /// `huge-error`: 500 with a body of 10 MB.
    HugeError,
    /// `endless-error`: 500 with a body that never ends.
    EndlessError,
    /// `endless-line`: a stream without the end of even one event.
    EndlessLine,
    /// `refuses-schema`: 400 about the schema field while one is sent, else a reply.
    RefusesSchema,
    /// `refuses-field:NAME`: 400 about this field while it is sent, else a reply.
    #[serde(skip)]
    RefusesField(String),
    /// `hang`: takes the request and sends nothing.
    Hang,
    /// `headers-only`: sends the headers and then nothing.
    HeadersOnly,
    /// `pings-only`: keep-alives for ever.
    PingsOnly,
    /// `stall:N`: N pieces of the reply, then keep-alives for ever.
    #[serde(skip)]
    Stall(usize),
    /// `drip:MILLISECONDS`: that long between the pieces of the reply.
    #[serde(skip)]
    Drip(Duration),
    /// `cut:N`: the connection breaks after N pieces.
    #[serde(skip)]
    Cut(usize),
    /// `short:N`: the stream ends after N pieces as if it were complete.
    #[serde(skip)]
    Short(usize),
    /// `error-event:TYPE`: two pieces, then an error of this type.
    #[serde(skip)]
    ErrorEvent(String),
    /// `max-tokens`: cut at the limit.
    MaxTokens,
    /// `refusal`: the model declines.
    Refusal,
    /// `filter`: a content filter cut the reply.
    Filter,
    /// `malformed`: JSON that breaks off.
    Malformed,
    /// `fenced`: the reply within a Markdown fence.
    Fenced,
    /// `wrong-schema`: valid JSON, other fields.
    WrongSchema,
    /// `empty`: no text.
    Empty,
    /// `null`: null where the text should be.
    Null,
    /// `wrong-type`: a number where the text should be.
    WrongType,
    /// `invalid-utf8`: bytes that are not text.
    InvalidUtf8,
    /// `nul`: a NUL in the text.
    Nul,
    /// `not-json`: a piece that is not JSON.
    NotJson,
    /// `large:BYTES`: a reply of this many bytes in pieces.
    #[serde(skip)]
    Large(usize),
    /// `one-piece:BYTES`: the same in a single piece.
    #[serde(skip)]
    OnePiece(usize),
    /// `endless`: a reply that never ends.
    Endless,
    /// `endless-pings`: keep-alives without pause.
    EndlessPings,
    /// `gzip-bomb`: 50 MB of nothing, compressed, whether asked for or not.
    GzipBomb,
    /// `missing-usage`: a reply without token counts.
    MissingUsage,
    /// `absurd-usage`: a reply that claims to have taken more tokens than there are.
    AbsurdUsage,
}

impl FromStr for MockFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let status = |code: &str| code.parse::<StatusCode>().map_err(|error| format!("{text}: {error}"));
        let (first, second) = rest.split_once(':').unwrap_or((rest, ""));
        let number = || rest.parse::<usize>().map_err(|error| format!("{text}: {error}"));
        Ok(match name {
            "status" => Self::Status(status(first)?, (!second.is_empty()).then(|| second.to_owned())),
            "says" => Self::Says(status(first)?, second.to_owned()),
            "redirect" => Self::Redirect(rest.to_owned()),
            "refuses-field" => Self::RefusesField(rest.to_owned()),
            "stall" => Self::Stall(number()?),
            "drip" => Self::Drip(Duration::from_millis(number()? as u64)),
            "cut" => Self::Cut(number()?),
            "short" => Self::Short(number()?),
            "error-event" => Self::ErrorEvent(rest.to_owned()),
            "large" => Self::Large(number()?),
            "one-piece" => Self::OnePiece(number()?),
            _ => {
                Self::deserialize(name.into_deserializer()).map_err(|_: Error| format!("no fault is named {name:?}"))?
            }
        })
    }
}
