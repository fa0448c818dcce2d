//! The requests that the mock received, and the tokens that it charged.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Tokens of one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Read, cached ones included.
    pub prompt: u64,
    /// Read from the cache.
    pub cached: u64,
    /// Written.
    pub completion: u64,
}

/// One request that the mock received.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoggedRequest {
    /// Its number, from 0.
    pub number: usize,
    /// The path.
    pub endpoint: String,
    /// True for a request for text, false for a model list.
    pub generation: bool,
    /// The header that carried a key, if any; never the key.
    pub key_in: Option<String>,
    /// The header `HTTP-Referer`, by which OpenRouter tells its clients apart.
    pub referer: Option<String>,
    /// The body; null where there was none or it was not JSON.
    pub body: Value,
    /// What was charged; absent where nothing was generated.
    pub usage: Option<Tokens>,
    /// `reply`, `models`, or the name of the fault.
    pub kind: String,
    /// HTTP status that was sent; 0 where none was.
    pub status: u16,
}

/// Keeps every request, and appends it to a file as one line of JSON.
#[derive(Debug, Default)]
pub struct RequestLog {
    kept: Mutex<Vec<LoggedRequest>>,
    file: Option<Mutex<File>>,
}

impl RequestLog {
    /// Appends to `path` where given.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        let open = |path| File::options().create(true).append(true).open(path).map(Mutex::new);
        Ok(Self { kept: Mutex::default(), file: path.map(open).transpose()? })
    }

    /// Adds one request and numbers it.
    pub fn add(&self, mut logged: LoggedRequest) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        logged.number = kept.len();
        if let Some(file) = &self.file
            && let Ok(line) = serde_json::to_string(&logged)
        {
            // A log that cannot be written must not change what the server answers.
            let _ = writeln!(file.lock().unwrap_or_else(PoisonError::into_inner), "{line}");
        }
        kept.push(logged);
    }

    /// Every request so far.
    pub fn list_requests(&self) -> Vec<LoggedRequest> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
