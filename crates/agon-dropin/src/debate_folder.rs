//! A folder of the exchange format, read as its own program reads it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use agon_report::exchange::{diagram::Node, frontmatter::Document, scores::ScoreFile};
use agon_runtime::files::FileError;

use super::{VerbResponse, describe_io_error};

/// Folder of the arguments.
pub const ARGUMENTS: &str = "arguments";

/// Why nothing was done.
pub enum FolderError {
    /// What the source system reports as an exception: what was handed in stays.
    Exception(String),
    /// A rule was broken: what was handed in is removed when that has been said.
    Refused { said: VerbResponse, inputs: Vec<PathBuf> },
}

impl From<String> for FolderError {
    fn from(why: String) -> Self {
        FolderError::Exception(why)
    }
}

impl From<FileError> for FolderError {
    fn from(error: FileError) -> Self {
        FolderError::Exception(describe_io_error(&error.source, &error.path))
    }
}

/// The arguments of a folder, as the graph shows them, in the order of their files.
pub fn read_arguments(root: &Path) -> Result<Vec<Node>, FolderError> {
    let entries = match fs::read_dir(root.join(ARGUMENTS)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FolderError::Exception(describe_io_error(&error, &root.join(ARGUMENTS)))),
    };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    paths.sort();
    let argument = |path: &PathBuf| {
        let mut node = Node::from_frontmatter(&read_document(path)?);
        if node.id.is_empty() {
            node.id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        Ok(node)
    };
    paths.iter().map(argument).collect()
}

/// The scores; none where nothing has been scored.
pub fn score_file(path: &Path) -> Result<ScoreFile, FolderError> {
    match fs::read(path) {
        Ok(bytes) => {
            Ok(ScoreFile::parse(&text_of(bytes, path)?).map_err(|error| format!("{}: {error}", path.display()))?)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ScoreFile::default()),
        Err(error) => Err(FolderError::Exception(describe_io_error(&error, path))),
    }
}

/// A file with frontmatter.
pub fn read_document(path: &Path) -> Result<Document, FolderError> {
    let bytes = fs::read(path).map_err(|error| describe_io_error(&error, path))?;
    Document::parse(&text_of(bytes, path)?).map_err(|error| FolderError::Exception(error.to_string()))
}

/// A text as Python reads it: every line break is a newline.
pub fn text_of(bytes: Vec<u8>, path: &Path) -> Result<String, FolderError> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        FolderError::Exception(format!("'utf-8' codec can't decode byte in position {at}: {}", path.display()))
    })?;
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}
