//! Drafts: texts that exist already, which a debate is opened with, and those of a track.

use std::path::Path;

use agon_core::{DraftPlan, DraftRules};
use agon_protocols::{common::fields::one_line, find_protocol};
use agon_text::hyphenate;

use super::{
    input_text,
    member::MemberRequest,
    subject::DebateIntake,
    track::{self, Track},
};
use crate::{
    failure::{Failure, Result},
    request::OpeningRequest,
};

/// Name of the document that is a track's log so far.
pub const LOG: &str = "log";
/// Longest name of a draft as part of a file name, in bytes.
const LABEL_BYTES_MAX: usize = 32;

/// How drafts are taken: by the rules of the protocol, in this mode.
#[derive(Clone, Copy)]
struct DraftMode {
    name: &'static str,
    rules: &'static dyn DraftRules,
}

/// Reads the task and its drafts, with what the settings of a track say.
///
/// # Errors
///
/// What cannot be read, and drafts that nobody could criticise.
pub fn read_drafts(request: &OpeningRequest) -> Result<DebateIntake> {
    let own = &request.options;
    let rules = find_protocol(&request.protocol).and_then(|protocol| protocol.draft_rules());
    let rules = rules.ok_or_else(|| Failure::usage("this protocol takes no drafts", "omit --draft"))?;
    let track =
        own.text("track").map(|folder| track::read_track(Path::new(folder), rules.track_files())).transpose()?;
    let given = serde_json::json!(own).as_object().cloned().unwrap_or_default();
    let names: Vec<String> = own.pairs("drafts").iter().map(|(name, _)| one_line(name)).collect();
    let plan = rules.plan_drafts(given, &names, track.as_ref().map(|track| &track.text));
    let mut plan = plan.map_err(|refusal| Failure::usage(refusal.message, refusal.remedy))?;
    let mode = DraftMode { name: plan.mode, rules };
    let mut subject = DebateIntake::default();
    for (name, (_, given)) in names.iter().zip(own.pairs("drafts")) {
        add_draft(&mut subject, mode, name, given, request.is_remote())?;
    }
    subject.motion = match (&request.motion, plan.motion.take()) {
        (Some(motion), _) => input_text::read_motion(Some(motion), request.is_remote())?,
        (None, Some(motion)) => motion,
        (None, None) => {
            return Err(Failure::usage("no task", "describe what to write: a text, a file, or --draft NAME=PATH"));
        }
    };
    if let Some(track) = track {
        add_track(&mut subject, mode, &plan, track)?;
    }
    (subject.options, subject.notes) = (plan.options, plan.notes);
    // A flag makes what the track wants irrelevant, its odd number included.
    if request.rounds.is_none() {
        (subject.track_rounds, subject.rounds_note) = (plan.rounds, plan.rounds_note);
    }
    Ok(subject)
}

/// Adds a draft that the request names, and its author.
fn add_draft(subject: &mut DebateIntake, mode: DraftMode, name: &str, given: &str, from_elsewhere: bool) -> Result<()> {
    let label = hyphenate(name.to_lowercase().chars());
    if !(1..=LABEL_BYTES_MAX).contains(&label.len()) {
        return Err(Failure::usage(
            format!("--draft {name:?} cannot be the name of a draft"),
            format!("it becomes part of file names: use letters a-z and digits, at most {LABEL_BYTES_MAX}"),
        ));
    }
    // Someone elsewhere says the text itself.
    let (place, text) = match from_elsewhere {
        true => (format!("the draft {name:?}"), input_text::check_inline_text(given)?),
        false => (given.to_owned(), input_text::read_document(Path::new(given))?),
    };
    check_draft(mode, &place, &text)?;
    if subject.documents.insert(format!("draft/{label}"), text).is_some() {
        return Err(Failure::usage(format!("two drafts have the same name, {label:?}"), "give each a different name"));
    }
    subject.members.push(MemberRequest { name: name.to_owned(), ..MemberRequest::default() });
    Ok(())
}

/// Adds what the track has: its log, and its drafts where the request names none.
fn add_track(subject: &mut DebateIntake, mode: DraftMode, plan: &DraftPlan, track: Track) -> Result<()> {
    let log = track.read_file(mode.rules.track_files().log)?;
    subject.documents.extend(log.map(|log| (LOG.to_owned(), log)));
    for author in &plan.authors {
        subject.members.push(MemberRequest { name: author.name.clone(), ..MemberRequest::default() });
        if let Some(draft) = track.read_file(author.file)? {
            check_draft(mode, &track.folder.join(author.file).display().to_string(), &draft)?;
            subject.documents.insert(format!("draft/{}", author.label), draft);
        }
    }
    subject.track = Some(track.folder);
    Ok(())
}

/// Refuses a text that is not a document of its mode: nobody could criticise or revise it, and that would be
/// paid for. Where its layout has gaps it is taken, with a warning.
fn check_draft(mode: DraftMode, path: &str, text: &str) -> Result<()> {
    let what = mode.name;
    mode.rules.find_draft_fault(what, text).map_or(Ok(()), |why| {
        Err(Failure::usage(
            format!("{path} is not a valid {what}: {why}"),
            format!("fix it, or omit it so that its author writes a {what}"),
        ))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::opening::tests::request;
    use crate::request::Options;

    const DRAFT: &str = "# A\n\nTen words at least make a text that can be revised.\n";
    const PLAN: &str = include_str!("../../../agon-protocols/src/revise/testdata/plan.md");
    const REVIEW: &str = include_str!("../../../agon-protocols/src/revise/testdata/review.md");

    fn set(request: &mut OpeningRequest, name: &str, value: Value) {
        request.options.set(name, &value).unwrap();
    }

    #[test]
    fn drafts_name_their_authors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        std::fs::write(&path, DRAFT).unwrap();
        let mut request = request("revise");
        request.motion = None;
        set(
            &mut request,
            "drafts",
            serde_json::json!([format!("Ann={}", path.display()), format!("Bo Li = {}", path.display())]),
        );
        let drafts = read_drafts(&request).unwrap();
        assert_eq!(drafts.documents.keys().collect::<Vec<_>>(), ["draft/ann", "draft/bo-li"]);
        assert_eq!(drafts.members[1].name, "Bo Li");
        assert_eq!(drafts.motion, "Make the best of the drafts Ann, Bo Li.");
        assert_eq!(Value::from(drafts.options), serde_json::json!({"mode": "draft", "strategy": "debate"}));
        for bad in ["Ж=/dev/null", "Bo=/absent/file.md", &format!("ann={}", path.display())] {
            set(&mut request, "drafts", serde_json::json!([format!("Ann={}", path.display()), bad]));
            assert_eq!(read_drafts(&request).unwrap_err().exit, 2, "{bad}");
        }
    }

    #[test]
    fn a_draft_from_elsewhere_is_its_text() {
        let mut request =
            OpeningRequest { asker: crate::asker::Asker::Remote(Default::default()), ..request("revise") };
        set(&mut request, "drafts", serde_json::json!({"Ann": DRAFT, "Bo": "/etc/hostname"}));
        let drafts = read_drafts(&request).unwrap();
        assert_eq!(drafts.documents["draft/ann"], DRAFT);
        assert_eq!(drafts.documents["draft/bo"], "/etc/hostname", "no file is read");
    }

    #[test]
    fn a_track_brings_its_drafts_its_log_and_its_settings() {
        let folder = tempfile::tempdir().unwrap();
        let track = folder.path().join(".kiln/tracks/phase-2");
        std::fs::create_dir_all(&track).unwrap();
        let config = r#"{"preferences": {"planStrategy": "debate", "reviewStrategy": "debate"}}"#;
        std::fs::write(folder.path().join(".kiln/config.json"), config).unwrap();
        for (file, text) in [("plan_codex.md", PLAN), ("review.md", REVIEW), ("debate_log.md", "# A log")] {
            std::fs::write(track.join(file), text).unwrap();
        }
        let mut request = request("revise");
        request.motion = None;
        set(&mut request, "track", track.display().to_string().into());
        let plan = read_drafts(&request).unwrap();
        assert_eq!(plan.documents.keys().collect::<Vec<_>>(), ["draft/codex", "log"]);
        assert_eq!(plan.motion, "Plan phase 2");
        assert_eq!(
            Value::from(plan.options),
            serde_json::json!({"mode": "plan", "strategy": "debate", "phase": 2, "track": true,
                "plan_strategy": "debate", "review_strategy": "debate"})
        );
        set(&mut request, "mode", "review".into());
        set(&mut request, "strategy", "single".into());
        let review = read_drafts(&request).unwrap();
        assert_eq!(review.documents["draft/opus"], REVIEW);
        assert_eq!(review.members[0].name, "Opus");
        assert_eq!(review.options["review_strategy"], "single");
        set(&mut request, "mode", "draft".into());
        assert!(read_drafts(&request).is_err());
    }
    #[test]
    fn a_text_that_is_no_document_of_its_mode_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let track = folder.path().join("phase-1");
        std::fs::create_dir_all(&track).unwrap();
        let prose = "Just some words that are more than ten in number, but no plan and no review.";
        let mut request = request("revise");
        let mut refused = |mode: &str, file: &str, text: &str| {
            std::fs::write(track.join(file), text).unwrap();
            set(&mut request, "mode", mode.into());
            set(&mut request, "track", track.display().to_string().into());
            let refused = read_drafts(&request).unwrap_err();
            std::fs::remove_file(track.join(file)).unwrap();
            assert_eq!(refused.exit, 2);
            refused.message
        };
        assert!(
            refused("plan", "plan_claude.md", prose).contains("plan_claude.md is not a valid plan: there is no task")
        );
        assert!(
            refused("review", "review_codex.md", prose).contains("review_codex.md is not a valid review: no dimension")
        );
        assert!(refused("plan", "plan_codex.md", "# #\n").contains("no words"));
        // A gap in the layout is filled by its author.
        let lacking = PLAN.split("## Wave Summary").next().unwrap();
        std::fs::write(track.join("plan_claude.md"), lacking).unwrap();
        set(&mut request, "mode", "plan".into());
        assert!(read_drafts(&request).is_ok());
        request.options = Options::default();
        set(&mut request, "drafts", serde_json::json!([format!("Ann={}", track.join("plan_claude.md").display())]));
        assert!(read_drafts(&request).is_ok(), "any words are a draft");
        std::fs::write(track.join("plan_claude.md"), "***\n").unwrap();
        assert!(read_drafts(&request).unwrap_err().message.contains("it has no words"));
    }
}
