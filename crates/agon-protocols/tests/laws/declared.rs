//! Protocols out of files, under the laws: the examples, what `agon protocols new` writes, one
//! that uses what those do not, and arms of evaluations.

use std::collections::BTreeMap;

use agon_core::Protocol;
use agon_protocols::declared::{self, shipped_arms};

const DECLARATIONS: [&str; 5] = [
    include_str!("../../../../examples/protocols/delphi.toml"),
    include_str!("../../../../examples/protocols/six-hats.toml"),
    include_str!("../../../../examples/protocols/pre-mortem.toml"),
    declared::SKELETON,
    include_str!("everything.toml"),
];

pub fn all() -> Vec<&'static dyn Protocol> {
    let arms =
        ["self-consistency", "critique", "debate-mirrored"].map(|arm| shipped_arms::find_shipped_text(arm).unwrap());
    let protocols = DECLARATIONS.iter().chain(&arms).map(|text| -> &'static dyn Protocol {
        let text = text.replace("\"NAME\"", "\"skeleton\"");
        let declaration = declared::parse_declaration(&text).unwrap_or_else(|fault| panic!("{fault}: {text:.40}"));
        declared::intern_protocol(&text, &declaration, &BTreeMap::new()).unwrap()
    });
    protocols.collect()
}
