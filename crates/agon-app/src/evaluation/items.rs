//! The file of items: read once to check every line and to draw a sample, and again, item by item, to run. It is
//! never held in memory.

use std::{
    collections::BTreeSet,
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use agon_core::Digest;
use agon_eval::item::{Item, ItemReader};
use agon_text::count_noun;

use super::content_key::item_digest;
use crate::{
    failure::{Failure, Result},
    opening::check_motion,
};

/// Faulty lines that a message names.
const FAULTS_MAX: usize = 3;
/// Items from which an interval says something.
const FEW: u64 = 30;
/// Items that a plan is computed from.
pub const PLANNED_MAX: usize = 20;

/// A file of items without a fault.
#[derive(Debug, Clone)]
pub struct ItemFile {
    /// Where it is.
    pub path: PathBuf,
    /// Digest of all items, in their order.
    pub digest: Digest,
    /// How many there are.
    pub count: u64,
    /// How many of them are answered.
    pub selected: u64,
    /// How many of those have a gold answer.
    pub with_gold: u64,
    /// Ids of a pilot's sample; `None` for all items.
    pub sample: Option<BTreeSet<String>>,
    /// Some items, for plans.
    pub examples: Vec<Item>,
    /// The first item without choices.
    pub without_choices: Option<String>,
}

/// The file at `path`, which has one JSON object on each line.
pub(super) fn open_lines(path: &Path) -> Result<BufReader<File>> {
    let file = File::open(path).map_err(|error| {
        Failure::io(format!("{}: {error}", path.display()), "name a file with one JSON object on each line")
    })?;
    Ok(BufReader::new(file))
}

/// The items in the file at `path`, one by one.
pub fn read_items(path: &Path) -> Result<impl Iterator<Item = Result<Item>> + use<>> {
    let place = path.display().to_string();
    let items = ItemReader::new(open_lines(path)?).map(move |item| {
        item.map_err(|error| Failure::usage(format!("{place}: {error}"), "docs/eval.md describes items"))
    });
    Ok(items)
}

/// The text of an item as a motion: its question, and its choices in the order in which they are shown.
pub fn render_motion<'c>(item: &Item, choices: impl IntoIterator<Item = &'c String>) -> String {
    let choices: Vec<String> =
        choices.into_iter().zip('A'..='Z').map(|(choice, letter)| format!("{letter}: {choice}")).collect();
    match choices.is_empty() {
        true => item.question.clone(),
        false => format!("{}\n\n{}", item.question.trim(), choices.join("\n")),
    }
}

impl ItemFile {
    /// Reads and checks every line; draws `pilot` items where a sample is wanted.
    pub fn load_checked(path: &Path, pilot: Option<u32>, seed: u64) -> Result<Self> {
        if path.is_dir() {
            return Err(Failure::usage(
                format!("{} is a folder", path.display()),
                "name a file with one JSON object on each line",
            ));
        }
        let mut found = Self {
            path: path.to_owned(),
            digest: Digest::from_content(""),
            count: 0,
            selected: 0,
            with_gold: 0,
            sample: None,
            examples: Vec::new(),
            without_choices: None,
        };
        let mut faults: Vec<Failure> = Vec::new();
        // The items with the smallest lots are the sample: the same for every order of reading.
        let mut lots: BTreeSet<(String, String, bool)> = BTreeSet::new();
        for item in read_items(path)? {
            let item = match item.and_then(|item| check_item(path, item)) {
                Ok(item) => item,
                Err(fault) => {
                    faults.push(fault);
                    if faults.len() >= FAULTS_MAX {
                        break;
                    }
                    continue;
                }
            };
            let digest = item_digest(&item);
            found.digest = Digest::from_content(format!("{}{}", found.digest, digest));
            found.count += 1;
            if let Some(pilot) = pilot {
                let lot = Digest::from_content(format!("pilot/{seed}/{}", item.id));
                lots.insert((lot.as_str().to_owned(), item.id.clone(), item.gold.is_some()));
                if lots.len() > pilot as usize {
                    lots.pop_last();
                }
            } else {
                found.selected += 1;
                found.with_gold += u64::from(item.gold.is_some());
            }
            if item.choices.is_empty() && found.without_choices.is_none() {
                found.without_choices = Some(item.id.clone());
            }
            if found.examples.len() < PLANNED_MAX {
                found.examples.push(item);
            }
        }
        if let Some(first) = faults.first() {
            let all: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            return Err(Failure { message: all.join("\n       "), ..first.clone() });
        }
        if found.count == 0 {
            return Err(Failure::usage(
                format!("{} has no items", path.display()),
                "write one JSON object on each line: {\"id\": …, \"question\": …, \"choices\": […], \"gold\": …}",
            ));
        }
        if pilot.is_some() {
            found.selected = lots.len() as u64;
            found.with_gold = lots.iter().filter(|(.., has_gold)| *has_gold).count() as u64;
            found.sample = Some(lots.into_iter().map(|(_, id, _)| id).collect());
        }
        Ok(found)
    }

    /// What to know of the items before anything is asked.
    pub fn collect_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let without = self.selected - self.with_gold;
        if self.with_gold == 0 {
            notes.push("no item has a gold answer: accuracy cannot be computed, only agreement and cost".to_owned());
        } else if without > 0 {
            let all = count_noun(self.selected, "item", "items");
            notes.push(format!("{without} of {all} have no gold answer; they do not count for accuracy"));
        }
        if self.selected < FEW {
            let all = count_noun(self.selected, "item", "items");
            notes.push(format!("{all}: intervals will be wide; {FEW} or more say something"));
        }
        notes
    }
}

/// An item whose text is not too long to be debated.
fn check_item(path: &Path, item: Item) -> Result<Item> {
    check_motion(&render_motion(&item, &item.choices)).map_err(|failure| {
        let message = format!("{}: item {:?}: {}", path.display(), item.id, failure.message);
        Failure::usage(message, "shorten the question or the choices, or move text to context")
    })?;
    Ok(item)
}
