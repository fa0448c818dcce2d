//! What debates name: documents, and the forks, pages and material that several of them share.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{DebateId, Digest, Entry, Event};

use super::{
    Journal, Result,
    storage::{IdChunk, StoreConnection},
    verified_read::parse_entry,
};

/// Rows that are read at a time where every answer of the journal is looked through.
const ROWS_AT_ONCE: u32 = 256;
/// The first entry of every debate but one, in order of ids.
const OPENINGS: &str = "SELECT d.id, e.line FROM debates d CROSS JOIN entries e ON e.debate = d.id AND e.seq = 0
    WHERE d.id > ?1 AND d.id <> ?2 ORDER BY d.id LIMIT ?3";

impl Journal {
    /// The document `name` of each of `debates` that has one. Nothing of their records is read but the first entry.
    ///
    /// # Errors
    ///
    /// Where the journal cannot be read, or a document is missing.
    pub fn read_documents(&self, debates: &[&DebateId], name: &str) -> Result<BTreeMap<DebateId, String>> {
        let mut pinned: BTreeMap<DebateId, Digest> = BTreeMap::new();
        for some in IdChunk::split_ids(debates, &[]) {
            let sql = format!("SELECT debate, line FROM entries WHERE seq = 0 AND debate IN ({})", some.places);
            self.read_store(|db| {
                for row in db.query(&sql, &some.values)? {
                    let (debate, line): (DebateId, String) = row.read()?;
                    let entry = parse_entry(db.store_location(), &debate, 0, &line)?;
                    let Event::Opened(opened) = entry.what else { continue };
                    pinned.extend(opened.documents.get(name).map(|digest| (debate, digest.clone())));
                }
                Ok(())
            })?;
        }
        let texts = self.read_texts(pinned.values())?;
        let read = pinned.into_iter().filter_map(|(debate, digest)| Some((debate, texts.get(&digest)?.clone())));
        Ok(read.collect())
    }

    /// The debates that were forked from `debate`, and hold copies of its entries; oldest first.
    pub fn forks_of(&self, debate: &DebateId) -> Result<Vec<DebateId>> {
        let mut forks = BTreeSet::new();
        self.each_opening(debate, |_, entry| {
            if let Event::Opened(opened) = entry.what
                && opened.parent.is_some_and(|parent| parent.debate == *debate)
            {
                forks.insert((entry.at.0, opened.debate));
            }
            Ok(true)
        })?;
        Ok(forks.into_iter().map(|(_, id)| id).collect())
    }

    /// Those of `digests` that no answer of another debate names.
    pub fn pages_of_it_alone(&self, debate: &DebateId, mut digests: Vec<String>) -> Result<Vec<String>> {
        let (mut after, mut seq) = (String::new(), -1_i64);
        while !digests.is_empty() {
            let rows = self.read_store(|db| {
                let sql = "SELECT debate, seq, line FROM entries
                           WHERE (debate > ?1 OR (debate = ?1 AND seq > ?2)) AND kind = 'answered'
                           AND debate <> ?3 AND line LIKE '%sha256%' ORDER BY debate, seq LIMIT ?4";
                db.query(sql, &[&after, &seq, &debate, &ROWS_AT_ONCE])
            })?;
            let is_last = rows.len() < ROWS_AT_ONCE as usize;
            for row in rows {
                let line: String;
                (after, seq, line) = row.read()?;
                digests.retain(|digest| !line.contains(digest.as_str()));
            }
            if is_last {
                break;
            }
        }
        Ok(digests)
    }

    /// Those of `digests`, of contents of material, that the material of no other debate lists.
    pub fn material_of_it_alone(&self, debate: &DebateId, mut digests: Vec<String>) -> Result<Vec<String>> {
        if digests.is_empty() {
            return Ok(digests);
        }
        self.each_opening(debate, |db, entry| {
            let Event::Opened(opened) = entry.what else { return Ok(true) };
            let Some(list) = opened.documents.get("material") else { return Ok(true) };
            let sql = "SELECT content FROM texts WHERE digest = ?1";
            if let Some(mut row) = db.query_first(sql, &[&list])? {
                let list: String = row.take(0)?;
                digests.retain(|digest| !list.contains(digest.as_str()));
            }
            Ok(!digests.is_empty())
        })?;
        Ok(digests)
    }

    /// Lets `look` see the first entry of every debate but `debate`, until it says that it has seen enough. It may see one twice.
    fn each_opening(
        &self,
        debate: &DebateId,
        mut look: impl FnMut(&dyn StoreConnection, Entry) -> Result<bool>,
    ) -> Result<()> {
        let mut after = String::new();
        loop {
            let goes_on = self.read_store(|db| {
                let rows = db.query(OPENINGS, &[&after, &debate, &ROWS_AT_ONCE])?;
                let is_last = rows.len() < ROWS_AT_ONCE as usize;
                let mut last = None;
                for row in rows {
                    let (id, line): (String, String) = row.read()?;
                    // What cannot be read is not known to name nothing.
                    let entry = parse_entry(db.store_location(), &id, 0, &line)?;
                    if !look(db, entry)? {
                        return Ok(None);
                    }
                    last = Some(id);
                }
                Ok(last.filter(|_| !is_last))
            })?;
            match goes_on {
                Some(last) => after = last,
                None => return Ok(()),
            }
        }
    }
}
