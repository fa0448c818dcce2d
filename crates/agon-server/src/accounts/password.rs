//! Passwords: Argon2id with the library's own costs (19 MiB, 2 passes), stored as PHC strings.
//!
//! The threads that compute them are few, live as long as the server, and each reuses one block of memory: on threads of
//! the runtime, each of several hundred kept 19 MiB for as long as it lived.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError, mpsc},
    thread,
};

use agon_journal::accounts::{AccountError, AccountSecret};
use argon2::{
    Algorithm, Argon2, Block, Params, Version,
    password_hash::{
        phc::{Output, ParamsString, PasswordHash, Salt},
        try_generate_salt,
    },
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::Refusal;

/// Fewest characters of a password.
pub const PASSWORD_CHARS_MIN: usize = 12;
/// Most bytes of a password.
const PASSWORD_BYTES_MAX: usize = 1024;
/// Threads that check passwords, each with 19 MiB.
const THREADS: usize = 4;
/// Passwords that wait for a thread. Two cores check these within two seconds, so that a flood of wrong logins keeps
/// nobody waiting: further ones are refused at once.
const WAITING_MAX: usize = 64;

/// The hash of a password that nobody has: it is checked where there is not such a person, to take as long.
static NOBODY: OnceLock<Option<String>> = OnceLock::new();

/// Computes hashes, one after the other, in the same memory.
#[derive(Default)]
pub(super) struct PasswordHasher {
    memory: Vec<Block>,
}

impl PasswordHasher {
    fn compute_hash(&mut self, argon2: &Argon2<'_>, password: &str, salt: &[u8], length: usize) -> Option<Output> {
        let mut out = [0; Output::MAX_LENGTH];
        let out = out.get_mut(..length)?;
        let blocks = argon2.params().block_count();
        if self.memory.len() < blocks {
            self.memory.resize(blocks, Block::default());
        }
        argon2.hash_password_into_with_memory(password.as_bytes(), salt, out, &mut self.memory).ok()?;
        Output::new(out).ok()
    }

    fn hash(&mut self, password: &str) -> Option<String> {
        let argon2 = Argon2::default();
        let salt = try_generate_salt().ok()?;
        let output = self.compute_hash(&argon2, password, &salt, Params::DEFAULT_OUTPUT_LEN)?;
        let hash = PasswordHash {
            algorithm: Algorithm::default().ident(),
            version: Some(Version::default().into()),
            params: ParamsString::try_from(argon2.params()).ok()?,
            salt: Some(Salt::new(&salt).ok()?),
            hash: Some(output),
        };
        Some(hash.to_string())
    }

    /// Whether `password` has the hash `stored`.
    fn has_hash(&mut self, stored: &str, password: &str) -> Option<bool> {
        let stored = PasswordHash::new(stored).ok()?;
        let algorithm = Algorithm::try_from(stored.algorithm.as_str()).ok()?;
        let version = stored.version.map(Version::try_from).transpose().ok()?.unwrap_or_default();
        let argon2 = Argon2::new(algorithm, version, Params::try_from(&stored).ok()?);
        let (salt, wanted) = (stored.salt?, stored.hash?);
        // Outputs are compared in constant time.
        Some(self.compute_hash(&argon2, password, &salt, wanted.len())? == wanted)
    }

    /// Whether `password` is that of `stored`; never where nothing is stored.
    pub fn is_right(&mut self, stored: Option<&str>, password: &str) -> bool {
        let nobody = NOBODY.get_or_init(|| self.hash(AccountSecret::random("")?.text()));
        let Some(hash) = stored.or(nobody.as_deref()) else { return false };
        let password = if password.len() > PASSWORD_BYTES_MAX { "" } else { password };
        self.has_hash(hash, password).unwrap_or_default() && stored.is_some()
    }

    /// The hash of a new password, as a PHC string.
    pub fn hash_new(&mut self, password: &str) -> Result<String, AccountError> {
        if password.chars().count() < PASSWORD_CHARS_MIN || password.len() > PASSWORD_BYTES_MAX {
            let why = format!(
                "a password has at least {PASSWORD_CHARS_MIN} characters and at most {PASSWORD_BYTES_MAX} bytes"
            );
            return Err(AccountError::Unusable(why));
        }
        self.hash(password).ok_or_else(|| AccountError::Unusable("the password could not be hashed".into()))
    }
}

/// The hash of a new password, as a PHC string.
///
/// # Errors
///
/// Where it has fewer than 12 characters or more than 1024 bytes.
pub fn hash_password(password: &str) -> Result<String, AccountError> {
    PasswordHasher::default().hash_new(password)
}

type Job = Box<dyn FnOnce(&mut PasswordHasher) + Send>;

/// The threads that compute hashes. They end with it.
pub(super) struct PasswordThreads {
    jobs: mpsc::Sender<Job>,
    waiting: Arc<Semaphore>,
}

/// A place among those who wait for one of the threads, free again once the work is done or left out.
#[derive(Debug)]
pub(crate) struct PasswordPlace {
    _permit: OwnedSemaphorePermit,
}

impl PasswordThreads {
    /// Starts them; they take memory once they are needed.
    pub fn start() -> Self {
        let (jobs, taken) = mpsc::channel::<Job>();
        let taken = Arc::new(Mutex::new(taken));
        for _ in 0..THREADS {
            let taken = Arc::clone(&taken);
            thread::spawn(move || {
                let mut hasher = PasswordHasher::default();
                loop {
                    let job = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { return };
                    job(&mut hasher);
                }
            });
        }
        Self { jobs, waiting: Arc::new(Semaphore::new(WAITING_MAX)) }
    }

    /// A place for one piece of work.
    ///
    /// # Errors
    ///
    /// Where all are taken; it is asked before anything is counted or read.
    pub fn take_place(&self) -> Result<PasswordPlace, Refusal> {
        let place = Arc::clone(&self.waiting).try_acquire_owned();
        let busy = |_| Refusal::new(503, "busy", "too many people log in at this moment", "try again in some seconds");
        place.map(|permit| PasswordPlace { _permit: permit }).map_err(busy)
    }

    /// Does `work` on one of the threads. If nobody waits for it any more when its turn comes, it is left out. `None`
    /// where it did not come to an end.
    pub async fn run<T: Send + 'static>(
        &self,
        place: PasswordPlace,
        work: impl FnOnce(&mut PasswordHasher) -> T + Send + 'static,
    ) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        let job = move |hasher: &mut PasswordHasher| {
            let _place = place;
            if !answer.is_closed() {
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(hasher)));
                drop(done.map(|done| answer.send(done)));
            }
        };
        self.jobs.send(Box::new(job)).ok()?;
        answered.await.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashSet,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use argon2::password_hash::PasswordVerifier;

    use super::*;

    #[test]
    fn a_password_is_right_or_wrong_and_is_not_in_its_hash() {
        let mut hasher = PasswordHasher::default();
        let hash = hash_password("correct horse battery").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$") && !hash.contains("horse"), "{hash}");
        let library = Argon2::default().verify_password("correct horse battery".as_bytes(), hash.as_str());
        assert!(library.is_ok(), "the library reads what is written");
        assert!(hasher.is_right(Some(&hash), "correct horse battery"));
        for wrong in ["", "correct horse batter", "Correct horse battery", &"x".repeat(2000)] {
            assert!(!hasher.is_right(Some(&hash), wrong), "{wrong}");
        }
        assert!(!hasher.is_right(None, "correct horse battery"));
        assert!(!hasher.is_right(Some("no hash"), ""));
        assert!(hash_password("too short").is_err());
        assert!(hash_password(&"x".repeat(1025)).is_err());
        // One with other costs, as another version may have stored it.
        let other = "$argon2id$v=19$m=64,t=3,p=2$c29tZXNhbHRzb21lc2FsdA";
        assert!(!hasher.is_right(Some(other), "x"), "a hash without an output");
        assert!(hasher.is_right(Some(&hash), "correct horse battery"), "in the same memory");
    }

    #[tokio::test]
    async fn four_threads_with_one_memory_each_check_every_password() {
        let threads = Arc::new(PasswordThreads::start());
        let mut checks = tokio::task::JoinSet::new();
        for _ in 0..40 {
            let threads = Arc::clone(&threads);
            checks.spawn(async move {
                let place = threads.take_place().unwrap();
                let checked = threads.run(place, |hasher| {
                    let is_right = hasher.is_right(None, "wrong password");
                    (thread::current().id(), hasher.memory.as_ptr() as usize, is_right)
                });
                checked.await.unwrap()
            });
        }
        let checked = checks.join_all().await;
        assert!(checked.len() == 40 && checked.iter().all(|(_, _, is_right)| !is_right));
        let used: HashSet<_> = checked.iter().map(|(thread, memory, _)| (*thread, *memory)).collect();
        assert!(used.len() <= THREADS, "{used:?}");
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_computed_a_panic_ends_no_thread_and_few_may_wait() {
        let threads = PasswordThreads::start();
        let done = Arc::new(AtomicUsize::new(0));
        let (held, hold) = mpsc::channel::<()>();
        let hold = Arc::new(Mutex::new(hold));
        // All threads are busy until the others have given up.
        let busy = (0..THREADS).map(|_| {
            let hold = Arc::clone(&hold);
            threads.run(threads.take_place().unwrap(), move |_| {
                hold.lock().unwrap_or_else(PoisonError::into_inner).recv().is_err()
            })
        });
        let mut busy: Vec<_> = busy.map(Box::pin).collect();
        for one in &mut busy {
            assert!(futures::poll!(one).is_pending());
        }
        for _ in THREADS..WAITING_MAX {
            let (done, place) = (Arc::clone(&done), threads.take_place().unwrap());
            let mut given_up = Box::pin(threads.run(place, move |_| done.fetch_add(1, Ordering::SeqCst)));
            assert!(futures::poll!(&mut given_up).is_pending());
        }
        let refusal = threads.take_place().unwrap_err();
        assert_eq!((refusal.status.as_u16(), &*refusal.code), (503, "busy"));
        drop(held);
        for one in busy {
            assert!(one.await.is_some());
        }
        for _ in 0..2 * THREADS {
            let failed: Option<()> = threads.run(threads.take_place().unwrap(), |_| panic!("a fault")).await;
            assert!(failed.is_none());
        }
        assert_eq!(threads.run(threads.take_place().unwrap(), |_| 7).await, Some(7));
        assert_eq!(done.load(Ordering::SeqCst), 0);
        // The threads answer before they give a place back.
        let all = threads.waiting.acquire_many(WAITING_MAX as u32);
        let all = tokio::time::timeout(std::time::Duration::from_secs(30), all).await;
        assert!(all.is_ok_and(|all| all.is_ok()), "every place comes back");
    }
}
