//! The layers of templates: embedded, the user's, the project's; the last one wins.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use agon_core::Protocol;
use serde::Serialize;

/// Largest template file, in bytes.
const TEMPLATE_BYTES_MAX: u64 = 256 * 1024;

/// The origin of a template. Later layers override earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Layer {
    /// Shipped with agon.
    Embedded,
    /// The user's configuration folder.
    User,
    /// The project's `.agon` folder.
    Project,
}

/// A template and the layer that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its text.
    pub text: String,
    /// Its layer.
    pub layer: Layer,
}

/// The folders that hold a user's and a project's own templates.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// `<configuration>/prompts`.
    pub user: Option<PathBuf>,
    /// `.agon/prompts` of the project.
    pub project: Option<PathBuf>,
}

impl Layers {
    /// The templates of a protocol. A file that cannot be read is an error, never skipped.
    pub fn resolve_templates(&self, protocol: &dyn Protocol) -> io::Result<BTreeMap<String, Template>> {
        let mut templates = BTreeMap::new();
        for (name, text) in protocol.prompt_templates() {
            let mut template = Template { text: (*text).to_owned(), layer: Layer::Embedded };
            for (layer, root) in [(Layer::User, &self.user), (Layer::Project, &self.project)] {
                let Some(root) = root else { continue };
                if let Some(text) = read_template(&template_path(root, protocol.name(), name))? {
                    template = Template { text, layer };
                }
            }
            templates.insert((*name).to_owned(), template);
        }
        Ok(templates)
    }
}

/// Where a layer keeps a template.
pub fn template_path(root: &Path, protocol: &str, name: &str) -> PathBuf {
    root.join(protocol).join(format!("{name}.md"))
}

fn read_template(path: &Path) -> io::Result<Option<String>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(named(error)),
        Ok(file) if file.len() > TEMPLATE_BYTES_MAX => {
            Err(named(io::Error::other(format!("a template has at most {TEMPLATE_BYTES_MAX} bytes"))))
        }
        Ok(_) => std::fs::read_to_string(path).map(Some).map_err(named),
    }
}
