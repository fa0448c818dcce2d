//! The user's password file, as libpq reads it: lines of `HOST:PORT:DATABASE:USER:PASSWORD`.

use std::{env, path::PathBuf};

use tokio_postgres::{Config, config::Host};

/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The password of the first line that fits; `None` where there is no file or no such line.
///
/// # Errors
///
/// Where others may read the file.
pub(super) fn find_password(config: &Config) -> Result<Option<String>, String> {
    let file =
        env::var_os("PGPASSFILE").map(PathBuf::from).or_else(|| env::home_dir().map(|home| home.join(".pgpass")));
    let Some(file) = file else { return Ok(None) };
    let Ok(about) = std::fs::metadata(&file) else { return Ok(None) };
    if !about.is_file() || about.len() > FILE_BYTES_MAX {
        return Ok(None);
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
        return Err(format!("others may read {}: chmod 600 it", file.display()));
    }
    let lines = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    let found = list_hosts(config).find_map(|(host, port)| {
        // A socket goes by the name of this machine.
        let host = if host.starts_with('/') { "localhost".to_owned() } else { host };
        match_password(&lines, &[&host, &port.to_string(), database, user])
    });
    Ok(found)
}

/// Host and port, as messages and password files name them.
pub(super) fn list_hosts(config: &Config) -> impl Iterator<Item = (String, u16)> + '_ {
    config.get_hosts().iter().enumerate().map(|(at, host)| {
        let ports = config.get_ports();
        let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
        let host = match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(folder) => folder.display().to_string(),
        };
        (host, port)
    })
}

/// The password of the first of `lines` whose fields are `wanted`.
fn match_password(lines: &str, wanted: &[&str; 4]) -> Option<String> {
    lines.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = split_fields(line);
        let [host, port, database, user, password] = fields.as_slice() else { return None };
        let fits = |(field, wanted): (&String, &&str)| field == "*" || field == wanted;
        [host, port, database, user].into_iter().zip(wanted).all(fits).then(|| password.clone())
    })
}

/// The five fields of a line, in which `\` keeps the character that follows.
fn split_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let is_last = fields.len() == 5;
        let field = fields.last_mut().unwrap_or_else(|| unreachable!("there is one from the start"));
        match c {
            '\\' => field.extend(chars.next()),
            ':' if !is_last => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::match_password;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let file = "# mine\ndb:5432:team:bob:one\ndb:*:*:ann:t\\:w:o\n*:*:*:*:last\n";
        let of = |host, user| match_password(file, &[host, "5432", "team", user]);
        assert_eq!(of("db", "bob").as_deref(), Some("one"));
        assert_eq!(of("db", "ann").as_deref(), Some("t:w:o"));
        assert_eq!(of("other", "ann").as_deref(), Some("last"));
        assert_eq!(match_password("db:1:a", &["db", "1", "a", "b"]), None);
    }
}
