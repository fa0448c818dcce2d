//! What a model is asked with, where a seat wants it otherwise than its prompt: as part of the model's name,
//! `openai:gpt-5?effort=high&tokens=8000`, so that records, resumes and every interface carry it.

use serde::{Deserialize, Serialize};

/// Fewest and most tokens of an answer that can be wanted.
const TOKENS_MIN: u32 = 16;
const TOKENS_MAX: u32 = 200_000;
/// Highest temperature.
const TEMPERATURE_MAX: f32 = 2.0;

/// How long a model may think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as it can.
    Minimal,
    /// Little.
    Low,
    /// As it usually does.
    Medium,
    /// Long.
    High,
}

/// What a seat wants otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Settings {
    /// The sampling temperature.
    pub temperature: Option<f32>,
    /// How long to think.
    pub effort: Option<Effort>,
    /// Most tokens of an answer, thinking included.
    pub tokens_max: Option<u32>,
}

impl Settings {
    /// The name of a model, and the settings that follow it after `?`.
    ///
    /// # Errors
    ///
    /// Which setting cannot be meant, and what can.
    pub fn split_model_name(name: &str) -> Result<(&str, Self), String> {
        let Some((model, text)) = name.split_once('?') else { return Ok((name, Self::default())) };
        let mut settings = Self::default();
        for part in text.split('&') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let is_first = match key {
                "temperature" => set_once(&mut settings.temperature, parse_temperature(value)),
                "effort" => set_once(&mut settings.effort, parse_effort(value)),
                "tokens" => set_once(&mut settings.tokens_max, parse_tokens(value)),
                _ => return Err(format!("{part:?}: settings are temperature=, effort= and tokens=, joined by &")),
            };
            if !is_first.map_err(|wanted| format!("{key}={value}: {wanted}"))? {
                return Err(format!("{key} is given twice"));
            }
        }
        Ok((model, settings))
    }
}

/// Sets a field; whether it was not set before. What is wanted, where there is no value.
fn set_once<T>(field: &mut Option<T>, value: Result<T, &'static str>) -> Result<bool, &'static str> {
    Ok(field.replace(value?).is_none())
}

fn parse_temperature(text: &str) -> Result<f32, &'static str> {
    let number = text.parse().ok().filter(|number| (0.0..=TEMPERATURE_MAX).contains(number));
    number.ok_or("a temperature is a number from 0 to 2")
}

fn parse_effort(text: &str) -> Result<Effort, &'static str> {
    text.parse().map_err(|_| "an effort is none, minimal, low, medium or high")
}

fn parse_tokens(text: &str) -> Result<u32, &'static str> {
    let tokens = text.parse().ok().filter(|tokens| (TOKENS_MIN..=TOKENS_MAX).contains(tokens));
    tokens.ok_or("the tokens of an answer are a number from 16 to 200000")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_follow_the_name_of_a_model() {
        let all = Settings { temperature: Some(0.2), effort: Some(Effort::High), tokens_max: Some(8000) };
        assert_eq!(Settings::split_model_name("gpt-5?effort=high&temperature=0.2&tokens=8000"), Ok(("gpt-5", all)));
        assert_eq!(Settings::split_model_name("a/b:c"), Ok(("a/b:c", Settings::default())));
        for (wrong, says) in [
            ("m?temperature=2.1", "from 0 to 2"),
            ("m?temperature=nan", "from 0 to 2"),
            ("m?effort=huge", "minimal"),
            ("m?tokens=0", "from 16"),
            ("m?tokens=", "from 16"),
            ("m?top_p=1", "settings are"),
            ("m?", "settings are"),
            ("m?effort=low&effort=high", "twice"),
        ] {
            let error = Settings::split_model_name(wrong).expect_err(wrong);
            assert!(error.contains(says), "{wrong}: {error}");
        }
        assert_eq!(Effort::Minimal.to_string(), "minimal");
    }
}
