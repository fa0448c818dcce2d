//! Names of the artifacts, as the source system has them. They are shown in prompts as sources, and
//! they are the names of the files.

use super::{
    critique::weakness_id,
    settings::{ReviseMode, Setup},
};

/// What joins the versions: the last file of a debate.
pub fn result_file(mode: ReviseMode) -> &'static str {
    mode.pick(["PLAN.md", "REVIEW.md", "SYNTHESIS.md"])
}

/// The version that `author` wrote in `round`: 0 for the initial one, which bears no number.
pub fn version_file(setup: &Setup, author: usize, round: u32) -> String {
    let stem = file_stem(setup, author);
    if round == 0 { format!("{stem}.md") } else { format!("{stem}_v{}.md", round + 1) }
}

/// The critique that `critic` wrote of `target` in `round`. With more than two authors it says whose
/// it is.
pub fn critique_file(setup: &Setup, critic: usize, target: usize, round: u32) -> String {
    let of = if setup.mode == ReviseMode::Review { "review_" } else { "" };
    let by = match setup.authors.len() {
        0..=2 => String::new(),
        _ => format!("_by_{}", setup.authors[critic].label),
    };
    format!("critique_of_{of}{}{by}_r{round}.md", setup.authors[target].label)
}

/// The weakness `number` that was named of the version of `target` in `round`.
pub fn weakness_name(setup: &Setup, target: usize, number: usize, round: u32) -> String {
    let name = format!("{} {}", setup.authors[target].label, weakness_id(number));
    if round == 1 { name } else { format!("{name}, round {round}") }
}

/// The first reviewer's files bear no label: its text is the authoritative one.
fn file_stem(setup: &Setup, author: usize) -> String {
    match (setup.mode, author) {
        (ReviseMode::Review, 0) => "review".into(),
        (mode, _) => format!("{}_{}", mode.name(), setup.authors[author].label),
    }
}
