//! Families of models: models with similar training make similar mistakes.

/// What a name holds, and the family that this says. The more special comes first.
const FAMILIES: [(&str, &str); 26] = [
    ("claude", "Claude"),
    ("codex", "GPT"),
    ("chatgpt", "GPT"),
    ("gpt", "GPT"),
    ("gemini", "Gemini"),
    ("gemma", "Gemini"),
    ("deepseek", "DeepSeek"),
    ("qwen", "Qwen"),
    ("qwq", "Qwen"),
    ("mixtral", "Mistral"),
    ("ministral", "Mistral"),
    ("codestral", "Mistral"),
    ("devstral", "Mistral"),
    ("magistral", "Mistral"),
    ("mistral", "Mistral"),
    ("smollm", "SmolLM"),
    ("llama", "Llama"),
    ("phi", "Phi"),
    ("grok", "Grok"),
    ("command-r", "Command"),
    ("granite", "Granite"),
    ("olmo", "OLMo"),
    ("kimi", "Kimi"),
    ("glm", "GLM"),
    ("nova", "Nova"),
    ("falcon", "Falcon"),
];

/// The family of a model, by the name that a user or a provider gives it (`openai:gpt-5`,
/// `ollama:org/qwen3:8b`); `None` where the name tells none.
pub fn model_family(model: &str) -> Option<&'static str> {
    if model.starts_with("scripted:") || model.starts_with("recorded:") {
        return None;
    }
    let name = model.to_lowercase();
    // A provider's name does not name a model: the text after it does.
    let name = name.split_once(':').map_or(name.as_str(), |(_, name)| name);
    let name = name.rsplit('/').next().unwrap_or(name);
    let known = FAMILIES.iter().find(|(part, _)| name.contains(part)).map(|(_, family)| *family);
    let mut chars = name.chars();
    let reasoning = chars.next() == Some('o') && chars.next().is_some_and(|c| c.is_ascii_digit());
    known.or(reasoning.then_some("GPT"))
}

/// What models of a family call themselves, and who makes them: names that tell who speaks.
const SELF_NAMES: [(&str, &[&str]); 13] = [
    ("Claude", &["Claude", "Anthropic"]),
    ("GPT", &["ChatGPT", "GPT", "Codex", "OpenAI"]),
    ("Gemini", &["Gemini", "Gemma", "Google DeepMind", "DeepMind"]),
    ("DeepSeek", &["DeepSeek"]),
    ("Qwen", &["Qwen", "QwQ", "Tongyi", "Alibaba"]),
    ("Mistral", &["Mistral", "Mixtral", "Ministral", "Codestral", "Devstral", "Magistral"]),
    ("SmolLM", &["SmolLM", "Hugging Face"]),
    ("Llama", &["Llama", "Meta AI"]),
    ("Phi", &["Phi-2", "Phi-3", "Phi-4"]),
    ("Grok", &["Grok", "xAI"]),
    ("Command", &["Command R", "Cohere"]),
    ("Kimi", &["Kimi", "Moonshot"]),
    ("GLM", &["GLM", "Zhipu"]),
];

/// The names that a model of this kind calls itself and its maker by; none where its family is not known.
pub fn self_names(model: &str) -> &'static [&'static str] {
    let known = model_family(model).and_then(|family| SELF_NAMES.iter().find(|(known, _)| *known == family));
    known.map_or(&[], |(_, names)| names)
}

#[cfg(test)]
mod tests {
    use super::model_family;

    #[test]
    fn names_tell_families() {
        for (model, wanted) in [
            ("anthropic:claude-sonnet-4-5", Some("Claude")),
            ("cli:claude", Some("Claude")),
            ("openai:o3-mini", Some("GPT")),
            ("cli:codex", Some("GPT")),
            ("ollama:llama3.2", Some("Llama")),
            ("ollama:qwen3:8b", Some("Qwen")),
            ("lab:meta-llama/Llama-3-8b", Some("Llama")),
            ("lab:deepseek-r1-distill-qwen", Some("DeepSeek")),
            ("local:smollm2-135m", Some("SmolLM")),
            ("scripted:claude.json", None),
            ("local", None),
            ("lab:other", None),
        ] {
            assert_eq!(model_family(model), wanted, "{model}");
        }
    }
}
