//! Strengths against figures that others computed, where they are at hand. Small graphs computed by
//! hand stand beside the code.
#![allow(clippy::disallowed_methods)] // Tests read what formats must not.

use std::{collections::BTreeMap, fs, path::PathBuf};

use agon_report::graph::semantics::{Measure, Weighted};
use serde_json::Value;

#[test]
fn strengths_are_those_that_others_computed() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/qbaf/golden_gradual.json");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: the golden strengths are absent");
        return;
    };
    let graphs: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
    assert!(!graphs.is_empty());
    for (name, graph) in graphs {
        let base: BTreeMap<String, f64> = serde_json::from_value(graph["base"].clone()).unwrap();
        let ids: Vec<&String> = base.keys().collect();
        let at = |id: &Value| ids.iter().position(|known| *known == id.as_str().unwrap()).unwrap();
        let edges =
            |key: &str| graph[key].as_array().unwrap().iter().map(|pair| (at(&pair[0]), at(&pair[1]))).collect();
        let weighted =
            Weighted { base: base.values().copied().collect(), attacks: edges("att"), supports: edges("sup") };
        for (measure, key) in [(Measure::DfQuad, "df_quad"), (Measure::QuadraticEnergy, "quadratic_energy")] {
            let strengths = weighted.compute_strengths(measure).expect("it settles");
            for (id, strength) in ids.iter().zip(strengths) {
                let wanted = graph[key][id.as_str()].as_f64().unwrap();
                assert!((strength - wanted).abs() < 1e-6, "{name}, {id} by {key}: {strength} is not {wanted}");
            }
        }
    }
}
