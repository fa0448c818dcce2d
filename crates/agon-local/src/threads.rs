//! How many threads to compute with.
//!
//! llama.cpp's threads spin at barriers: one thread more than there are idle cores makes generation
//! many times slower than one thread less does. So the number follows what other processes take of the machine,
//! while the model runs: a build that has just ended no longer counts, and one that begins later does.

use std::collections::HashSet;

/// Ticks of the processors after which a look is worth acting on: a tenth of a second of one processor has ten.
const WINDOW_TICKS: f64 = 10.0;

/// Threads to compute with, never 0: `asked` if given, else the environment variable `AGON_THREADS`, else all
/// physical cores that this process may use.
pub fn most_threads(asked: Option<u32>) -> u32 {
    requested_threads(asked).unwrap_or_else(|| physical_cores().min(allowed_cores()))
}

/// What the user or the environment says.
fn requested_threads(asked: Option<u32>) -> Option<u32> {
    let environment = || std::env::var("AGON_THREADS").ok()?.trim().parse().ok();
    asked.filter(|&threads| threads > 0).or_else(|| environment().filter(|&threads| threads > 0))
}

/// Watches how much of the machine other processes take.
#[derive(Debug)]
pub struct IdleCores {
    /// No number was asked for.
    follows: bool,
    /// Physical cores of the machine, and threads at most.
    cores: u32,
    most: u32,
    /// The last look; none where the system does not tell.
    last: Option<CpuTicks>,
}

impl IdleCores {
    /// Begins to watch.
    pub fn start_watching(asked: Option<u32>) -> Self {
        Self {
            follows: requested_threads(asked).is_none(),
            cores: physical_cores(),
            most: most_threads(asked),
            last: CpuTicks::now(),
        }
    }

    /// Threads for what comes next, by what other processes took since the last look. `None` if nothing is known
    /// that would change the number: it was asked for, the last look is too recent, or the system does not tell.
    pub fn choose_threads(&mut self) -> Option<u32> {
        let (last, now) = (self.last.filter(|_| self.follows)?, CpuTicks::now()?);
        let others = now.others_since(&last)?;
        self.last = Some(now);
        Some(count_idle_cores(self.cores, others).min(self.most))
    }
}

fn count_idle_cores(cores: u32, others: f64) -> u32 {
    let busy = others.round().clamp(0.0, f64::from(cores)) as u32;
    (cores - busy).max(1)
}

/// Ticks that processors have counted since the machine started.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CpuTicks {
    processors: f64,
    /// Of all processors together, and those that were used.
    all: f64,
    used: f64,
    /// Used by this process.
    own: f64,
}

impl CpuTicks {
    /// `None` where there is no `/proc`.
    fn now() -> Option<Self> {
        let read = |path| std::fs::read_to_string(path).ok();
        Self::parse(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    /// From the texts of `/proc/stat` and `/proc/self/stat` (proc(5)).
    fn parse(machine: &str, process: &str) -> Option<Self> {
        let processors = machine.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu ")).count();
        // user, nice, system, idle, iowait, irq, softirq, steal; guests are in user already.
        let ticks = machine.lines().next()?.strip_prefix("cpu ")?.split_whitespace().take(8);
        let ticks: Vec<f64> = ticks.map(str::parse).collect::<Result<_, _>>().ok()?;
        let all: f64 = ticks.iter().sum();
        let used = all - ticks.get(3)? - ticks.get(4)?;
        // The name of the program, in brackets, can hold anything.
        let mut fields = process.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut next = || fields.next()?.parse::<f64>().ok();
        Some(Self { processors: processors as f64, all, used, own: next()? + next()? })
    }

    /// Cores that other processes used on average since `before`; `None` if too little time has passed.
    fn others_since(&self, before: &Self) -> Option<f64> {
        let window = (self.all - before.all) / self.processors;
        let others = (self.used - before.used) - (self.own - before.own);
        (window >= WINDOW_TICKS).then(|| (others / window).max(0.0))
    }
}

fn allowed_cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}

/// Physical cores of the machine.
fn physical_cores() -> u32 {
    match count_cores(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()) {
        0 => allowed_cores(),
        cores => cores,
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
        assert_eq!(count_idle_cores(2, 0.3), 2);
        assert_eq!(count_idle_cores(2, 1.0), 1);
        assert_eq!(count_idle_cores(8, 2.6), 5);
        assert_eq!(count_idle_cores(2, 9.0), 1);
        assert_eq!(most_threads(Some(3)), 3);
        assert!(most_threads(Some(0)) >= 1);
        assert_eq!(IdleCores::start_watching(Some(3)).choose_threads(), None, "what was asked for stays");
    }

    /// Two processors, and this process with 500 ticks.
    fn ticks(user: u32, idle: u32, own: u32) -> CpuTicks {
        let machine = format!("cpu  {user} 0 0 {idle} 7 0 0 0 9 0\ncpu0 1 2\ncpu1 1 2\nintr 5\n");
        let process = format!("4 (a) b) R 1 1 1 0 -1 4 0 0 0 0 {own} 100 0 0 20 0\n");
        CpuTicks::parse(&machine, &process).unwrap()
    }

    #[test]
    fn only_what_others_used_since_the_last_look_counts() {
        let before = ticks(1000, 5000, 400);
        assert_eq!(before, CpuTicks { processors: 2.0, all: 6007.0, used: 1000.0, own: 500.0 });
        assert_eq!(ticks(1200, 5000, 600).others_since(&before), Some(0.0), "both cores are its own");
        assert_eq!(ticks(1200, 5000, 500).others_since(&before), Some(1.0));
        assert_eq!(ticks(1100, 5100, 400).others_since(&before), Some(1.0));
        assert_eq!(ticks(1200, 5000, 400).others_since(&before), Some(2.0));
        assert_eq!(ticks(1000, 5200, 400).others_since(&before), Some(0.0), "nobody uses anything");
        assert_eq!(ticks(1009, 5000, 400).others_since(&before), None, "too early to tell");
        assert_eq!(CpuTicks::parse("cpu 1 2", "4 (a) R"), None);
    }

    #[test]
    fn hyperthreads_count_once() {
        let text = "processor : 0\nphysical id : 0\ncore id : 0\n\nprocessor : 1\nphysical id : 0\ncore id : 0\n\n\
                    processor : 2\nphysical id : 0\ncore id : 1\n";
        assert_eq!(count_cores(text), 2);
        assert_eq!(count_cores(""), 0);
    }
}
