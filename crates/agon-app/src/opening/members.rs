//! The debaters: members of a row of seats, named on the command line or in a file.

use std::path::Path;

use agon_core::{Manifest, lookalike::is_lookalike};
use agon_protocols::common::{fields::one_line, lineup::check_name};
use agon_text::folded_words;

use super::{
    input_text,
    lineup_json::parse_lineup_json,
    member::{Lineup, MemberRequest},
};
use crate::{
    failure::{Failure, Result},
    request::{DebaterConfig, DebaterRequest, LineupRequest},
};

/// Longest persona, in characters.
const PERSONA_CHARS_MAX: usize = 2_000;
/// Words that are not names in any debate, in addition to those of its seats: in a transcript they speak for
/// the debate itself.
const RESERVED: [&str; 10] =
    ["moderator", "chair", "judge", "verifier", "audience", "reporter", "assessor", "synthesizer", "system", "round"];

/// The line-up that the command line gives.
pub fn build_lineup(manifest: &Manifest, request: &LineupRequest) -> Result<Lineup> {
    let details = &manifest.member_details;
    let mut lineup = match &request.file {
        Some(path) => read_lineup_file(path, details)?,
        None => {
            let members = request.debaters.iter().map(|given| match given {
                DebaterRequest::Line(line) => Ok(parse_member_line(line, details)),
                DebaterRequest::Fields(debater) => check_member_fields(debater.clone(), details),
            });
            Lineup { members: members.collect::<Result<_>>()?, ..Lineup::default() }
        }
    };
    fill_members(manifest, &mut lineup.members, request.count)?;
    Ok(lineup)
}

/// A member as programs write it.
fn check_member_fields(debater: DebaterConfig, details: &[String]) -> Result<MemberRequest> {
    let wrong = |why: String| {
        let known: Vec<&str> =
            ["name", "persona", "model"].into_iter().chain(details.iter().map(String::as_str)).collect();
        Failure::usage(format!("the line-up: {why}"), format!("a debater has the fields {}", known.join(", ")))
    };
    if let Some(name) = debater.details.keys().find(|name| !details.contains(name)) {
        return Err(wrong(format!("unknown field {name:?}")));
    }
    debater.into_member(None).map_err(wrong)
}

/// As many members as the command line says. A member without a name gets one later, if a protocol
/// proposes it.
fn fill_members(manifest: &Manifest, members: &mut Vec<MemberRequest>, count: Option<u32>) -> Result<()> {
    let Some((row, most)) = manifest.find_seat_row() else { return Ok(()) };
    if let Some(count) = count.filter(|count| !(most.min..=most.max).contains(count)) {
        let has = format!("{} takes {} to {} debaters at the seat {}", manifest.name, most.min, most.max, row.name);
        return Err(Failure::usage(format!("--debaters {count}: {has}"), "choose a number in this range"));
    }
    let named = members.len();
    let open = !manifest.member_details.is_empty();
    // A line-up of one is short of the others.
    let wanted = count.or(Some(most.default).filter(|_| open && named == 1)).map_or(named, |count| count as usize);
    if named > 0 && (wanted < named || (wanted > named && !open)) {
        return Err(Failure::usage(
            format!("--debaters {wanted}: the line-up names {named}"),
            "make the numbers equal, or omit --debaters",
        ));
    }
    if named > 0 {
        members.resize(wanted, MemberRequest::default());
    }
    Ok(())
}

/// The line-up in a file: lines, or JSON.
fn read_lineup_file(path: &Path, details: &[String]) -> Result<Lineup> {
    let text = input_text::read_document(path)?;
    if text.trim_start().starts_with(['{', '[']) {
        let mut lineup = parse_lineup_json(&text).map_err(|why| {
            Failure::usage(
                format!("{}: {why}", path.display()),
                "a line-up in JSON must be a list of debaters, or an object with such a list as \"debaters\"",
            )
        })?;
        lineup.notes.iter_mut().for_each(|note| *note = format!("{}: {note}", path.display()));
        return Ok(lineup);
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let parts: Vec<&str> = match lines.as_slice() {
        // The short form, as it is also written on one line.
        [line] => line.split(',').collect(),
        lines => lines.iter().map(|line| line.strip_prefix("- ").unwrap_or(line)).collect(),
    };
    let members = parts.into_iter().map(|part| parse_member_line(part, details)).collect();
    Ok(Lineup { members, ..Lineup::default() })
}

/// `Name: persona`, or a name alone; where a protocol knows `details`, they follow, each after a `|`.
fn parse_member_line(text: &str, details: &[String]) -> MemberRequest {
    // Keyboards of Chinese and Japanese write a wide colon.
    let (name, rest) = text.split_once([':', '：']).unwrap_or((text, ""));
    let mut parts = rest.splitn(details.len() + 1, '|').map(one_line);
    let persona = parts.next().filter(|persona| !persona.is_empty());
    let said = details.iter().zip(parts).filter(|(_, text)| !text.is_empty());
    let details = said.map(|(name, text)| (name.clone(), text.into())).collect();
    MemberRequest { name: one_line(name), persona, details, ..MemberRequest::default() }
}

/// Whether these may take part: as many as the protocol's row allows, each with a unique name.
pub fn check_members(manifest: &Manifest, members: &[MemberRequest]) -> Result<()> {
    let Some((row, most)) = manifest.find_seat_row() else { return Ok(()) };
    let count = members.len();
    if count > 0 && !(most.min as usize..=most.max as usize).contains(&count) {
        let has = if most.min == most.max { most.min.to_string() } else { format!("{} to {}", most.min, most.max) };
        return Err(Failure::usage(
            format!("the line-up names {count}, but {} takes {has} at the seat {}", manifest.name, row.name),
            "change the number of debaters",
        ));
    }
    // A seat's name in a transcript means that seat.
    let reserved = manifest.seats.iter().map(|seat| seat.name.clone());
    let reserved: Vec<String> = reserved.chain(manifest.seat_names(Some(most.max))).collect();
    let reserved: Vec<&str> = reserved.iter().map(String::as_str).chain(RESERVED).collect();
    for (at, member) in members.iter().enumerate() {
        let fault = |why: String| Err(Failure::usage(format!("the line-up: {why}"), "choose a different name"));
        if member.name.is_empty() && manifest.member_details.is_empty() {
            let what = if member.persona.is_some() { "a persona and no name" } else { "no name" };
            return fault(format!("debater {} has {what}", at + 1));
        }
        let others = members[..at].iter().map(|other| other.name.as_str());
        if !member.name.is_empty() {
            check_name(&member.name, others.clone(), &reserved).or_else(fault)?;
            // Letters that only look alike make two people of one name in every file.
            if count_alphabets(&member.name) > 1 {
                return fault(format!("the name {:?} mixes letters of several alphabets", member.name));
            }
            if let Some(other) = others.clone().find(|other| is_lookalike(other, &member.name)) {
                return fault(format!("{other:?} and {:?} look alike in a transcript", member.name));
            }
            if let Some(role) = reserved.iter().find(|role| is_lookalike(role, &member.name)) {
                return fault(format!("{:?} looks like {role:?}, which is a role of the debate", member.name));
            }
        }
        let persona = member.persona.as_deref().into_iter();
        let texts = persona.chain(member.details.values().filter_map(|detail| detail.as_str()));
        if let Some(length) = texts.map(|text| text.chars().count()).find(|length| *length > PERSONA_CHARS_MAX) {
            return fault(format!(
                "the description of {} has {length} characters; at most {PERSONA_CHARS_MAX} are allowed",
                member.name
            ));
        }
    }
    Ok(())
}

/// From how many alphabets the letters of `name` are, of those with letters that look alike.
fn count_alphabets(name: &str) -> usize {
    let of = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => Some(0),
        '\u{370}'..='\u{3ff}' => Some(1),
        '\u{400}'..='\u{52f}' => Some(2),
        _ => None,
    };
    name.chars().filter_map(of).collect::<std::collections::BTreeSet<u8>>().len()
}

/// Notes on the line-up for the person or program that opens the debate.
pub fn collect_lineup_notes(manifest: &Manifest, members: &[MemberRequest], from_file: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if from_file && members.is_empty() && manifest.approval {
        notes.push("the line-up file names no debaters, so debaters are proposed".to_owned());
    }
    let Some(side) = manifest.member_details.first() else { return notes };
    let words = |member: &MemberRequest| {
        let text = member.details.get(side).and_then(|detail| detail.as_str()).unwrap_or_default();
        folded_words(text)
    };
    for (at, member) in members.iter().enumerate() {
        for other in members[..at].iter().filter(|other| !words(other).is_empty() && words(other) == words(member)) {
            let (a, b) = (display_name(&other.name), display_name(&member.name));
            notes.push(format!("{a} and {b} argue for the same side: the line-up gives both the same position"));
        }
    }
    notes
}

fn display_name(name: &str) -> &str {
    if name.is_empty() { "an unnamed debater" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        opening::{limits::FileRounds, tests::manifest},
        request::OpeningRequest,
    };

    fn file(content: &str) -> Result<Lineup> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lineup");
        std::fs::write(&path, content).unwrap();
        read_lineup_file(&path, &details())
    }

    fn details() -> [String; 2] {
        ["starting_position", "incentives"].map(str::to_owned)
    }

    fn names(content: &str) -> Vec<(String, Option<String>)> {
        file(content).unwrap().members.into_iter().map(|member| (member.name, member.persona)).collect()
    }

    #[test]
    fn members_stand_on_lines_or_on_one_line_with_commas() {
        let wanted = vec![("Ann".to_owned(), Some("engineer: systems".to_owned())), ("Bo Li".to_owned(), None)];
        assert_eq!(names("Ann: engineer: systems\n\n  Bo Li \n"), wanted);
        assert_eq!(names("- Ann: engineer:  systems\n- Bo Li:"), wanted);
        assert_eq!(names("Ann:engineer: systems, Bo Li"), wanted);
        assert_eq!(names("Ann: has, a comma\nBo: x")[0].1.as_deref(), Some("has, a comma"));
    }

    #[test]
    fn a_debate_config_becomes_members_models_rounds_and_topic() {
        let lineup = file(
            r#"{"topic": "T", "min_rounds": 2, "max_rounds": 4, "time_budget_minutes": 20, "output_dir": "",
                "debaters": [
                  {"name": "Ann", "persona": "P", "starting_position": "for", "incentives": ["a", "b"], "model": "gpt-5"},
                  {"name": "Bo", "role": "Q", "lens": "Market Realist"}],
                "models": {"chair": "claude-opus-4-6", "reporter": "local:small"}}"#,
        )
        .unwrap();
        assert_eq!(lineup.topic.as_deref(), Some("T"));
        assert_eq!(lineup.rounds, FileRounds { min: Some(2), max: Some(4) });
        assert_eq!(lineup.time_budget_minutes, Some(20));
        assert_eq!(lineup.models["chair"], "anthropic:claude-opus-4-6");
        let [ann, bo] = lineup.members.as_slice() else { panic!("{lineup:?}") };
        assert_eq!((ann.model.as_deref(), ann.details["incentives"].as_str()), (Some("openai:gpt-5"), Some("a; b")));
        assert_eq!((bo.model.as_deref(), bo.persona.as_deref()), (Some("local:small"), Some("Q")));
        assert_eq!(bo.details["lens"], "Market Realist");
    }

    #[test]
    fn files_that_are_no_line_up_say_where_and_why() {
        for (content, says) in [
            ("{\"topic\": 3}", "line 1"),
            ("{\"topic\": \"x\"}", "no list of debaters"),
            ("[{\"name\": 1}]", "line 1"),
            ("{\"debaters\": [{\"name\": \"A\", \"incentives\": 3}]}", "incentives of the debater \"A\""),
            ("{broken", "line 1"),
            ("", "is empty"),
        ] {
            let error = file(content).unwrap_err();
            assert!(error.message.contains(says) && error.exit == 2, "{content}: {}", error.message);
        }
    }

    #[test]
    fn members_that_cannot_take_part_are_refused() {
        let panel = manifest("panel");
        for (debaters, says) in [
            (&["Ann"][..], "names 1, but panel takes 2 to 4 at the seat member"),
            (&["A", "B", "C", "D", "E"], "names 5"),
            (&["Ann", "ann"], "two are called \"Ann\""),
            (&["Ann", ""], "debater 2 has no name"),
            (&["Ann", ":engineer"], "debater 2 has a persona and no name"),
            (&["Ann", "Judge"], "is a role"),
            (&["Ann", "member-2"], "is a role"),
            (&["Ann", "Host"], "is a role"),
            (&["Ann", "SYSTEM"], "is a role"),
            (&["Ann", "**Bo**"], "does not begin with a letter"),
            (&["Ann", "Bo\u{1b}[2J"], "in it"),
            (&["Ann", &"x".repeat(41)], "longer than 40"),
            (&["Ann", &format!("Bo:{}", "x".repeat(2001))], "2001 characters"),
        ] {
            let members: Vec<MemberRequest> = debaters.iter().map(|given| parse_member_line(given, &[])).collect();
            let error = check_members(&panel, &members).expect_err(says);
            assert!(error.message.contains(says) && error.exit == 2, "{debaters:?}: {}", error.message);
        }
        assert!(check_members(&panel, &[]).is_ok());
        assert!(check_members(&panel, &[parse_member_line("Ann:x", &[]), parse_member_line("Bo", &[])]).is_ok());
    }

    #[test]
    fn position_and_incentives_follow_the_persona_where_the_protocol_knows_them() {
        let details = details();
        let ann = parse_member_line("Ann: an engineer | It  pays. | Her bridge | stands", &details);
        assert_eq!(ann.persona.as_deref(), Some("an engineer"));
        assert_eq!(
            (&ann.details["starting_position"], &ann.details["incentives"]),
            (&"It pays.".into(), &"Her bridge | stands".into())
        );
        assert!(ann.is_whole(&details));
        let bo = parse_member_line("Bo: | Against it", &details);
        assert!(bo.persona.is_none() && bo.details.len() == 1 && !bo.is_whole(&details));
        assert_eq!(parse_member_line("Cy: this | that", &[]).persona.as_deref(), Some("this | that"));
    }

    #[test]
    fn a_number_of_debaters_leaves_the_rest_to_be_proposed() {
        let args = |debaters: &[&str], count: Option<u32>| LineupRequest {
            debaters: debaters.iter().map(|given| DebaterRequest::Line((*given).into())).collect(),
            count,
            file: None,
        };
        let many = |protocol: &str, debaters: &[&str], count| {
            build_lineup(&manifest(protocol), &args(debaters, count)).map(|lineup| lineup.members.len())
        };
        assert_eq!(many("chaired", &["Ann"], Some(4)).unwrap(), 4);
        assert_eq!(many("chaired", &["Ann"], None).unwrap(), 3, "one alone is no debate");
        assert_eq!(many("chaired", &[], Some(4)).unwrap(), 0, "nobody is named");
        assert_eq!(many("panel", &["Ann", "Bo"], Some(2)).unwrap(), 2);
        for (protocol, debaters, count, says) in [
            ("chaired", &[][..], 9, "2 to 4"),
            ("chaired", &["A", "B", "C"], 2, "the line-up names 3"),
            ("panel", &["A", "B"], 3, "the line-up names 2"),
        ] {
            let error = many(protocol, debaters, Some(count)).expect_err(says);
            assert!(error.message.contains(says) && error.exit == 2, "{}", error.message);
        }
    }

    #[test]
    fn members_are_also_taken_as_programs_write_them() {
        let asked = |debater: serde_json::Value| {
            let request = serde_json::json!({"protocol": "chaired", "debaters": [debater, "Bo: a cook"]});
            let request = OpeningRequest::parse(&request.to_string())?;
            build_lineup(&manifest("chaired"), &request.lineup).map(|lineup| lineup.members)
        };
        let members =
            asked(serde_json::json!({"name": "Ann", "persona": "P", "starting_position": "It pays."})).unwrap();
        assert_eq!(members[0].details["starting_position"], "It pays.");
        assert_eq!(members[1].persona.as_deref(), Some("a cook"));
        for (bad, says) in [
            (serde_json::json!({"name": "Ann", "lens": "x"}), "unknown field \"lens\""),
            (serde_json::json!(3), "a debater is a text"),
        ] {
            let error = asked(bad).unwrap_err();
            assert!(error.exit == 2 && error.message.contains(says), "{}", error.message);
        }
    }

    #[test]
    fn in_chaired_whoever_has_no_name_gets_one_and_names_stay_apart_in_the_log() {
        let chaired = manifest("chaired");
        let all = |debaters: &[&str]| -> Vec<MemberRequest> {
            debaters.iter().map(|given| parse_member_line(given, &details())).collect()
        };
        assert!(check_members(&chaired, &all(&["Ann", ": a nurse"])).is_ok());
        assert!(check_members(&chaired, &all(&["ann", "ann-marie", "Zoë"])).is_ok());
        assert!(check_members(&chaired, &all(&["प्रधानाचार्य शुक्ला", "มานี", "நிலா"])).is_ok(), "with marks");
        for (debaters, says) in
            [(["Dr. Ada", "dr ada"], "look alike in a transcript"), (["ada", "\u{430}da"], "several alphabets")]
        {
            let error = check_members(&chaired, &all(&debaters)).expect_err(says);
            assert!(error.message.contains(says), "{}", error.message);
        }
    }

    #[test]
    fn two_on_one_side_are_told() {
        let chaired = manifest("chaired");
        let all = ["Ann: x | It pays.", "Bo: y | it pays", "Cy: z | It costs."];
        let all = all.map(|given| parse_member_line(given, &details()));
        let told = collect_lineup_notes(&chaired, &all, false);
        assert!(told.len() == 1 && told[0].starts_with("Ann and Bo argue for the same side"), "{told:?}");
        assert_eq!(collect_lineup_notes(&chaired, &[], true).len(), 1, "a file that names nobody");
        assert!(collect_lineup_notes(&chaired, &[], false).is_empty());
    }
}
