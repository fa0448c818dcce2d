//! The folder of a critique-revise debate: initial versions are what the opener gives, critiques,
//! revisions and the joined document become statements of their authors.

use std::collections::BTreeMap;

use agon_core::Seat;
use agon_protocols::revise::{
    artifact_names,
    critique::weakness_id as id,
    joint_findings::Unified,
    review::{Review, ReviewVerdict},
    settings::{self, Author, ReviseMode, Setup, Strategy},
    state::{given_name, round_key},
};
use serde::Serialize;
use serde_json::json;

use crate::import::{Files, Import, ImportError, ImportReader, ImportedMember, Layout};
use crate::revise::{critique::CritiqueFile, joined_document, log::Log, revision::RevisionFile};

const LOG: &str = "debate_log.md";
/// Maximum number of rounds of a debate.
const ROUNDS_MAX: u32 = 3;
/// Rounds where nothing says how many.
const ROUNDS: u32 = 2;
/// Authors of a debate.
const AUTHORS: std::ops::RangeInclusive<usize> = 2..=4;
/// Label of the first reviewer, whose files bear none, where no critique names it.
const FIRST_REVIEWER: &str = "opus";

pub(super) static READER: ImportReader =
    ImportReader { layout: Layout { below: &[], beside: &[], stands_for: None }, has_source: false, read: read_import };

fn read_import(files: &Files) -> Result<Import, ImportError> {
    let mut import = Import { protocol: super::PROTOCOL, ..Import::default() };
    let log = files.get(LOG).and_then(|text| Log::parse(text).map_err(|why| import.add_warning(LOG, why)).ok());
    let (mode, labels) = find_author_labels(files)?;
    if !AUTHORS.contains(&labels.len()) {
        let why = format!("{} initial versions; 2 to 4 are wanted", labels.len());
        return Err(ImportError::new(format!("{}_*.md", mode.name()), why));
    }
    let setup = self::build_setup(mode, log.as_ref(), &labels);
    import.options.insert("mode".into(), mode.name().into());
    import.options.insert("phase".into(), setup.phase.into());
    let names = setup.authors.iter().map(|author| author.name.clone());
    import.members = names.map(|name| ImportedMember { name, ..ImportedMember::default() }).collect();
    let mut known: Vec<String> = vec![LOG.into(), artifact_names::result_file(mode).into()];
    for (author, label) in labels.iter().enumerate() {
        let path = artifact_names::version_file(&setup, author, 0);
        let text = files.get(&path).cloned().unwrap_or_default();
        import.documents.insert(given_name(label), text);
        known.push(path);
    }
    let first = files.get(&artifact_names::version_file(&setup, 0, 0)).map(String::as_str).unwrap_or_default();
    let heading = first.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    let heading = heading.filter(|heading| heading.chars().any(char::is_alphanumeric));
    import.motion = heading.map_or_else(|| format!("{} of phase {}", mode.title(), setup.phase), str::to_owned);

    let mut held = 0;
    for round in 1..=ROUNDS_MAX {
        if import_round(&mut import, files, &setup, round, &mut known) {
            held = round;
        }
    }
    compare_counts(&mut import, files, log.as_ref());
    let wanted = log.as_ref().and_then(|log| {
        let most = log.configuration.iter().find(|(name, _)| name == "Max rounds")?;
        most.1.split_whitespace().next()?.parse::<u32>().ok()
    });
    let result = files.get(artifact_names::result_file(mode));
    import.rounds = match result {
        Some(_) => held,
        None => wanted.unwrap_or(if held == 0 { ROUNDS } else { held }).clamp(held, ROUNDS_MAX),
    };
    if let Some(text) = result {
        if mode == ReviseMode::Review {
            let list = joined_document::parse_unified_review(text);
            import.record_statement("synthesis", &list);
            compare_verdict(&mut import, files, &setup, text, &list);
        } else {
            import.record_statement("synthesis", joined_document::parse_synthesis(text));
        }
    }
    import.keep_originals(files.iter(), |path| known.iter().any(|known| known == path));
    Ok(import)
}

/// Compares the verdict of the joined review with what its last reviews lead to: the stricter wins.
fn compare_verdict(import: &mut Import, files: &Files, setup: &Setup, text: &str, list: &Unified) {
    let last = |author: usize| {
        let paths = (0..=ROUNDS_MAX).rev().map(|round| artifact_names::version_file(setup, author, round));
        paths.into_iter().find_map(|path| files.get(&path))
    };
    let given = (0..setup.authors.len()).filter_map(|author| Review::parse(last(author)?).verdict());
    let list = ReviewVerdict::from_severities(list.findings.iter().map(|finding| finding.severity));
    let follows = given.max().map(|given| given.max(list));
    let stated = Review::parse(text).stated;
    if stated.is_some() && stated != follows {
        let name = |verdict: Option<ReviewVerdict>| verdict.map_or("none", ReviewVerdict::name);
        let why = format!("it says {}; its reviews lead to {}", name(stated), name(follows));
        import.add_warning(artifact_names::result_file(ReviseMode::Review), why);
    }
}

/// What is written, and the labels of its authors in the order of their files.
fn find_author_labels(files: &Files) -> Result<(ReviseMode, Vec<String>), ImportError> {
    let sound = |label: &&str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    let of = |stem: &str| -> Vec<String> {
        let labels = files.keys().filter_map(|path| path.strip_prefix(stem)?.strip_suffix(".md"));
        labels.filter(sound).map(str::to_owned).collect()
    };
    for (mode, stem) in [(ReviseMode::Plan, "plan_"), (ReviseMode::Draft, "draft_")] {
        let labels = of(stem);
        if !labels.is_empty() {
            return Ok((mode, labels));
        }
    }
    let mut others = of("review_");
    if !files.contains_key("review.md") {
        let why = "no initial versions: plan_NAME.md, draft_NAME.md, or review.md and review_NAME.md";
        return Err(ImportError::new("plan_*.md", why));
    }
    let criticised = files.keys().filter_map(|path| {
        let name = path.strip_prefix("critique_of_review_")?.strip_suffix(".md")?;
        let target = name.rsplit_once("_r")?.0;
        Some(target.split_once("_by_").map_or(target, |(target, _)| target))
    });
    let first = criticised.filter(sound).find(|label| !others.iter().any(|other| other == label));
    others.insert(0, first.unwrap_or(FIRST_REVIEWER).to_owned());
    Ok((ReviseMode::Review, others))
}

/// The authors bear the names that the log gives them, or their labels with a capital, as logs have them.
fn build_setup(mode: ReviseMode, log: Option<&Log>, labels: &[String]) -> Setup {
    let rounds = log.into_iter().flat_map(|log| &log.debates).flat_map(|debate| &debate.rounds);
    let told: Vec<String> =
        rounds.flat_map(|round| round.list_critiques()).flat_map(|told| [told.critic, told.target]).collect();
    let authors = labels.iter().enumerate().filter_map(|(at, label)| {
        let seat = Seat::new(format!("author-{}", at + 1)).ok()?;
        let name = told.iter().find(|name| settings::slugify_name(name) == *label).cloned();
        let name = name.unwrap_or_else(|| settings::capitalise_label(label));
        Some(Author { seat, label: label.clone(), name, persona: String::new() })
    });
    Setup {
        mode,
        phase: log.map_or(1, |log| log.phase),
        title: None,
        strategy: Strategy::Debate,
        authors: authors.collect(),
    }
}

/// The critiques and revisions of one round; gives whether there are any.
fn import_round(import: &mut Import, files: &Files, setup: &Setup, round: u32, known: &mut Vec<String>) -> bool {
    let mut any = false;
    let authors = setup.authors.len();
    for critic in 0..authors {
        for target in (0..authors).filter(|target| *target != critic) {
            let path = artifact_names::critique_file(setup, critic, target, round);
            let Some(text) = files.get(&path) else { continue };
            let (file, faults) = CritiqueFile::parse_leniently(text, Some(round));
            for fault in faults.0.iter().filter(|fault| ["C1", "C2"].contains(&fault.rule.as_str())) {
                import.add_warning(&path, format!("{} {fault}", fault.rule));
            }
            let key = round_key(round, &format!("critique-{}-of-{}", critic + 1, target + 1));
            import.record_statement(key, &file.critique);
            known.push(path);
            any = true;
        }
    }
    for author in 0..authors {
        let path = artifact_names::version_file(setup, author, round);
        let Some(text) = files.get(&path) else { continue };
        let file = match RevisionFile::parse(text, Some(round + 1)) {
            Ok(file) => Some(file),
            Err(faults) => {
                faults.0.iter().for_each(|fault| import.add_warning(&path, format!("{} {fault}", fault.rule)));
                RevisionFile::parse_leniently(text)
            }
        };
        let whole = || json!({"points": [], "document": text});
        let said = file.map_or_else(whole, |file| json!(build_revision(&file)));
        import.record_statement(round_key(round, &format!("revision-{}", author + 1)), said);
        known.push(path);
        any = true;
    }
    any
}

/// A revision; points that bear no number have that of their place.
fn build_revision(file: &RevisionFile) -> impl Serialize {
    let mut points = BTreeMap::<usize, _>::new();
    let numbered = |text: &str| {
        let (name, words) = text.split_once(':').unwrap_or((text, ""));
        let number = name.trim().strip_prefix('W').and_then(|number| number.parse::<usize>().ok());
        number.map(|number| (number, words.trim().to_owned()))
    };
    let mut add = |text: &str, answer: &str, words: Option<&str>| {
        let free = (1..).find(|number| !points.contains_key(number)).unwrap_or(1);
        let (number, own) = numbered(text).unwrap_or((free, text.to_owned()));
        let words = words.map_or(own, str::to_owned);
        points.entry(number).or_insert_with(|| json!({"weakness": id(number), "answer": answer, "words": words}));
    };
    for text in &file.addressed {
        add(text, "addressed", None);
    }
    for (at, text) in file.defended.iter().enumerate() {
        let reason = file.defense.iter().find_map(|reason| {
            let (number, words) = numbered(reason)?;
            (Some(number) == numbered(text).map(|(number, _)| number)).then_some(words)
        });
        let reason = reason.or_else(|| file.defense.get(at).cloned());
        add(text, "defended", Some(reason.as_deref().unwrap_or_default()));
    }
    json!({"points": points.into_values().collect::<Vec<_>>(), "document": file.document})
}

/// Compares what the log counts with the files.
fn compare_counts(import: &mut Import, files: &Files, log: Option<&Log>) {
    let rounds = log.into_iter().flat_map(|log| &log.debates).flat_map(|debate| &debate.rounds);
    for counted in rounds.flat_map(|round| round.list_critiques()) {
        let name = counted.path.rsplit('/').next().unwrap_or_default();
        let Some(text) = files.get(name) else { continue };
        let found = CritiqueFile::parse_leniently(text, None).0.critique.weaknesses.len();
        if found != counted.weaknesses {
            let said = counted.weaknesses;
            import.add_warning(LOG, format!("the number of weaknesses in {name} is {found}; the log says {said}"));
        }
    }
}
