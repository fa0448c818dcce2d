//! What this machine has for a model that runs on it.

use sysinfo::System;

/// Bytes of memory that programs can still take; `None` where the system does not say.
pub fn free_memory() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    Some(system.available_memory()).filter(|bytes| *bytes > 0)
}

/// Threads that its processors run at once, where this process may use them.
pub fn count_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_runs_tests_has_memory_and_a_processor() {
        assert!(free_memory().is_none_or(|bytes| bytes > 10_000_000));
        assert!(count_cores() >= 1);
    }
}
