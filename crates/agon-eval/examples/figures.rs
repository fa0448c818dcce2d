//! Figures of tables that another program gives, for comparing them with its own: one JSON object on each line of
//! standard input, one on each line of standard output. `scripts/check-eval` uses it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{
    collections::BTreeMap,
    io::{BufRead, stdin},
};

use agon_eval::{
    agreement::{count_effective_votes, effective_votes, krippendorff_alpha},
    bootstrap::{percentile_interval, tail_share},
    bradley_terry::log_strengths,
    estimate::wilson_interval,
    mcnemar::{McNemar, adjust_by_holm},
    scores::{Calibration, Forecast},
};
use serde::Deserialize;
use serde_json::{Value, json};

/// One table, by what is to be computed of it.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Table {
    /// b and c.
    Mcnemar(u64, u64),
    /// Hits of n.
    Wilson(u64, u64),
    /// p values.
    Holm(Vec<f64>),
    /// Probabilities of the choices and place of the right one, for each item.
    Scores(Vec<(Vec<f64>, usize)>),
    /// Values of each unit.
    Alpha(Vec<Vec<u8>>),
    /// Wins of row against column.
    BradleyTerry(Vec<Vec<f64>>),
    /// Sum and count of each cluster, and the clusters of each resample.
    Bootstrap(Vec<(f64, f64)>, Vec<Vec<usize>>),
    /// Margins of each judge, by unit.
    EffectiveVotes(Vec<BTreeMap<usize, f64>>),
    /// Judges and mean correlation.
    Kish(usize, f64),
}

fn figure(table: Table) -> Value {
    match table {
        Table::Mcnemar(b, c) => json!(McNemar::from_counts(b, c).p),
        Table::Wilson(hits, n) => json!(wilson_interval(hits, n)),
        Table::Holm(p) => json!(adjust_by_holm(&p)),
        Table::Scores(items) => {
            let forecasts: Vec<Forecast> =
                items.iter().map(|(probabilities, gold)| Forecast::new(probabilities, *gold).unwrap()).collect();
            let mean = |of: fn(&Forecast) -> f64| forecasts.iter().map(of).sum::<f64>() / forecasts.len() as f64;
            let table = Calibration::from_confidences(forecasts.iter().map(Forecast::confidence_and_outcome));
            json!([mean(Forecast::brier_score), mean(Forecast::log_score), table.error.value])
        }
        Table::Alpha(units) => json!(krippendorff_alpha(&units)),
        Table::BradleyTerry(wins) => json!(log_strengths(&wins)),
        Table::Bootstrap(clusters, resamples) => {
            let ratio = |drawn: &[usize]| {
                let sum = |of: fn(&(f64, f64)) -> f64| drawn.iter().map(|at| of(&clusters[*at])).sum::<f64>();
                sum(|pair| pair.0) / sum(|pair| pair.1)
            };
            let values: Vec<f64> = resamples.iter().map(|drawn| ratio(drawn)).collect();
            json!(percentile_interval(values, resamples.len(), tail_share(clusters.len())).ok())
        }
        Table::EffectiveVotes(judges) => json!(effective_votes(&judges)),
        Table::Kish(judges, correlation) => json!(count_effective_votes(judges, correlation)),
    }
}

fn main() {
    for line in stdin().lock().lines() {
        println!("{}", figure(serde_json::from_str(&line.unwrap()).unwrap()));
    }
}
