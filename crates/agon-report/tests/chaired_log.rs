//! A real log of a chaired debate, where it is at hand: every line is read and written byte for byte.
#![allow(clippy::disallowed_methods)] // Tests read what formats must not.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{fs, path::Path};

use agon_report::chaired::log_line::{LogLine, PHASES, list_types, parse_sources};

#[test]
fn every_line_of_a_real_log_is_written_as_it_was() {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(3);
    let mut above = above.map(|folder| folder.join("shared/data/chaired"));
    let Some(data) = above.find(|data| data.is_dir()) else {
        println!("skipped: shared/data/chaired is not beside the project");
        return;
    };
    for debate in fs::read_dir(data).unwrap() {
        let text = fs::read_to_string(debate.unwrap().path().join("debate-log.jsonl")).unwrap();
        for (seq, line) in text.lines().enumerate() {
            let mut read = LogLine::parse(line).unwrap_or_else(|error| panic!("line {seq}: {error}"));
            assert_eq!(read.seq, seq as u64);
            assert!(PHASES.contains(&read.phase.as_str()) && list_types().contains(&read.kind.as_str()), "{line}");
            // Whoever wrote the log chose the spaces within the list; they are kept where it is given.
            if read.sources.is_some() {
                let (_, rest) = line.rsplit_once("\"sources\":").unwrap();
                let list = &rest[..=rest.rfind(']').unwrap()];
                read.sources = parse_sources(list).unwrap();
            }
            assert_eq!(read.render(), line);
        }
    }
}
