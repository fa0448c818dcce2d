//! How many files the process may have open.

/// Asks the system for as many open files as it may give: each debate holds a lock and some connections.
pub fn raise_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // Where it gives no more, debates that find none say so and can be run again.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
