//! The address of a Postgres database, and the password for it, which the address does not hold.

use std::{
    env, fmt,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use tokio_postgres::{Config, config::Host, config::SslMode};

use super::{
    super::{JournalError, Result, password_source::PasswordSource},
    password::{self, list_hosts},
};

/// The schema where the address names none.
const SCHEMA: &str = "agon";
/// Longest name that Postgres keeps whole.
const NAME_CHARS_MAX: usize = 63;
/// A server that is gone without a word is noticed after this.
const SILENCE: Duration = Duration::from_secs(40);
const KEEPALIVE: Duration = Duration::from_secs(15);

/// `postgres://USER@HOST:PORT/DATABASE`, and what may follow as in a URL: `schema`, `sslmode`, `password_env`, and what
/// else libpq takes there. It never holds a password.
#[derive(Clone)]
pub struct PostgresAddress {
    config: Config,
    schema: String,
    password_env: Option<String>,
    authorities: Option<PathBuf>,
    trust: PasswordSource,
    place: Arc<Path>,
}

impl PostgresAddress {
    /// Reads an address, whose password may come from where `trust` says.
    ///
    /// # Errors
    ///
    /// What is wrong with it; without the address, which may hold a password by mistake.
    pub fn parse(text: &str, trust: PasswordSource) -> Result<Self, String> {
        let (mut schema, mut password_env, mut has_ssl_mode) = (SCHEMA.to_owned(), None, false);
        let mut authorities = None;
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let mut kept = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=').unwrap_or((pair, "")) {
                ("schema", name) => schema = name.to_owned(),
                ("password_env", name) => password_env = Some(name.to_owned()),
                ("sslrootcert", "system") => authorities = None,
                ("sslrootcert", file) => authorities = Some(PathBuf::from(unescape_value(file))),
                ("password" | "passfile", _) => return Err(NO_PASSWORD.to_owned()),
                ("sslmode", mode) => {
                    has_ssl_mode = true;
                    // Certificate and name of the server are checked whenever TLS is used.
                    let mode = if matches!(mode, "verify-full" | "verify-ca") { "require" } else { mode };
                    kept.push(format!("sslmode={mode}"));
                }
                _ => kept.push(pair.to_owned()),
            }
        }
        let is_name = !schema.is_empty()
            && schema.len() <= NAME_CHARS_MAX
            && schema.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            && !schema.starts_with(|first: char| first.is_ascii_digit())
            && !schema.starts_with("pg_");
        if !is_name {
            return Err("schema is a name of lower-case letters, digits and _, as in ?schema=team_a".to_owned());
        }
        if trust == PasswordSource::PasswordFile && password_env.is_some() {
            return Err(
                "password_env is not allowed in a project's file, only in your own or in AGON_JOURNAL".to_owned()
            );
        }
        if trust == PasswordSource::PasswordFile && authorities.is_some() {
            return Err(
                "sslrootcert is not allowed in a project's file, only in your own or in AGON_JOURNAL".to_owned()
            );
        }
        let rest = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
        let mut config = Config::from_str(&format!("{base}{rest}")).map_err(|error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(" ({cause})")).unwrap_or_default();
            format!("write the address as postgres://USER@HOST/DATABASE{cause}")
        })?;
        if config.get_password().is_some() {
            return Err(NO_PASSWORD.to_owned());
        }
        if config.get_hosts().is_empty() {
            return Err("the address names no host: postgres://USER@HOST/DATABASE".to_owned());
        }
        if config.get_user().is_none() {
            let user = env::var("PGUSER").or_else(|_| env::var("USER"));
            config.user(user.map_err(|_| "the address names no user: postgres://USER@HOST/DATABASE".to_owned())?);
        }
        if !has_ssl_mode && authorities.is_none() && config.get_hosts().iter().all(is_here) {
            config.ssl_mode(SslMode::Disable);
        } else if !has_ssl_mode {
            // Words of people and models do not cross a network in the clear unless the address says so.
            config.ssl_mode(SslMode::Require);
        }
        config.application_name(client_name());
        config.tcp_user_timeout(SILENCE).keepalives_idle(KEEPALIVE).keepalives_interval(KEEPALIVE);
        let place = Path::new(&format_address(&config, &schema)).into();
        Ok(Self { config, schema, password_env, authorities, trust, place })
    }

    /// The schema that holds the tables: a name of letters, digits and `_`.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// The file with certificates that are trusted in place of those of the system.
    pub(super) fn authorities_file(&self) -> Option<&Path> {
        self.authorities.as_deref()
    }

    /// The address for messages.
    pub(crate) fn location(&self) -> Arc<Path> {
        Arc::clone(&self.place)
    }

    /// What a connection is made with, password included.
    pub(super) fn build_config(&self) -> Result<Config> {
        let mut config = self.config.clone();
        if let Some(password) = self.find_password()? {
            config.password(password);
        }
        Ok(config)
    }

    fn find_password(&self) -> Result<Option<String>> {
        if let Some(name) = &self.password_env {
            let missing = |_| JournalError::unreached(&self.place, format!("{name} is not set (password_env)"));
            return env::var(name).map(Some).map_err(missing);
        }
        if self.trust == PasswordSource::Environment
            && let Ok(password) = env::var("PGPASSWORD")
        {
            return Ok(Some(password));
        }
        password::find_password(&self.config).map_err(|why| JournalError::unreached(&self.place, why))
    }
}

const NO_PASSWORD: &str = "a password does not belong in the address: set PGPASSWORD, name a variable with ?password_env=NAME, or add a line to ~/.pgpass";

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place.display())
    }
}

/// The text of a value in an address.
fn unescape_value(value: &str) -> String {
    // A plus sign of a path is itself, as libpq takes it.
    let pair = format!("v={}", value.replace('+', "%2B"));
    let value = url::form_urlencoded::parse(pair.as_bytes()).next();
    value.map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// Whether a host is this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1" | "[::1]"),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn format_address(config: &Config, schema: &str) -> String {
    let hosts: Vec<String> = list_hosts(config).map(|(host, port)| format!("{host}:{port}")).collect();
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    let schema = if schema == SCHEMA { String::new() } else { format!("?schema={schema}") };
    format!("postgres://{user}@{}/{database}{schema}", hosts.join(","))
}

/// How the server and others who wait for a debate name this process.
fn client_name() -> String {
    let mut name = format!("agon, process {}", std::process::id());
    #[cfg(unix)]
    {
        let system = rustix::system::uname();
        let host = system.nodename().to_string_lossy();
        let host: String =
            host.chars().filter(|c| c.is_ascii_graphic()).take(NAME_CHARS_MAX - name.len() - 4).collect();
        name = format!("{name} on {host}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PostgresAddress, String> {
        PostgresAddress::parse(text, PasswordSource::Environment)
    }

    #[test]
    fn an_address_is_shown_without_what_is_secret_and_with_what_tells_clusters_apart() {
        let shown = |text| format!("{:?}", read(text).unwrap());
        assert_eq!(shown("postgres://ann@db.example/team"), "postgres://ann@db.example:5432/team");
        assert_eq!(
            shown("postgres://ann@db.example:6000/team?schema=b_2&connect_timeout=3"),
            "postgres://ann@db.example:6000/team?schema=b_2"
        );
        for with_password in ["postgres://ann:s3cret@db/team", "postgres://ann@db/team?password=s3cret"] {
            let refused = read(with_password).unwrap_err();
            assert!(refused.contains("PGPASSWORD") && !refused.contains("s3cret"), "{refused}");
        }
    }

    #[test]
    fn a_name_of_a_schema_is_no_sql() {
        for bad in ["a;drop", "A", "1a", "pg_x", "", "a\"b", &"a".repeat(64)] {
            assert!(read(&format!("postgres://ann@db/team?schema={bad}")).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_crosses_a_network_is_encrypted_unless_somebody_says_otherwise() {
        let mode = |text| read(text).unwrap().config.get_ssl_mode();
        assert_eq!(mode("postgres://ann@db.example/team"), SslMode::Require);
        assert_eq!(mode("postgres://ann@db.example/team?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgres://ann@db.example/team?sslmode=verify-full"), SslMode::Require);
        assert_eq!(mode("postgres://ann@127.0.0.1/team"), SslMode::Disable);
        assert_eq!(mode("postgres://ann@127.0.0.1/team?sslrootcert=/a/ca.pem"), SslMode::Require);
        assert_eq!(mode("postgres://ann@%2Fvar%2Frun%2Fpostgresql/team"), SslMode::Disable);
    }

    #[test]
    fn a_project_does_not_choose_which_secret_is_sent() {
        let text = "postgres://ann@db/team?password_env=OTHER_KEY";
        assert!(PostgresAddress::parse(text, PasswordSource::PasswordFile).is_err());
        assert!(read(text).is_ok());
        let text = "postgres://ann@db/team?sslrootcert=/a%20b/ca+1.pem&sslmode=verify-full";
        assert!(PostgresAddress::parse(text, PasswordSource::PasswordFile).is_err());
        assert_eq!(read(text).unwrap().authorities_file(), Some(Path::new("/a b/ca+1.pem")));
        assert_eq!(read("postgres://ann@db/team?sslrootcert=system").unwrap().authorities_file(), None);
    }
}
