//! Files in a working copy that agon itself wrote, so that they do not count as changes of its user: what a record draws
//! next to itself, and installed skills.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use agon_report::record_jsonl;

use crate::output_folder::OWN;

/// What the last line of an installed text contains, before the version.
pub const INSTALLED: &str = "installed by agon ";
/// The file name of an installed skill.
const SKILL: &str = "SKILL.md";
/// The file name of a record.
const RECORD: &str = "record.jsonl";

/// Knows agon's own files by the records that lie with them; each record is read once.
#[derive(Debug, Default)]
pub struct OwnFiles {
    by_folder: RefCell<BTreeMap<PathBuf, BTreeSet<PathBuf>>>,
}

impl OwnFiles {
    /// Whether agon wrote the file at `path`.
    pub fn has_file(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|folder| self.is_drawn_in(folder, path)) || is_skill(path)
    }

    /// Whether the record in `folder` draws the file at `path`.
    fn is_drawn_in(&self, folder: &Path, path: &Path) -> bool {
        let mut by_folder = self.by_folder.borrow_mut();
        by_folder.entry(folder.to_owned()).or_insert_with(|| drawn_in(folder)).contains(path)
    }
}

/// The files that the record in `folder` draws; none without one.
fn drawn_in(folder: &Path) -> BTreeSet<PathBuf> {
    let read = fs::read(folder.join(RECORD)).ok().and_then(|bytes| record_jsonl::read_record(bytes).ok());
    let Some((record, _)) = read else { return BTreeSet::new() };
    let is_shared = record.opened().options.get("track") == Some(&true.into());
    let paths = agon_report::render_debate_files(&record, None).into_iter().map(|file| file.path);
    let names = paths.chain([RECORD.to_owned()]);
    // A shared folder holds texts that people work on, with the same names as drawn ones.
    let names = names.filter(|name| !is_shared || OWN.contains(&name.as_str()));
    names.map(|name| folder.join(name)).collect()
}

/// Whether the file is a skill that agon installed.
fn is_skill(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| name == SKILL);
    let text = || fs::read_to_string(path).unwrap_or_default();
    is_named && text().trim_end().lines().next_back().is_some_and(|line| line.contains(INSTALLED))
}

#[cfg(test)]
mod tests {
    use agon_core::{Digest, Record, Stamp, sample};

    use super::*;

    #[test]
    fn what_a_record_draws_next_to_itself_is_agon_s_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "shared", "other"] {
            fs::create_dir(at(name)).unwrap();
        }
        let texts = BTreeMap::from([(Digest::from_content(""), String::new())]);
        let write = |folder: &str, track: bool| {
            let mut opened = sample::opened_for(agon_protocols::find_protocol("exchange").unwrap().manifest());
            opened.options.insert("track".into(), track.into());
            let record = Record::open(opened, Stamp("2026-01-31T00:00:00.000Z".into())).unwrap();
            fs::write(at(folder).join(RECORD), record_jsonl::write_record(&record, &texts)).unwrap();
        };
        write("a", false);
        write("shared", true);
        fs::write(at("other/record.jsonl"), "{}\n").unwrap();
        fs::write(at("other/SKILL.md"), "# Mine\n").unwrap();
        fs::write(at("a/SKILL.md"), format!("# Skill\n\n<!-- {INSTALLED}1.0 sha256:x -->\n")).unwrap();
        let own = OwnFiles::default();
        for (name, is_own) in [
            ("a/record.jsonl", true),
            ("a/transcript.md", true),
            ("a/report.html", true),
            ("a/SKILL.md", true),
            ("a/notes.md", false),
            ("a/below/record.jsonl", false),
            ("shared/record.jsonl", true),
            ("shared/report.html", true),
            ("shared/debate.md", false),
            ("other/record.jsonl", false),
            ("other/SKILL.md", false),
            ("record.jsonl", false),
        ] {
            assert_eq!(own.has_file(&at(name)), is_own, "{name}");
        }
    }
}
