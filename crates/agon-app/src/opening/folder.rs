//! A debate's id, its seed, and the folder of its files.

use std::{
    io::ErrorKind,
    path::{Component, Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use agon_core::{DebateId, Digest, Opened};
use agon_report::slug;
use agon_runtime::files::{FileError, check_writable, is_free};

use crate::failure::{Failure, Result};

/// How often a folder that others removed is made again.
const TRIES_MAX: u32 = 10;

/// The id that was given, or one that sorts by time and is taken by nobody else.
pub fn choose_debate_id(given: Option<&str>) -> Result<DebateId> {
    let id = match given {
        Some(given) => given.to_owned(),
        None => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let noise = Digest::from_content(format!("{since:?}{}", std::process::id()));
            format!("{}-{}", format_base36(since.as_millis() as u64, 9), &noise.as_str()[..6])
        }
    };
    DebateId::new(id).map_err(|error| Failure::usage(error.to_string(), "choose another --id, or omit it"))
}

/// The debate that someone names.
pub fn debate_id(text: &str) -> Result<DebateId> {
    DebateId::new(text).map_err(|error| Failure::usage(error.to_string(), "agon list shows the debates"))
}

fn format_base36(mut n: u64, width: usize) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = vec![b'0'; width];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(n % 36) as usize];
        n /= 36;
    }
    String::from_utf8_lossy(&digits).into_owned()
}

/// The seed that follows from the id: the same id and replies give the same prompts and files.
pub fn derive_seed(id: &DebateId) -> u64 {
    u64::from_str_radix(&Digest::from_content(id.as_str()).as_str()[..12], 16).unwrap_or(1)
}

/// Says in a debate whose configuration names its folder which one that is. Programs of the source system
/// find the log by it, from the folder that the debate was opened in.
pub fn name_folder(opened: &mut Opened, folder: &Path) {
    if let Some(option) = agon_report::find_format(&opened.protocol).and_then(|format| format.folder_option) {
        let here = std::env::current_dir().unwrap_or_default();
        opened.options.insert(option.into(), relative_path(folder, &here).into());
    }
}

/// `folder` as it is found from `here`. The file is handed on, and a path from the root is this machine's own.
fn relative_path(folder: &Path, here: &Path) -> String {
    let common = folder.components().zip(here.components()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return folder.display().to_string();
    }
    let up = here.components().skip(common).map(|_| Component::ParentDir);
    up.chain(folder.components().skip(common)).collect::<PathBuf>().display().to_string()
}

/// The folder of a debate's files, made for it; whatever was made for a debate that is not opened
/// after all is removed again.
#[derive(Debug)]
pub struct Folder {
    /// Where.
    pub path: PathBuf,
    made: Vec<PathBuf>,
    /// Its name, where it is another than the motion gives.
    renamed: Option<String>,
}

impl Folder {
    /// Takes what was named, if it is free, or `debates/<slug>` here. A folder of a slug is taken by
    /// making it, so that two debates never share one.
    pub fn reserve(given: Option<&Path>, motion: &str, id: &DebateId) -> Result<Self> {
        if let Some(given) = given {
            if given.is_file() {
                return Err(Failure::usage(
                    format!("--out {}: it is a file", given.display()),
                    "name a folder that is empty or does not exist",
                ));
            }
            if !is_free(given)? {
                return Err(Failure::usage(
                    format!("--out {}: it exists and is not empty", given.display()),
                    "name a folder that is empty or does not exist",
                ));
            }
            let path = absolute_path(given)?;
            let made = path.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
            check_writable(&path)?;
            return Ok(Self { path, made, renamed: None });
        }
        let debates = absolute_path(Path::new("debates"))?;
        let mut made: Vec<PathBuf> = if debates.exists() { Vec::new() } else { vec![debates.clone()] };
        // Whether something can be written there is seen by the debate's own folder.
        std::fs::create_dir_all(&debates).map_err(FileError::at_path(&debates))?;
        let slug = slug::of_motion(motion, id);
        let (mut number, mut tries) = (1, 0);
        loop {
            let renamed = (number > 1).then(|| format!("{slug}-{number}"));
            let path = debates.join(renamed.as_ref().unwrap_or(&slug));
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    made.insert(0, path.clone());
                    return Ok(Self { path, made, renamed });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                // Another debate, which is not opened after all, has removed the empty folder meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound && tries < TRIES_MAX => {
                    tries += 1;
                    std::fs::create_dir_all(&debates).map_err(FileError::at_path(&debates))?;
                    made = vec![debates.clone()];
                }
                Err(error) => {
                    return Err(Failure::io(format!("{}: {error}", path.display()), "name another folder with --out"));
                }
            }
        }
    }

    /// A folder that others use too: files of this debate go next to theirs.
    pub fn open_shared(path: PathBuf) -> Result<Self> {
        check_writable(&path)?;
        Ok(Self { path, made: Vec::new(), renamed: None })
    }

    /// Has the debate be called after its folder.
    pub fn record_name(&self, opened: &mut Opened) {
        opened.options.remove(slug::OPTION);
        opened.options.extend(self.renamed.as_ref().map(|name| (slug::OPTION.to_owned(), name.as_str().into())));
    }

    /// Removes what was made; never what was there before, and never what is not empty.
    pub fn give_back(&self) {
        for folder in &self.made {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn absolute_path(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path)
        .map_err(|error| Failure::io(format!("{}: {error}", path.display()), "name another folder with --out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_from_where_the_debate_was_opened() {
        let named = |folder: &str| super::relative_path(Path::new(folder), Path::new("/home/ada/town"));
        assert_eq!(named("/home/ada/town/debates/d1"), "debates/d1");
        assert_eq!(named("/home/ada/bus"), "../bus");
        assert_eq!(named("/tmp/d1"), "../../../tmp/d1");
        assert_eq!(named("d1"), "d1");
    }

    #[test]
    fn ids_sort_by_time() {
        assert!(format_base36(1_790_000_000_000, 9) < format_base36(1_790_000_000_001, 9));
        assert!(choose_debate_id(None).is_ok());
        assert!(choose_debate_id(Some("../x")).is_err());
    }
}
