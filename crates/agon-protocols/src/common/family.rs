//! Families of models: models with similar training make similar mistakes.

/// A family: its name, what the names of its models hold, and what these models call themselves and who makes them.
type ModelFamily = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The more special comes first.
const FAMILIES: [ModelFamily; 17] = [
    ("Claude", &["claude"], &["Claude", "Anthropic"]),
    ("GPT", &["codex", "chatgpt", "gpt"], &["ChatGPT", "GPT", "Codex", "OpenAI"]),
    ("Gemini", &["gemini", "gemma"], &["Gemini", "Gemma", "Google DeepMind", "DeepMind"]),
    ("DeepSeek", &["deepseek"], &["DeepSeek"]),
    ("Qwen", &["qwen", "qwq"], &["Qwen", "QwQ", "Tongyi", "Alibaba"]),
    (
        "Mistral",
        &["mixtral", "ministral", "codestral", "devstral", "magistral", "mistral"],
        &["Mistral", "Mixtral", "Ministral", "Codestral", "Devstral", "Magistral"],
    ),
    ("SmolLM", &["smollm"], &["SmolLM", "Hugging Face"]),
    ("Llama", &["llama"], &["Llama", "Meta AI"]),
    ("Phi", &["phi"], &["Phi-2", "Phi-3", "Phi-4"]),
    ("Grok", &["grok"], &["Grok", "xAI"]),
    ("Command", &["command-r"], &["Command R", "Cohere"]),
    ("Granite", &["granite"], &[]),
    ("OLMo", &["olmo"], &[]),
    ("Kimi", &["kimi"], &["Kimi", "Moonshot"]),
    ("GLM", &["glm"], &["GLM", "Zhipu"]),
    ("Nova", &["nova"], &[]),
    ("Falcon", &["falcon"], &[]),
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
    let known = FAMILIES.iter().find(|(_, parts, _)| parts.iter().any(|part| name.contains(part)));
    let mut chars = name.chars();
    let reasoning = chars.next() == Some('o') && chars.next().is_some_and(|c| c.is_ascii_digit());
    known.map(|(family, ..)| *family).or(reasoning.then_some("GPT"))
}

/// The names that a model of this kind calls itself and its maker by; none where its family is not known.
pub fn self_names(model: &str) -> &'static [&'static str] {
    let known = model_family(model).and_then(|family| FAMILIES.iter().find(|(known, ..)| *known == family));
    known.map_or(&[], |(.., names)| names)
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
