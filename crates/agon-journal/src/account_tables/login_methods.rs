//! How people can log in, for all of them at once.

use std::collections::BTreeMap;

use crate::{
    Journal, Result,
    accounts::{LoginWays, PrincipalId},
    time::current_stamp,
};

impl Journal {
    /// How each person can log in, apart from a password. Who has no other way is not in it.
    pub fn login_ways(&self) -> Result<BTreeMap<PrincipalId, LoginWays>> {
        let now = current_stamp().0;
        self.read_store(|db| {
            let mut ways: BTreeMap<PrincipalId, LoginWays> = BTreeMap::new();
            let sql = "SELECT principal, count(*) FROM passkeys GROUP BY principal";
            for row in db.query(sql, &[])? {
                let (person, count) = row.read()?;
                ways.entry(person).or_default().passkeys = count;
            }
            let sql = "SELECT principal, count(*) FROM identities GROUP BY principal";
            for row in db.query(sql, &[])? {
                let (person, count) = row.read()?;
                ways.entry(person).or_default().identities = count;
            }
            let sql = "SELECT principal FROM invitations WHERE expires_at > ?1";
            for mut row in db.query(sql, &[&now])? {
                ways.entry(row.take(0)?).or_default().invited = true;
            }
            Ok(ways)
        })
    }
}
