//! Whether an existing debate matches the line of a batch.

use agon_app::{Failure, Result, exit};
use agon_core::{Digest, Opened};
use agon_report::slug;

/// Option of a debate that a line of a batch opened: the line's key.
const LINE: &str = "batch_line";

/// Puts the key of its line into what a debate is opened with.
pub fn record_line_key(opened: &mut Opened, key: &Digest) {
    opened.options.insert(LINE.into(), key.as_str().into());
}

/// Refuses to take the debate that was opened as `held` for the one that is `wanted` now. Under an equal
/// line only what files say may have changed: models and prompts are as they were when it was opened,
/// whatever the configuration says by now.
pub fn check_same_debate(held: &Opened, wanted: &Opened) -> Result<()> {
    let line = held.options.get(LINE);
    let is_same_line = line == wanted.options.get(LINE);
    let who = |opened: &Opened| -> Vec<_> {
        opened.lineup.iter().map(|sat| (sat.seat.clone(), sat.name.clone(), sat.persona.clone())).collect()
    };
    let options = |opened: &Opened| {
        let mut options = opened.options.clone();
        let folder = agon_report::find_format(&opened.protocol).and_then(|format| format.folder_option);
        let is_place = |name: &str| [LINE, slug::OPTION].contains(&name) || Some(name) == folder;
        options.retain(|name, _| !is_place(name));
        options
    };
    let mut changed = vec![
        ("protocol", held.protocol != wanted.protocol),
        ("motion", held.motion != wanted.motion),
        ("documents", held.documents != wanted.documents),
        ("line-up", who(held) != who(wanted)),
    ];
    if !is_same_line {
        changed.extend([
            ("models", held.lineup != wanted.lineup),
            ("options", options(held) != options(wanted)),
            ("rounds or budgets", held.limits != wanted.limits),
            ("seed", held.seed != wanted.seed),
        ]);
    }
    let mut changed: Vec<&str> = changed.into_iter().filter(|(_, is)| *is).map(|(what, _)| what).collect();
    // One that `run` opened has no line; it may be the same nevertheless.
    if changed.is_empty() && !is_same_line && line.is_some() {
        changed.push("line");
    }
    if changed.is_empty() {
        return Ok(());
    }
    let why = format!("the debate {} was started with other values ({})", held.debate, changed.join(", "));
    let remedy = "give the line another id, or undo the change to continue that debate";
    Err(Failure::new(exit::CONFLICT, "changed", why, remedy))
}

#[cfg(test)]
mod tests {
    use agon_core::sample;

    use super::*;

    #[test]
    fn a_line_that_was_changed_is_another_debate() {
        let opened = |line: Option<&str>, motion: &str, model: &str| {
            let mut opened = sample::sample_opened("x", &["a"]);
            opened.motion = motion.into();
            opened.lineup[0].model = model.into();
            line.iter().for_each(|line| record_line_key(&mut opened, &Digest::from_content(line)));
            opened
        };
        let held = opened(Some("one"), "m", "local");
        assert!(check_same_debate(&held, &held).is_ok());
        let configured = opened(Some("one"), "m", "openai:gpt-5");
        assert!(check_same_debate(&held, &configured).is_ok(), "another default model is no other line");
        for (wanted, says) in [
            (opened(Some("one"), "n", "local"), "(motion)"),
            (opened(Some("two"), "m", "openai:gpt-5"), "(models)"),
            (opened(Some("two"), "m", "local"), "(line)"),
        ] {
            let failure = check_same_debate(&held, &wanted).unwrap_err();
            assert!(failure.exit == 5 && failure.message.contains(says), "{}", failure.message);
        }
        // As `run` opened it.
        let plain = opened(None, "m", "local");
        assert!(check_same_debate(&plain, &held).is_ok());
        assert!(check_same_debate(&plain, &configured).is_err());
    }
}
