//! Texts that came too late: they are kept next to the record, so that nobody loses what they wrote.

use std::path::PathBuf;

use agon_core::{Digest, Seat};
use agon_journal::leases::Denied;

use super::{OutsideSeatError, OutsideSeats};
use crate::{drive::DriveError, files};

/// The folder of the data directory for texts that came too late, and how many are kept of one seat in one debate.
const LATE: &str = "late";
const LATE_MAX: usize = 16;

impl OutsideSeats<'_> {
    /// Keeps a text that came too late, if `token` is that of the seat's last claim, and if not too many are kept: the disk
    /// is not for everyone who can send a request. Gives its place.
    pub(super) async fn keep_late_text(
        &self,
        seat: &Seat,
        token: &str,
        text: &str,
    ) -> Result<Option<PathBuf>, OutsideSeatError> {
        let proved = self.journal.verify_lease(self.debate, seat, token).await?;
        if !matches!(proved, Ok(_) | Err(Denied::Expired(_))) || text.is_empty() {
            return Ok(None);
        }
        let digest = Digest::from_content(text);
        let name = format!("{seat}-{}.txt", &digest.as_str()[..12]);
        let folder = self.home.join(LATE).join(self.debate.as_str());
        let is_of_seat = |known: &std::ffi::OsStr| {
            let digest = known.to_str().and_then(|known| known.strip_prefix(&format!("{seat}-")));
            digest.is_some_and(|digest| digest.len() == 16 && digest.ends_with(".txt"))
        };
        let kept = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.file_name());
        let kept: Vec<_> = kept.filter(|known| is_of_seat(known)).collect();
        if kept.len() >= LATE_MAX && !kept.iter().any(|known| known.as_os_str() == name.as_str()) {
            return Ok(None);
        }
        files::write_files(&folder, [(name.clone(), text.to_owned())], files::Lasting::Synced)
            .map_err(DriveError::from)?;
        Ok(Some(folder.join(name)))
    }
}
