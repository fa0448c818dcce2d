//! A repository: its revisions, the differences between them, and files in them.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use super::{
    FILE_BYTES_MAX, GatherError, TOTAL_BYTES_MAX,
    file_reader::{self, Unshown},
};
use crate::git::{GitEnd, GitFault, GitProgram, ScratchIndex};

/// Modes of git: of a symbolic link, of a submodule, of a program, of any other file.
pub(super) const LINK: &str = "120000";
pub(super) const SUBMODULE: &str = "160000";
pub(super) const PROGRAM: &str = "100755";
pub(super) const FILE: &str = "100644";

/// Bytes of an answer of git: a diff with its context can be larger than the contents.
const ANSWER_BYTES_MAX: u64 = 2 * TOTAL_BYTES_MAX;
/// Bytes of paths in the arguments of one call: some systems take 32 KB in all.
const ARGUMENTS_BYTES_MAX: usize = 16 << 10;

/// What a tree has at a path.
pub(super) struct TreeEntry {
    pub(super) path: String,
    /// The mode of a file, and the object that is its content; none where nothing is any more.
    pub(super) file: Option<(&'static str, String)>,
}

/// What stands at each of some paths: a content, the reason why it is left out, or nothing.
type Contents<T> = Vec<Option<Result<T, Unshown>>>;

/// A repository, asked from one of its folders.
pub(super) struct Repository<'p> {
    program: GitProgram<'p>,
}

impl<'p> Repository<'p> {
    /// The repository that `folder` is in.
    pub(super) fn from_folder(folder: &'p Path) -> Result<Self, GatherError> {
        let repository = Self { program: GitProgram::at(folder) };
        let GitEnd { is_success, complaint, .. } = repository.read_output(&["rev-parse", "--git-dir"])?;
        if is_success {
            return Ok(repository);
        }
        let folder = repository.display_folder();
        Err(match complaint.as_str() {
            why if why.contains("dubious ownership") => GatherError::ForeignRepository(folder),
            why if why.contains("not a git repository") => GatherError::NotARepository(folder),
            why => git_failure("rev-parse", why),
        })
    }

    /// The repository of `folder`, which knows what is in `scratch`, and writes there.
    pub(super) fn with_scratch(folder: &'p Path, scratch: &'p ScratchIndex) -> Self {
        Self { program: scratch.git_program().in_folder(folder) }
    }

    /// A copy of its index.
    pub(super) fn copy_index(&self) -> Result<ScratchIndex, GatherError> {
        Ok(ScratchIndex::from_working_copy(&self.program)?)
    }

    /// The object that a revision names, in hexadecimal.
    pub(super) fn resolve_commit(&self, revision: &str) -> Result<String, GatherError> {
        let name = format!("{revision}^{{commit}}");
        let answer = self.read_output(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
        if let Some(object) = parse_object_name(&answer) {
            return Ok(object);
        }
        if self.read_output(&["rev-list", "--max-count=1", "--all"])?.output.is_empty() {
            return Err(GatherError::NoCommits(self.display_folder()));
        }
        Err(GatherError::UnknownRevision(revision.to_owned()))
    }

    /// The first parent of a commit; none for the first commit.
    pub(super) fn first_parent(&self, commit: &str) -> Result<Option<String>, GatherError> {
        let name = format!("{commit}^1");
        Ok(parse_object_name(&self.read_output(&["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?))
    }

    /// The tree without files.
    pub(super) fn empty_tree(&self) -> Result<String, GatherError> {
        // Depends on the repository's hash function. Standard input is empty.
        let answer = self.read_output(&["hash-object", "-t", "tree", "--stdin"])?;
        parse_object_name(&answer).ok_or_else(|| git_failure("hash-object", &answer.complaint))
    }

    /// A common ancestor of two commits.
    pub(super) fn merge_base(&self, base: &str, head: &str) -> Result<Option<String>, GatherError> {
        Ok(parse_object_name(&self.read_output(&["merge-base", base, head])?))
    }

    /// The diff from one object to another. Attributes of the working copy decide which files git calls binary.
    pub(super) fn diff_objects(&self, base: &str, head: &str) -> Result<Vec<u8>, GatherError> {
        run_diff(self.program, base, head, &["-M"], &[])
    }

    /// The diffs of `paths` as texts, whatever attributes and contents say, without renames.
    pub(super) fn text_diff(&self, base: &str, head: &str, paths: &[&str]) -> Result<Vec<u8>, GatherError> {
        let (mut output, mut rest) = (Vec::new(), paths);
        // Paths of arguments are relative to the folder.
        let top = match paths {
            [] => return Ok(output),
            _ => self.find_top_folder()?,
        };
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|path| {
                bytes += path.len() + 1;
                bytes <= ARGUMENTS_BYTES_MAX
            });
            let (now, later) = rest.split_at(fits.count().max(1));
            output.extend(run_diff(self.program.in_folder(&top), base, head, &["--text", "--no-renames"], now)?);
            if output.len() as u64 > ANSWER_BYTES_MAX {
                return Err(GitFault::TooLong { command: "diff-tree".to_owned(), bytes: ANSWER_BYTES_MAX }.into());
            }
            rest = later;
        }
        Ok(output)
    }

    /// The folder at the top of the working copy.
    pub(super) fn find_top_folder(&self) -> Result<PathBuf, GatherError> {
        // The way there: `../` for each step.
        let answer = self.require_output(&["rev-parse", "--show-cdup"], String::new())?;
        Ok(self.program.folder().join(String::from_utf8_lossy(&answer).trim_end_matches('\n')))
    }

    /// The files of a version, as `ls-tree` lists them with their sizes, each ended by a zero.
    pub(super) fn list_files(&self, version: &str) -> Result<Vec<u8>, GatherError> {
        self.require_output(&["ls-tree", "-r", "-l", "-z", "--full-tree", version], String::new())
    }

    /// The contents of `paths` in a commit as texts. No path has a line feed.
    pub(super) fn read_contents(&self, commit: &str, paths: &[String]) -> Result<Contents<String>, GatherError> {
        self.read_each_content(commit, paths, |text| text)
    }

    /// The same without the texts: whether each content can be shown.
    pub(super) fn check_contents(&self, commit: &str, paths: &[String]) -> Result<Contents<()>, GatherError> {
        let states = self.read_each_content(commit, paths, |_| String::new())?;
        Ok(states.into_iter().map(|state| state.map(|state| state.map(drop))).collect())
    }

    /// Each content, of whose text `keep` is kept.
    fn read_each_content(
        &self,
        commit: &str,
        paths: &[String],
        keep: impl Fn(String) -> String + Send + 'static,
    ) -> Result<Contents<String>, GatherError> {
        let requests: String = paths.iter().map(|path| format!("{commit}:{path}\n")).collect();
        let count = paths.len();
        let read = move |output: &mut dyn Read| {
            let mut output = BufReader::new(output);
            let (mut contents, mut bytes) = (Vec::new(), 0);
            for _ in 0..count {
                let content = read_batch_answer(&mut output)?.map(|content| content.map(&keep));
                if let Some(Ok(text)) = &content {
                    bytes += text.len() as u64;
                }
                if bytes > TOTAL_BYTES_MAX {
                    return Ok(None);
                }
                contents.push(content);
            }
            Ok(Some(contents))
        };
        let end = self.program.call(&["cat-file", "--batch"], requests, read)?;
        end.output.ok_or_else(|| GatherError::TooManyBytes(format!("git {commit}")))
    }

    /// Stores files of the disk, from the folder on, as git would store them but for filters; gives the name of each
    /// object.
    pub(super) fn store_files<'f>(&self, paths: impl Iterator<Item = &'f str>) -> Result<Vec<String>, GatherError> {
        // A path that begins with a quote is unquoted.
        let line = |path: &str| match path.starts_with('"') {
            true => format!("\"{}\"\n", path.replace('\\', "\\\\").replace('"', "\\\"")),
            false => format!("{path}\n"),
        };
        let paths: String = paths.map(line).collect();
        let count = paths.lines().count();
        let answer = self.require_output(&["hash-object", "-w", "--stdin-paths"], paths)?;
        let names: Vec<String> = String::from_utf8_lossy(&answer).lines().map(str::to_owned).collect();
        match names.len() == count {
            true => Ok(names),
            false => Err(git_failure("hash-object", "it stored other files than it was told")),
        }
    }

    /// A tree like that of `commit` with these entries; gives its name.
    pub(super) fn write_tree(&self, commit: &str, entries: &[TreeEntry]) -> Result<String, GatherError> {
        self.require_output(&["read-tree", commit], String::new())?;
        let line = |entry: &TreeEntry| match &entry.file {
            Some((mode, object)) => format!("{mode} {object}\t{}\0", entry.path),
            None => format!("0 {}\t{}\0", "0".repeat(commit.len()), entry.path),
        };
        // Where a file and a folder changed places, the old one must go first.
        let (old, new): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.file.is_none());
        let lines: String = old.into_iter().chain(new).map(line).collect();
        self.require_output(&["update-index", "-z", "--index-info"], lines)?;
        let name = self.require_output(&["write-tree", "--missing-ok"], String::new())?;
        Ok(String::from_utf8_lossy(&name).trim().to_owned())
    }

    /// The output of a call that must succeed.
    fn require_output(&self, arguments: &[&str], input: String) -> Result<Vec<u8>, GatherError> {
        Ok(self.program.require_output(arguments, input, ANSWER_BYTES_MAX)?)
    }

    fn read_output(&self, arguments: &[&str]) -> Result<GitEnd<Vec<u8>>, GatherError> {
        Ok(self.program.read_output(arguments, ANSWER_BYTES_MAX)?)
    }

    fn display_folder(&self) -> String {
        self.program.folder().display().to_string()
    }
}

/// The diff from one object to another, with these options, of these paths or of all.
fn run_diff(
    program: GitProgram<'_>,
    base: &str,
    head: &str,
    more: &[&str],
    paths: &[&str],
) -> Result<Vec<u8>, GatherError> {
    // `diff-tree` does not read the settings that change what `diff` prints.
    let options = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=3"];
    // `.gitmodules` is a part of the change, too, and could say that its submodules do not count.
    let submodules = ["--submodule=short", "--ignore-submodules=none"];
    let prefixes = ["--src-prefix=a/", "--dst-prefix=b/", "--no-relative"];
    let ends = ["--end-of-options", base, head, "--"];
    let arguments = [&options[..], more, &submodules, &prefixes, &ends, paths].concat();
    Ok(program.require_output(&arguments, String::new(), ANSWER_BYTES_MAX)?)
}

fn git_failure(command: &str, complaint: &str) -> GatherError {
    GitFault::from_complaint(command, complaint).into()
}

/// The name of an object, if the answer is one.
fn parse_object_name(answer: &GitEnd<Vec<u8>>) -> Option<String> {
    let name = std::str::from_utf8(&answer.output).ok()?.trim();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    (answer.is_success && is_name).then(|| name.to_owned())
}

/// Reads one answer of `cat-file --batch`: `NAME TYPE SIZE`, the bytes, a line feed; or `NAME missing`.
fn read_batch_answer(output: &mut impl BufRead) -> io::Result<Option<Result<String, Unshown>>> {
    let mut head = Vec::new();
    if output.read_until(b'\n', &mut head)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.trim_end().rsplit(' ');
    let (size, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let Ok(size) = size.parse::<u64>() else { return Ok(None) };
    let mut bytes = Vec::new();
    let is_small = size <= FILE_BYTES_MAX;
    // Of what is too large, the beginning still says whether it is binary.
    let kept = if is_small { size } else { file_reader::PROBE_BYTES as u64 };
    output.by_ref().take(kept).read_to_end(&mut bytes)?;
    // The line feed after it, too.
    io::copy(&mut output.take(size - kept + 1), &mut io::sink())?;
    Ok(match (kind, is_small) {
        ("blob", true) => Some(file_reader::text_of(bytes)),
        ("blob", false) => Some(Err(match file_reader::has_zero(&bytes) {
            true => Unshown::Binary,
            false => Unshown::TooLarge(size),
        })),
        _ => None,
    })
}
