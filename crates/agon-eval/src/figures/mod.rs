//! The figures of an arm, and of two arms, from rows.

pub mod accuracy;
pub mod availability;
pub mod change;
pub mod cost;
pub mod judges;
pub mod orders;
pub mod paired;
pub mod pilot;

use std::collections::BTreeMap;

use crate::table::TableRow;

/// Sum and count of a value in each cluster. Rows without the value are left out.
pub(crate) fn by_cluster(rows: &[TableRow], value: impl Fn(&TableRow) -> Option<f64>) -> Vec<(f64, f64)> {
    let values = rows.iter().filter_map(|row| Some((row.cluster, value(row)?)));
    sum_by_cluster(values)
}

/// Sum and count of the values of each cluster, in the order of the clusters.
pub(crate) fn sum_by_cluster(values: impl Iterator<Item = (usize, f64)>) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (cluster, value) in values {
        let sum = sums.entry(cluster).or_default();
        *sum = (sum.0 + value, sum.1 + 1.0);
    }
    sums.into_values().collect()
}

/// 1 for true, 0 for false.
pub(crate) fn bool_to_number(is: bool) -> f64 {
    f64::from(u8::from(is))
}
