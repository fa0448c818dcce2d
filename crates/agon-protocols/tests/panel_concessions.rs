//! How well concessions are heard: labelled answers, counted. The built half was at hand while the cues
//! were written; the held half was written before them and looked at afterwards, by the same hand. The hard
//! lines were written against the cues, which then were mended; by the fresh ones nothing was mended.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Figures are for readers.

use agon_core::Seat;
use agon_protocols::panel::concession::ConcessionContext;

/// Precision and recall over one half.
#[derive(Debug, Default, Clone, Copy)]
struct Counted {
    right: f64,
    wrong: f64,
    missed: f64,
}

impl Counted {
    fn add(&mut self, is_wanted: bool, is_found: bool) {
        match (is_wanted, is_found) {
            (true, true) => self.right += 1.0,
            (false, true) => self.wrong += 1.0,
            (true, false) => self.missed += 1.0,
            (false, false) => {}
        }
    }

    fn precision(&self) -> f64 {
        self.right / (self.right + self.wrong).max(1.0)
    }

    fn recall(&self) -> f64 {
        self.right / (self.right + self.missed).max(1.0)
    }
}

/// What a half comes to: counted without the moderator, shown to the moderator, and refused although the
/// moderator says yes.
struct Half {
    sure: Counted,
    shown: Counted,
    borne: Counted,
}

fn measured(name: &str, lines: &str) -> Half {
    let mut half = Half { sure: Counted::default(), shown: Counted::default(), borne: Counted::default() };
    let seat = |n: usize| Seat::new(format!("panelist-{n}")).unwrap();
    let seats = [seat(1), seat(3)];
    for line in lines.lines() {
        let mut columns = line.split('\t');
        let (language, label, answer) =
            (columns.next().unwrap(), columns.next().unwrap(), columns.next().unwrap());
        let names: Vec<&str> = columns.next().unwrap_or("Ada|Cy").split('|').collect();
        let others = seats.iter().zip(names).collect();
        let heard = ConcessionContext::of(answer, others, Some(&seats[0]));
        let conceded = heard.conceded();
        let towards = |sure: bool| conceded.iter().any(|one| one.with == seats[0] && (one.sure || !sure));
        let is_wanted = label == "yes";
        half.sure.add(is_wanted, towards(true));
        half.shown.add(is_wanted, towards(false));
        half.borne.add(is_wanted, heard.bears(&seats[0], None));
        if is_wanted != towards(true) || (is_wanted && !towards(false)) {
            println!(
                "  {name} {language} {label}: sure {}, shown {}: {answer}",
                towards(true),
                towards(false)
            );
        }
    }
    for (what, counted) in [("alone", half.sure), ("shown", half.shown), ("borne", half.borne)] {
        println!(
            "{name}, {what}: precision {:.2}, recall {:.2} ({} right, {} wrong, {} missed)",
            counted.precision(),
            counted.recall(),
            counted.right,
            counted.wrong,
            counted.missed
        );
    }
    half
}

#[test]
fn what_counts_without_the_moderator_is_seldom_wrong_and_most_is_shown() {
    let built = measured("built", include_str!("panel/concessions-built.tsv"));
    let held = measured("held", include_str!("panel/concessions-held.tsv"));
    let hard = measured("hard", include_str!("panel/concessions-hard.tsv"));
    let fresh = measured("fresh", include_str!("panel/concessions-fresh.tsv"));
    assert!(built.sure.precision() >= 0.95 && held.sure.precision() >= 0.9 && fresh.sure.precision() >= 0.8);
    assert!(hard.sure.precision() >= 0.9);
    assert!(built.shown.recall() >= 0.9 && held.shown.recall() >= 0.9 && fresh.shown.recall() >= 0.6);
}
