//! The folder of a debate's files, and a list of what agon last wrote to it.
//!
//! Files are pictures of the record and are written again when it grows. Two things are guarded
//! nevertheless: an artifact that participants rely on (`debates/*.md`), and everything in a folder
//! that others use too. There a file that agon did not write is never overwritten: it is moved
//! aside as `NAME.changed`, and what a debate was opened with is left alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use agon_core::{DebateId, Digest, Opened, Record};
use agon_journal::{DriveLock, Journal, JournalError};
use agon_report::{companion, record_jsonl};
use agon_runtime::{
    files as disk,
    files::{FileError, Lasting},
};

use crate::{
    context::{Context, Frontend},
    failure::Failure,
    opening::track,
    output_files::FileSet,
};

/// Where an artifact is that participants rely on.
pub const ARTIFACTS: &str = "debates/";
/// The files of every debate, whatever its protocol.
pub(crate) const OWN: [&str; 5] = ["transcript.md", "report.html", "report.md", "memo.md", "record.jsonl"];
/// Option of a debate in a shared folder: the folder in it for the files of [`OWN`], where another
/// debate's are there already.
const APART: &str = "apart";

/// Every file of a debate with its place, its record included; with what `extraction` found in it.
pub fn render_all_files(
    record: &Record,
    extraction: Option<&Record>,
    texts: &BTreeMap<Digest, String>,
) -> Vec<(String, String)> {
    let mut files = render_files(record, extraction);
    files.push((path_in_folder(record.opened(), "record.jsonl"), record_jsonl::write_record(record, texts)));
    files
}

/// The files that are drawn from it.
pub fn render_files(record: &Record, extraction: Option<&Record>) -> Vec<(String, String)> {
    place_files(record, agon_report::render_debate_files(record, extraction))
}

/// Writes the files of `wanted` of a debate into the folder that it has had so far.
pub fn write_debate_files(
    journal: &Journal,
    record: &Record,
    directory: &Path,
    wanted: FileSet,
    frontend: &dyn Frontend,
) -> Result<usize, Failure> {
    let texts = journal.read_texts(record.list_text_digests())?;
    let extraction = find_extraction(journal, record)?;
    let output = OutputDir::from_record(record, extraction.as_ref(), directory).with_files(wanted);
    Ok(output.write_all_files(record, extraction.as_ref(), &texts, frontend)?)
}

/// Draws the files of a debate again where it has left any, unless the process that drives it will.
pub fn draw_again(context: &Context, id: &DebateId) -> Result<(), Failure> {
    let directory = context.journal.find_summary(id)?.and_then(|summary| summary.directory);
    let Some(directory) = directory.filter(|directory| directory.is_dir()) else { return Ok(()) };
    let Ok(_lock) = DriveLock::acquire(&context.journal, id) else { return Ok(()) };
    let record = context.journal.read_record(id)?;
    write_debate_files(&context.journal, &record, &directory, context.files, &*context.frontend).map(drop)
}

/// The newest extraction of a debate.
pub fn find_extraction(journal: &Journal, record: &Record) -> Result<Option<Record>, JournalError> {
    companion::find_extraction(record, |id| journal.find_record(id))
}

/// The files that are drawn again while the debate runs.
pub fn render_growing_files(record: &Record) -> Vec<(String, String)> {
    place_files(record, agon_report::render_growing_files(record))
}

/// The artifact of a debate that has one, with its place.
pub fn render_artifact(record: &Record) -> Option<(String, String)> {
    render_growing_files(record).into_iter().find(|(path, _)| path.starts_with(ARTIFACTS))
}

fn place_files(record: &Record, files: Vec<agon_report::File>) -> Vec<(String, String)> {
    files.into_iter().map(|file| (path_in_folder(record.opened(), &file.path), file.content)).collect()
}

/// Where a file is within the debate's folder.
pub fn path_in_folder(opened: &Opened, path: &str) -> String {
    let apart = opened.options.get(APART).and_then(|folder| folder.as_str());
    match apart.filter(|_| OWN.contains(&path)) {
        Some(folder) => format!("{folder}/{path}"),
        None => path.to_owned(),
    }
}

/// Keeps the files of every debate apart from those of another one in the shared folder `directory`.
pub fn keep_apart(opened: &mut Opened, directory: &Path) {
    if OWN.iter().any(|name| directory.join(name).exists()) {
        opened.options.insert(APART.into(), opened.debate.as_str().into());
    }
}

/// The files that a rehearsed debate in the shared folder `directory` would overwrite, though they
/// are not its own.
pub fn in_the_way(rehearsed: &Record, directory: &Path) -> Vec<String> {
    let there = render_files(rehearsed, None).into_iter().filter(|(path, _)| directory.join(path).exists());
    let output = OutputDir::new(directory.to_owned(), rehearsed.opened(), input_digests(rehearsed));
    let ours = |path: &String| output.is_input(path) || track::is_log(path);
    there.map(|(path, _)| path).filter(|path| !ours(path)).collect()
}

/// The state of the artifact on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ArtifactWrite {
    /// Someone removed it.
    Absent,
    /// It is as agon wrote it.
    Unchanged,
    /// Someone else changed it.
    Changed,
}

impl ArtifactWrite {
    /// As the witness says it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The folder with the files of one debate.
#[derive(Debug)]
pub struct OutputDir {
    directory: PathBuf,
    /// Whether others use the folder too.
    shared: bool,
    /// Digests of the texts that the debate was opened with.
    inputs: BTreeSet<Digest>,
    /// Which files are wanted.
    files: FileSet,
    state: Mutex<DirState>,
}

#[derive(Debug, Default)]
struct DirState {
    /// Digests of guarded files as agon last wrote them.
    ours: BTreeMap<String, Digest>,
    /// Whether someone else changed the artifact.
    changed: bool,
    /// Whether someone removed the artifact since it was last looked at: it may be drawn again by then.
    gone: bool,
    /// Where changes of other programs were moved to, until the user was told.
    aside: Vec<String>,
}

impl DirState {
    /// Notes as written by agon the files that are `there` as they are `drawn`.
    fn note_drawn(&mut self, drawn: Vec<(String, String)>, there: &BTreeMap<String, Digest>) {
        let drawn = drawn.into_iter().map(|(path, content)| (path, Digest::from_content(content)));
        self.ours.extend(drawn.filter(|(path, digest)| there.get(path) == Some(digest)));
    }
}

fn input_digests(record: &Record) -> BTreeSet<Digest> {
    record.opened().documents.values().cloned().collect()
}

impl OutputDir {
    /// The folder of a debate that has written nothing yet.
    pub fn new(directory: PathBuf, opened: &Opened, inputs: BTreeSet<Digest>) -> Self {
        let shared = opened.options.get("track") == Some(&true.into());
        Self { directory, shared, inputs, files: FileSet::All, state: Mutex::default() }
    }

    /// The same for the files that are wanted.
    pub fn with_files(self, files: FileSet) -> Self {
        Self { files, ..self }
    }

    /// The folder of a debate that may have written: what the record gives at any of its lengths is
    /// agon's own, since it may have been interrupted anywhere.
    pub fn from_record(record: &Record, extraction: Option<&Record>, directory: &Path) -> Self {
        let output = Self::new(directory.to_owned(), record.opened(), input_digests(record));
        if !output.shared && directory.join(ARTIFACTS).symlink_metadata().is_err() {
            // Nothing in it is guarded.
            return output;
        }
        let mut there: BTreeMap<String, Digest> = BTreeMap::new();
        for (path, _) in render_files(record, None).into_iter().filter(|(path, _)| output.is_guarded(path)) {
            there.extend(output.on_disk(&path).map(|digest| (path, digest)));
        }
        let mut state = DirState::default();
        let Ok(first) = Record::new(record.entries()[0].clone()) else { return output };
        let mut grown = first.with_documents_of(record);
        for entry in record.entries().iter().skip(1).map(Some).chain([None]) {
            if there.len() == state.ours.len() {
                break;
            }
            // A report is guarded in a shared folder alone.
            let drawn = if output.shared { render_files(&grown, None) } else { render_growing_files(&grown) };
            state.note_drawn(drawn, &there);
            if entry.is_some_and(|entry| grown.append_entry(entry.clone()).is_err()) {
                break;
            }
        }
        // The report may hold what was extracted.
        if extraction.is_some() {
            state.note_drawn(render_files(record, extraction), &there);
        }
        state.changed = there.keys().any(|path| path.starts_with(ARTIFACTS) && !state.ours.contains_key(path))
            || render_files(record, None)
                .iter()
                .any(|(path, _)| path.starts_with(ARTIFACTS) && output.is_blocked(path));
        // A record is known by the debate it is of; its times are not ours to draw.
        let kept = path_in_folder(record.opened(), "record.jsonl");
        if let Ok(bytes) = fs::read(directory.join(&kept))
            && let Ok((other, _)) = record_jsonl::read_record(bytes.clone())
            && other.opened().debate == record.opened().debate
        {
            state.ours.insert(kept, Digest::from_content(bytes));
        }
        *output.lock_state() = state;
        output
    }

    /// Writes the files that differ from what is there; gives the number written.
    pub fn write_changed_files(&self, files: Vec<(String, String)>, lasting: Lasting) -> Result<usize, FileError> {
        // Held while writing, so that a reader sees a file and its digest together.
        let mut state = self.lock_state();
        let mut wanted = Vec::new();
        let files = files.into_iter().filter(|(path, _)| self.is_wanted(path));
        for (path, content) in files {
            if self.is_guarded(&path) && self.is_blocked(&path) {
                self.move_aside(&path, &mut state)?;
            }
            if self.is_guarded(&path)
                && let Some(there) = self.on_disk(&path)
            {
                if self.is_input(&path) || self.went_on(&path, &content) {
                    continue;
                }
                let grows = track::is_log(&path) && self.inputs.contains(&there);
                let known = there == Digest::from_content(&content) || state.ours.get(&path) == Some(&there) || grows;
                if !known {
                    self.move_aside(&path, &mut state)?;
                }
            }
            state.gone |= path.starts_with(ARTIFACTS)
                && state.ours.contains_key(&path)
                && self.directory.join(&path).symlink_metadata().is_err();
            wanted.push((path, content));
        }
        let (relied, others): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|(path, _)| self.is_guarded(path));
        let digests: Vec<_> =
            relied.iter().map(|(path, content)| (path.clone(), Digest::from_content(content))).collect();
        let of_others = if lasting == Lasting::Drawn { Lasting::Grown } else { lasting };
        let written = disk::write_files(&self.directory, relied, lasting)?
            + disk::write_files(&self.directory, others, of_others)?;
        state.ours.extend(digests);
        Ok(written)
    }

    /// Writes every file of `record`, and removes what a killed process left half-written.
    pub fn write_all_files(
        &self,
        record: &Record,
        extraction: Option<&Record>,
        texts: &BTreeMap<Digest, String>,
        frontend: &dyn Frontend,
    ) -> Result<usize, FileError> {
        let files = render_all_files(record, extraction, texts);
        // What others rely on lasts like the record; the rest can be drawn again.
        let relied = files.iter().any(|(path, _)| self.is_guarded(path));
        let written = self.write_changed_files(files, if relied { Lasting::Synced } else { Lasting::Drawn })?;
        disk::remove_temporary_files(&self.directory)?;
        for path in std::mem::take(&mut self.lock_state().aside) {
            let kept = self.directory.join(path);
            frontend.warn(&format!(
                "agon replaced a file that another program had changed; the changed version is kept: {}",
                kept.display()
            ));
        }
        Ok(written)
    }

    /// The state of the artifact since agon last wrote it. One that was not written so far is as it
    /// was: files are drawn a little later than the record grows, and a kill may come in between.
    pub fn artifact_state(&self) -> ArtifactWrite {
        let mut state = self.lock_state();
        let was_gone = std::mem::take(&mut state.gone);
        let mut gone = Vec::new();
        for (path, ours) in state.ours.iter().filter(|(path, _)| path.starts_with(ARTIFACTS)) {
            match self.on_disk(path) {
                Some(there) if there == *ours => {}
                None if !self.is_blocked(path) => gone.push(path.clone()),
                _ => return ArtifactWrite::Changed,
            }
        }
        let is_gone = was_gone || !gone.is_empty();
        // Told once: it is as one that was not written so far, until it is drawn again.
        for path in gone {
            state.ours.remove(&path);
        }
        match state.changed {
            true => ArtifactWrite::Changed,
            false if is_gone => ArtifactWrite::Absent,
            false => ArtifactWrite::Unchanged,
        }
    }

    /// Whether a file on the disk is as the record has it; a draft that someone else brought is, and
    /// so is a shared log that another debate has gone on with.
    pub fn is_up_to_date(&self, path: &str, content: &str) -> bool {
        let there = self.on_disk(path);
        there == Some(Digest::from_content(content)) || self.is_input(path) || self.went_on(path, content)
    }

    /// Whether a file on the disk is a draft that the debate was opened with.
    fn is_input(&self, path: &str) -> bool {
        self.shared && track::is_draft(path) && self.on_disk(path).is_some_and(|there| self.inputs.contains(&there))
    }

    /// Whether the log on the disk begins with `content` and continues.
    fn went_on(&self, path: &str, content: &str) -> bool {
        let text = || fs::read_to_string(self.directory.join(path)).unwrap_or_default();
        self.shared && track::is_log(path) && !content.trim().is_empty() && {
            let text = text();
            text.len() > content.len() && text.starts_with(content.trim_end())
        }
    }

    /// Whether a file is to be written: one that was asked for, or that others rely on. In a shared folder it
    /// may stand in a folder of its own.
    fn is_wanted(&self, path: &str) -> bool {
        self.is_guarded(path) || self.files.has_file(path)
    }

    fn is_guarded(&self, path: &str) -> bool {
        self.shared || path.starts_with(ARTIFACTS)
    }

    /// Digest of a file's text, where there is one.
    fn on_disk(&self, path: &str) -> Option<Digest> {
        let bytes = fs::read(self.directory.join(path)).ok()?;
        // As texts are taken: a mark at the beginning is not part of them.
        Some(Digest::from_content(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)))
    }

    /// Whether something stands at `path` that is not a file, or none that can be read.
    fn is_blocked(&self, path: &str) -> bool {
        self.on_disk(path).is_none() && self.directory.join(path).symlink_metadata().is_ok()
    }

    fn move_aside(&self, path: &str, state: &mut DirState) -> Result<(), FileError> {
        let from = self.directory.join(path);
        let mut names = (1..).map(|n| if n == 1 { format!("{path}.changed") } else { format!("{path}.changed-{n}") });
        let free = names.find(|name| self.directory.join(name).symlink_metadata().is_err());
        let free = free.ok_or_else(|| io::Error::other("no free name"));
        let moved = free.and_then(|name| fs::rename(&from, self.directory.join(&name)).map(|()| name));
        state.aside.push(moved.map_err(|source| FileError { path: from, source })?);
        state.changed |= path.starts_with(ARTIFACTS);
        Ok(())
    }

    fn lock_state(&self) -> MutexGuard<'_, DirState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::sample;

    use super::*;

    const LOG_FILE: &str = "debate_log.md";

    fn output(folder: &Path, track: bool, inputs: &[&str]) -> OutputDir {
        let mut opened = sample::sample_opened("x", &["a"]);
        opened.options.insert("track".into(), track.into());
        OutputDir::new(folder.to_owned(), &opened, inputs.iter().map(Digest::from_content).collect())
    }

    fn one(path: &str, content: &str) -> Vec<(String, String)> {
        vec![(path.to_owned(), content.to_owned())]
    }

    #[test]
    fn a_changed_artifact_is_noticed_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path(), false, &[]);
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Unchanged, "nothing was written yet");
        output.write_changed_files(one("debates/a.md", "one"), Lasting::Drawn).unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Unchanged);
        output.write_changed_files(one("debates/a.md", "two"), Lasting::Drawn).unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Unchanged);
        fs::write(folder.path().join("debates/a.md"), "mine").unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Changed);
        output.write_changed_files(one("debates/a.md", "three"), Lasting::Drawn).unwrap();
        fs::write(folder.path().join("debates/a.md"), "mine too").unwrap();
        output.write_changed_files(one("debates/a.md", "four"), Lasting::Drawn).unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Changed, "once changed, it stays told");
        assert_eq!(read("debates/a.md"), "four");
        assert_eq!((read("debates/a.md.changed"), read("debates/a.md.changed-2")), ("mine".into(), "mine too".into()));
    }

    #[cfg(unix)]
    #[test]
    fn an_artifact_is_replaced_whole_where_other_files_grow() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path(), false, &[]);
        for (path, seen) in [("debates/a.md", "one"), ("transcript.md", "one two")] {
            output.write_changed_files(one(path, "one"), Lasting::Drawn).unwrap();
            let reader = fs::File::open(folder.path().join(path)).unwrap();
            output.write_changed_files(one(path, "one two"), Lasting::Drawn).unwrap();
            assert_eq!(io::read_to_string(reader).unwrap(), seen, "{path}");
        }
    }

    #[test]
    fn an_artifact_that_was_removed_is_told_once_though_it_is_drawn_again() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path(), false, &[]);
        output.write_changed_files(one("debates/a.md", "one"), Lasting::Drawn).unwrap();
        fs::remove_file(folder.path().join("debates/a.md")).unwrap();
        output.write_changed_files(one("debates/a.md", "two"), Lasting::Drawn).unwrap();
        assert_eq!(
            (output.artifact_state(), output.artifact_state()),
            (ArtifactWrite::Absent, ArtifactWrite::Unchanged)
        );
        // Also where somebody looks before it is drawn again.
        fs::remove_file(folder.path().join("debates/a.md")).unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Absent);
        output.write_changed_files(one("debates/a.md", "two"), Lasting::Drawn).unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Unchanged);
    }

    #[test]
    fn a_folder_in_the_artifact_s_place_is_a_change_and_is_moved_aside() {
        let folder = tempfile::tempdir().unwrap();
        let output = output(folder.path(), false, &[]);
        output.write_changed_files(one("debates/a.md", "one"), Lasting::Drawn).unwrap();
        fs::remove_file(folder.path().join("debates/a.md")).unwrap();
        fs::create_dir(folder.path().join("debates/a.md")).unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Changed);
        output.write_changed_files(one("debates/a.md", "two"), Lasting::Drawn).unwrap();
        assert_eq!(output.artifact_state(), ArtifactWrite::Changed, "once changed, it stays told");
        assert_eq!(fs::read_to_string(folder.path().join("debates/a.md")).unwrap(), "two");
        assert!(folder.path().join("debates/a.md.changed").is_dir());
    }

    #[test]
    fn pictures_of_the_record_are_drawn_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("README.md"), "edited").unwrap();
        output(folder.path(), false, &[]).write_changed_files(one("README.md", "drawn"), Lasting::Drawn).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn in_a_shared_folder_nothing_of_others_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();
        for (name, text) in [("PLAN.md", "draft"), ("plan_claude.md", "draft"), (LOG_FILE, "log")] {
            fs::write(at(name), text).unwrap();
        }
        let output = output(folder.path(), true, &["draft", "log"]);
        for (name, text) in
            [("PLAN.md", "ours"), ("plan_claude.md", "drawn"), (LOG_FILE, "log, grown"), ("new.md", "x")]
        {
            output.write_changed_files(one(name, text), Lasting::Drawn).unwrap();
        }
        assert_eq!((read("PLAN.md"), read("PLAN.md.changed")), ("ours".into(), "draft".into()));
        assert_eq!(read("plan_claude.md"), "draft", "what the debate was opened with stays as it is");
        assert!(output.is_up_to_date("plan_claude.md", "drawn") && !output.is_up_to_date("new.md", "y"));
        assert_eq!(read(LOG_FILE), "log, grown");
        fs::write(at(LOG_FILE), "log, grown by another").unwrap();
        assert!(output.is_up_to_date(LOG_FILE, "log, grown") && !output.is_up_to_date(LOG_FILE, "other"));
        output.write_changed_files(one(LOG_FILE, "log, grown"), Lasting::Drawn).unwrap();
        assert_eq!(read(LOG_FILE), "log, grown by another", "what another debate adds stays");
        assert!(!at("plan_claude.md.changed").exists() && !at("debate_log.md.changed").exists());
    }
}
