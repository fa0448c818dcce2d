//! The token of a data directory: its holder can start debates and answer.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
};

use agon_core::Digest;
use agon_journal::sqlite::restrict_access;

/// Name of the file below the data directory.
const FILE: &str = "serve-token";
/// Bytes of randomness in a token.
const BYTES: usize = 32;

/// The token that permits writing. It is compared by digest, so that the time of a comparison reveals nothing.
#[derive(Clone)]
pub struct WriteToken {
    text: String,
    digest: Digest,
    cookie: Digest,
}

impl WriteToken {
    /// The token of the data directory `home`, made where there is none; readable by its owner alone.
    pub fn from_home(home: &Path) -> io::Result<Self> {
        fs::create_dir_all(home)?;
        let path = home.join(FILE);
        let kept = match fs::read_to_string(&path) {
            Ok(text) => Some(text.trim().to_owned()).filter(|text| is_token(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(text) = kept {
            restrict_access(&path)?;
            return Ok(Self::new(text));
        }
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        restrict_access(&path)?;
        file.write_all(text.as_bytes())?;
        Ok(Self::new(text))
    }

    fn new(text: String) -> Self {
        // Browsers send a cookie to every port of a host, so it is not the token itself.
        let cookie = Digest::from_content(format!("agon cookie {text}"));
        Self { digest: Digest::from_content(&text), text, cookie }
    }

    /// The token.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What a browser keeps in its place.
    pub(crate) fn cookie_value(&self) -> &str {
        self.cookie.as_str()
    }

    pub(crate) fn is_same_token(&self, given: &str) -> bool {
        Digest::from_content(given) == self.digest
    }

    pub(crate) fn is_cookie(&self, given: &str) -> bool {
        Digest::from_content(given) == Digest::from_content(self.cookie_value())
    }
}

fn is_token(text: &str) -> bool {
    text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
