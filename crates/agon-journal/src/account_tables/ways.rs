//! How people can log in, for all of them at once.

use std::collections::BTreeMap;

use super::read_person_id;
use crate::{
    Journal, JournalError,
    accounts::{LoginWays, PrincipalId},
    time::current_stamp,
};

impl Journal {
    /// How each person can log in, apart from a password. Who has no other way is not in it.
    pub fn login_ways(&self) -> Result<BTreeMap<PrincipalId, LoginWays>, JournalError> {
        let now = current_stamp().0;
        self.read_store(|db| {
            let mut ways: BTreeMap<PrincipalId, LoginWays> = BTreeMap::new();
            let sql = "SELECT principal, count(*) FROM passkeys GROUP BY principal";
            for mut row in db.query(sql, &[])? {
                ways.entry(read_person_id(&mut row, 0)?).or_default().passkeys = row.small(1)?;
            }
            let sql = "SELECT principal, count(*) FROM identities GROUP BY principal";
            for mut row in db.query(sql, &[])? {
                ways.entry(read_person_id(&mut row, 0)?).or_default().identities = row.small(1)?;
            }
            let sql = "SELECT principal FROM invitations WHERE expires_at > ?1";
            for mut row in db.query(sql, &[&now])? {
                ways.entry(read_person_id(&mut row, 0)?).or_default().invited = true;
            }
            Ok(ways)
        })
    }
}
