//! The identity of a duel: two participants with the same document and topic join the same duel.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use agon_text::topic_slug;
use serde_json::json;

use super::DuelError;

/// Longest stem of an artifact's file name, in bytes: with date and number it stays a name that file
/// systems take.
const STEM_MAX: usize = 200;

/// The document of a duel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Where it is, links followed.
    pub path: String,
    /// What no two active duels share.
    pub key: String,
}

/// The duel that a participant asks to join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The document.
    pub target: Target,
    /// What it is about; only with a folder for artifacts.
    pub topic: Option<String>,
    /// The topic as a part of file names.
    pub slug: Option<String>,
    folder: Option<PathBuf>,
}

impl Target {
    /// The document at `path`, which must be an absolute path of a readable Markdown file.
    pub fn from_path(path: &str) -> Result<Self, DuelError> {
        let refuse = |why: String| Err(DuelError::Refused(why));
        let place = Path::new(path);
        if !place.is_absolute() {
            return refuse(format!("Target path must be absolute: {path}"));
        }
        let end = place.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
        if end != "md" && end != "markdown" {
            return refuse(format!("Target path must be a Markdown file: {path}"));
        }
        if let Err(error) = File::open(place) {
            return refuse(describe_unreadable(&error, path));
        }
        if !place.is_file() {
            return refuse(format!("Target path must be a file: {path}"));
        }
        match place.canonicalize() {
            Ok(place) => {
                let path = place.to_string_lossy().into_owned();
                Ok(Self { key: path.clone(), path })
            }
            Err(error) => refuse(describe_unreadable(&error, path)),
        }
    }

    /// The same document under a topic.
    pub fn with_topic(self, topic: &str) -> Self {
        Self { key: json!([self.path, topic_slug(topic)]).to_string(), ..self }
    }
}

/// As the source system's runtime says it.
fn describe_unreadable(error: &io::Error, path: &str) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("ENOENT: no such file or directory, access '{path}'"),
        io::ErrorKind::PermissionDenied => format!("EACCES: permission denied, access '{path}'"),
        _ => format!("{error}, access '{path}'"),
    }
}

impl Identity {
    /// The duel over `target`; with a folder for its artifact also by topic, which is the document's
    /// name where it is blank. The folder is made where there is none.
    pub fn new(target: Target, topic: Option<&str>, folder: Option<&str>) -> Result<Self, DuelError> {
        let Some(folder) = folder.filter(|folder| !folder.is_empty()) else {
            return Ok(Self { target, topic: None, slug: None, folder: None });
        };
        let refuse = |why: String| DuelError::Refused(why);
        if !Path::new(folder).is_absolute() {
            return Err(refuse(format!("Debate directory must be absolute: {folder}")));
        }
        let made = fs::create_dir_all(folder).and_then(|()| Path::new(folder).canonicalize());
        let place = made.map_err(|error| refuse(format!("Debate directory cannot be used: {folder}: {error}")))?;
        let stem = Path::new(&target.path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let topic = topic.map(str::trim).filter(|topic| !topic.is_empty()).map_or(stem, str::to_owned);
        let slug = Some(topic_slug(&topic));
        Ok(Self { target: target.with_topic(&topic), topic: Some(topic), slug, folder: Some(place) })
    }

    /// Where a new artifact is written: the first name that is not `taken`.
    pub(super) fn choose_artifact_path(&self, today: &str, taken: impl Fn(&Path) -> bool) -> Option<String> {
        let (folder, slug) = (self.folder.as_ref()?, self.slug.as_ref()?);
        let stem = slug.get(..STEM_MAX).unwrap_or(slug);
        let name = |number: u32| match number {
            1 => folder.join(format!("{today}-{stem}.md")),
            _ => folder.join(format!("{today}-{stem}-{number}.md")),
        };
        let free = (1..).map(name).find(|path| !taken(path))?;
        Some(free.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_a_compact_list_of_path_and_slug() {
        let target = Target { path: "/a \"b\"/x.md".into(), key: String::new() };
        assert_eq!(
            target.with_topic("Größe").key,
            r#"["/a \"b\"/x.md","große"]"#.replace("große", &topic_slug("Größe"))
        );
    }

    #[test]
    fn a_target_that_cannot_be_read_has_the_runtime_s_message() {
        let says = |kind: io::ErrorKind| describe_unreadable(&kind.into(), "/x.md");
        assert_eq!(says(io::ErrorKind::PermissionDenied), "EACCES: permission denied, access '/x.md'");
        assert_eq!(says(io::ErrorKind::NotFound), "ENOENT: no such file or directory, access '/x.md'");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.md");
        fs::write(&path, "# X").unwrap();
        let below = path.join("y.md");
        let refused = Target::from_path(&below.to_string_lossy()).unwrap_err().to_string();
        assert!(refused.contains("access '") && refused.contains("y.md"), "{refused}");
    }

    #[test]
    fn names_that_are_taken_get_a_number_and_long_ones_stay_names() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("x.md");
        fs::write(&source, "# X").unwrap();
        let target = Target::from_path(&source.to_string_lossy()).unwrap();
        let identity = Identity::new(target.clone(), Some(" T "), folder.path().to_str()).unwrap();
        assert_eq!(identity.topic.as_deref(), Some("T"));
        let artifact = |taken: &[&str]| {
            let path = identity
                .choose_artifact_path("2026-01-31", |path| taken.iter().any(|name| path.ends_with(name)))
                .unwrap();
            Path::new(&path).file_name().unwrap().to_string_lossy().into_owned()
        };
        assert_eq!(artifact(&[]), "2026-01-31-t.md");
        assert_eq!(artifact(&["2026-01-31-t.md", "2026-01-31-t-2.md"]), "2026-01-31-t-3.md");
        let long = Identity::new(target, Some(&"word ".repeat(400)), folder.path().to_str()).unwrap();
        let path = long.choose_artifact_path("2026-01-31", |_| false).unwrap();
        fs::write(&path, "it can be written").unwrap();
    }
}
