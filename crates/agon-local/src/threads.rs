//! How many threads to compute with.
//!
//! llama.cpp's threads spin at barriers: one thread more than there are idle cores makes generation
//! many times slower than one thread less does. So the number follows the load at start.

use std::collections::HashSet;

/// Threads to compute with, never 0: `asked` if given, else the environment variable
/// `AGON_THREADS`, else the physical cores less those that are busy right now.
pub fn choose(asked: Option<u32>) -> u32 {
    let environment = || std::env::var("AGON_THREADS").ok()?.trim().parse().ok();
    asked
        .filter(|&threads| threads > 0)
        .or_else(|| environment().filter(|&threads| threads > 0))
        .unwrap_or_else(|| idle_cores(physical_cores(), load()))
}

fn idle_cores(cores: u32, load: f64) -> u32 {
    let busy = load.round().clamp(0.0, f64::from(cores)) as u32;
    (cores - busy).max(1)
}

/// Average number of running processes over the last minute; 0 where it is not known.
fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0.0)
}

/// Physical cores, at most as many as this process may use.
fn physical_cores() -> u32 {
    let allowed = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    match count_cores(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()) {
        0 => allowed,
        cores => cores.min(allowed),
    }
}

/// Distinct pairs of socket and core in the text of `/proc/cpuinfo`; 0 if it names none.
fn count_cores(cpuinfo: &str) -> u32 {
    let mut socket = "0";
    let mut cores = HashSet::new();
    for (key, value) in cpuinfo.lines().filter_map(|line| line.split_once(':')) {
        match key.trim() {
            "physical id" => socket = value.trim(),
            "core id" => drop(cores.insert((socket, value.trim()))),
            _ => {}
        }
    }
    cores.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_machine_uses_every_core_and_a_busy_one_fewer_but_never_none() {
        assert_eq!(idle_cores(2, 0.3), 2);
        assert_eq!(idle_cores(2, 1.0), 1);
        assert_eq!(idle_cores(8, 2.6), 5);
        assert_eq!(idle_cores(2, 9.0), 1);
        assert_eq!(choose(Some(3)), 3);
        assert!(choose(Some(0)) >= 1);
    }

    #[test]
    fn hyperthreads_count_once() {
        let text = "processor : 0\nphysical id : 0\ncore id : 0\n\nprocessor : 1\nphysical id : 0\ncore id : 0\n\n\
                    processor : 2\nphysical id : 0\ncore id : 1\n";
        assert_eq!(count_cores(text), 2);
        assert_eq!(count_cores(""), 0);
    }
}
