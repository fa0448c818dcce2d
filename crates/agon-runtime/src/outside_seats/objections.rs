//! What stands against a person's answer before it is recorded: what the rules would ask for again, and quotes of the
//! material that do not stand where they are said to.

use agon_core::{Fault, Record, Request, parse};
use agon_material::{
    manifest::MaterialManifest,
    quotes::{QuoteCode, QuotedMaterial},
};

use super::OutsideSeats;
use crate::prompts::{
    description::{find_rule_objections, place_faults},
    material::{MATERIAL, open_material_store},
    shown_char,
};

impl OutsideSeats<'_> {
    /// What there is against `text` as the answer to `request`; each with its place as a path into the answer, and then in
    /// the words of the form.
    pub fn find_objections(&self, record: &Record, request: &Request, text: &str) -> Vec<(String, Fault)> {
        let mut faults = find_rule_objections(self.protocol, record, request, text);
        if faults.is_empty() {
            // Material that cannot be read is for the verifier to tell.
            faults = self.find_misquotes(record, text).unwrap_or_default();
        }
        let placed = place_faults(self.protocol.human_prompts().get(&request.prompt), &faults);
        faults.iter().map(|fault| fault.at.clone()).zip(placed).collect()
    }

    /// The quotes in a statement's lists that do not stand at the place next to them; `None` without material.
    fn find_misquotes(&self, record: &Record, text: &str) -> Option<Vec<Fault>> {
        let list = record.document(MATERIAL)?;
        let statement = parse::parse_json_answer(text).ok()?;
        let store = open_material_store(self.home).ok()?;
        let manifest = store.load_tree(MaterialManifest::parse(list).ok()?).ok()?;
        let material = QuotedMaterial { manifest: &manifest, store: &store, shown: shown_char };
        let lists = statement.as_object()?.iter().filter_map(|(name, list)| Some((name, list.as_array()?)));
        let members = lists.flat_map(|(name, list)| {
            list.iter().enumerate().map(move |(at, member)| (format!("{name}[{at}].quote"), member))
        });
        let faults = members.filter_map(|(at, member)| {
            let check = material.check_quote(member["place"].as_str()?, Some(member["quote"].as_str()?)).ok()?;
            let is_nowhere =
                matches!(check.code, QuoteCode::QuoteAbsent | QuoteCode::NoSuchFile | QuoteCode::NoSuchLine);
            is_nowhere.then(|| Fault { rule: "quote".into(), at, message: check.note })
        });
        Some(faults.collect())
    }
}
