//! Step 3: what was fetched is kept by its digest. A record names the digest, so that what a ruling
//! rests on can be read again without the network, however the page changes.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use agon_core::Digest;
use serde::{Deserialize, Serialize};

use crate::liveness::Liveness;

/// One fetch, as `fetched.jsonl` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPage {
    /// As it was cited.
    pub url: String,
    /// Where it was in the end.
    pub final_url: String,
    /// HTTP status.
    pub status: u16,
    /// When, UTC.
    pub at: String,
    /// What the server called it.
    pub media: String,
    /// SHA-256 of the body.
    pub sha256: String,
    /// Whether the page existed.
    pub liveness: Liveness,
    /// Whether the body continued beyond what was read.
    pub is_cut: bool,
}

/// Bodies by their SHA-256, and a list of fetches.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// In `folder`, which is made when something is kept.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Where a body is.
    pub fn body_path(&self, sha256: &str) -> Option<PathBuf> {
        let sound = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        sound.then(|| self.folder.join(&sha256[..2]).join(sha256))
    }

    /// Keeps `body`.
    pub fn store_body(&self, body: &[u8], kept: &StoredPage) -> io::Result<()> {
        let Some(path) = self.body_path(&kept.sha256) else { return Err(io::Error::other("no digest")) };
        if !path.exists() {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            // Two processes may keep the same page at once.
            static NEXT: AtomicU64 = AtomicU64::new(0);
            let part = path.with_extension(format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
            fs::write(&part, body)?;
            fs::rename(&part, &path)?;
        }
        let mut line = serde_json::to_string(kept)?;
        line.push('\n');
        OpenOptions::new().create(true).append(true).open(self.folder.join("fetched.jsonl"))?.write_all(line.as_bytes())
    }

    /// The latest fetch of `url` that is kept.
    pub fn find_fetch(&self, url: &str) -> Option<StoredPage> {
        let list = fs::read_to_string(self.folder.join("fetched.jsonl")).ok()?;
        let lines = list.lines().rev().filter_map(|line| serde_json::from_str::<StoredPage>(line).ok());
        lines.into_iter().find(|kept| kept.url == url)
    }

    /// The body with this digest, if it is kept and is what it was.
    pub fn read_body(&self, sha256: &str) -> Option<Vec<u8>> {
        let body = fs::read(self.body_path(sha256)?).ok()?;
        (Digest::from_content(&body).as_str() == sha256).then_some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_kept_once_and_a_changed_one_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("sources"));
        let sha256 = Digest::from_content(b"abc").to_string();
        assert_eq!(sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let kept = StoredPage {
            url: "u".into(),
            final_url: "f".into(),
            status: 200,
            at: "t".into(),
            media: "m".into(),
            sha256: sha256.clone(),
            liveness: Liveness::Live,
            is_cut: false,
        };
        store.store_body(b"abc", &kept).unwrap();
        store.store_body(b"abc", &kept).unwrap();
        assert_eq!(store.read_body(&sha256).as_deref(), Some(&b"abc"[..]));
        assert_eq!((store.find_fetch("u"), store.find_fetch("f")), (Some(kept), None));
        fs::write(store.body_path(&sha256).unwrap(), "abd").unwrap();
        assert_eq!(store.read_body(&sha256), None);
        assert_eq!((store.body_path("../../etc/passwd"), store.read_body("..")), (None, None));
    }
}
