//! Texts that agon installs for others and may later update or remove, and how it knows that they
//! are still as it wrote them: by a line with version and digest in the text itself.

use agon_core::{Digest, Protocol};
use agon_protocols::common::skill::draw_skill;

/// What a line begins and ends with that seals a text, by the comments of its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comment {
    Markdown,
    Script,
}

const WORD: &str = agon_app::own_files::INSTALLED;

/// One text that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Where, below its folder.
    pub path: String,
    /// What, sealed.
    pub text: String,
}

/// What stands where a text is to be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallState {
    Absent,
    /// As this version would write it.
    Current,
    /// As an earlier version wrote it.
    Outdated,
    /// Written by agon and changed by someone since.
    Changed,
    /// Nothing of agon's.
    Foreign,
}

/// Commands of other systems, as small programs that call agon's.
const SHIMS: [(&str, &str); 3] = [
    ("rp1", "#!/bin/sh\nexec agon \"$@\"\n"),
    ("write-log.sh", "#!/bin/sh\nexec agon write-log \"$@\"\n"),
    // Skills call this one by its path with python3.
    (
        "debate_ops",
        "#!/usr/bin/env python3\nimport os\nimport sys\n\nos.execvp(\"agon\", [\"agon\", \"debate-ops\", *sys.argv[1:]])\n",
    ),
];

/// The skills of the protocols that this version knows.
pub fn list_skills() -> Vec<Installed> {
    let skill = |protocol: &&dyn Protocol| {
        let text = draw_skill(*protocol, env!("CARGO_PKG_VERSION"));
        let path = format!("agon-{}/SKILL.md", protocol.name());
        Installed { path, text: seal_text(&text, Comment::Markdown) }
    };
    agon_protocols::ALL.iter().map(skill).collect()
}

/// The small programs.
pub fn list_shims() -> Vec<Installed> {
    let shim =
        |(name, text): &(&str, &str)| Installed { path: (*name).to_owned(), text: seal_text(text, Comment::Script) };
    SHIMS.iter().map(shim).collect()
}

/// `text` with the line that seals it at its end.
pub fn seal_text(text: &str, comment: Comment) -> String {
    let text = text.trim_end();
    let line = format!("{WORD}{} sha256:{}", env!("CARGO_PKG_VERSION"), Digest::from_content(text).as_str());
    match comment {
        Comment::Markdown => format!("{text}\n\n<!-- {line} -->\n"),
        Comment::Script => format!("{text}\n\n# {line}\n"),
    }
}

/// What `there` is, where `text` is to stand.
pub fn install_state(there: Option<&str>, text: &str) -> InstallState {
    let Some(there) = there else { return InstallState::Absent };
    if there == text {
        return InstallState::Current;
    }
    let Some((body, line)) = there.trim_end().rsplit_once('\n').filter(|(_, line)| line.contains(WORD)) else {
        // A line that stands elsewhere by now was moved by someone.
        return if there.contains(WORD) { InstallState::Changed } else { InstallState::Foreign };
    };
    let digest = Digest::from_content(body.trim_end());
    let sealed = line.split("sha256:").nth(1).is_some_and(|rest| rest.starts_with(digest.as_str()));
    if sealed { InstallState::Outdated } else { InstallState::Changed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_knows_whether_somebody_changed_it() {
        let now = seal_text("# One\n\ntext\n", Comment::Markdown);
        let before = seal_text("# One\n\nolder\n", Comment::Markdown);
        let script = seal_text("#!/bin/sh\nexec x\n", Comment::Script);
        for (there, wanted) in [
            (None, InstallState::Absent),
            (Some(now.clone()), InstallState::Current),
            (Some(before.clone()), InstallState::Outdated),
            (Some(script), InstallState::Outdated),
            (Some(before.replace("older", "mine")), InstallState::Changed),
            (Some(format!("{before}more\n")), InstallState::Changed),
            (Some("# Mine\n".into()), InstallState::Foreign),
            (Some(String::new()), InstallState::Foreign),
        ] {
            assert_eq!(install_state(there.as_deref(), &now), wanted, "{there:?}");
        }
    }

    #[test]
    fn every_protocol_has_a_skill_that_names_itself() {
        assert_eq!(list_skills().len(), agon_protocols::ALL.len());
        for Installed { path, text } in list_skills() {
            let name = path.split('/').next().unwrap();
            assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")), "{path}");
            assert!(!text.contains("{{"), "{path}: a place was not filled");
        }
    }
}
