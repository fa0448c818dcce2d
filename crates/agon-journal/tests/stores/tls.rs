//! Connections over TLS: whom they trust, and what is said where they do not. These tests run where
//! `AGON_TEST_POSTGRES_TLS` is the address that `scripts/postgres start DIR --tls` prints: a server that takes no other
//! connections, under a certificate for localhost of an authority that nobody trusts.

use std::time::{Duration, Instant};

use agon_journal::{Journal, JournalError, PasswordSource, uuid};

use crate::stores::store::{read, server};

/// The parts of the address: before the host, after it up to the options, and the file of the authority.
fn parts() -> Option<(String, String, String)> {
    let Some(address) = std::env::var("AGON_TEST_POSTGRES_TLS").ok().filter(|address| !address.is_empty()) else {
        eprintln!("skipped: AGON_TEST_POSTGRES_TLS names no server");
        return None;
    };
    let (base, options) = address.split_once('?').unwrap();
    let (_, authority) = options.split_once("sslrootcert=").unwrap();
    let (user, rest) = base.split_once("localhost").unwrap();
    Some((user.to_owned(), rest.to_owned(), authority.to_owned()))
}

fn refused(address: &str) -> String {
    let began = Instant::now();
    let error = Journal::open_at(&read(address)).err().unwrap();
    assert!(matches!(error, JournalError::Unreached { .. }), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "it is said at once");
    let told = error.to_string();
    assert!(told.starts_with("postgres://agon@") && !told.contains('\n'), "{told}");
    told
}

#[tokio::test]
async fn a_server_under_a_certificate_of_a_named_authority_is_trusted() {
    let Some((user, rest, authority)) = parts() else { return };
    for mode in ["require", "verify-ca", "verify-full", "prefer"] {
        let schema = format!("tls_{}", uuid::random_uuid().unwrap().replace('-', ""));
        let address = format!("{user}localhost{rest}?sslmode={mode}&sslrootcert={authority}&schema={schema}");
        let journal = Journal::open_at(&read(&address)).unwrap();
        let record = crate::stores::rules::open(&journal, "d1").await;
        assert_eq!(journal.read_record(&record.opened().debate).unwrap().len(), 1);
        assert!(!journal.path().to_string_lossy().contains("sslrootcert"), "the place is short");
    }
}

#[test]
fn who_cannot_be_trusted_is_refused_with_what_to_do() {
    let Some((user, rest, authority)) = parts() else { return };
    for mode in ["require", "verify-full", "prefer"] {
        let unknown = refused(&format!("{user}localhost{rest}?sslmode={mode}"));
        assert!(unknown.contains("not trusted here") && unknown.contains("?sslrootcert=FILE"), "{unknown}");
        let wrong_name = refused(&format!("{user}127.0.0.1{rest}?sslmode={mode}&sslrootcert={authority}"));
        assert!(wrong_name.contains("not for this host"), "{wrong_name}");
    }
    let in_the_clear = refused(&format!("{user}localhost{rest}?sslmode=disable"));
    assert!(in_the_clear.contains("no encryption"), "{in_the_clear}");
}

#[test]
fn a_file_of_authorities_that_cannot_be_used_is_named() {
    let Some((user, rest, _)) = parts() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (absent, empty, broken) = ["absent.pem", "empty.pem", "broken.pem"].map(|name| folder.path().join(name)).into();
    std::fs::write(&empty, "nothing\n").unwrap();
    std::fs::write(&broken, "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n").unwrap();
    for file in [absent, empty, broken] {
        let told = refused(&format!("{user}localhost{rest}?sslrootcert={}", file.display()));
        assert!(told.contains(&format!("sslrootcert: {}: ", file.display())), "{told}");
    }
}

#[test]
fn a_server_without_tls_is_refused_where_tls_is_wanted() {
    let Some(server) = server() else { return };
    let told = refused(&format!("{server}?sslmode=require"));
    assert!(told.contains("TLS"), "{told}");
    let project = agon_journal::JournalAddress::parse(
        &format!("{server}?sslrootcert=/etc/ssl/ca.pem"),
        PasswordSource::PasswordFile,
    );
    assert!(project.unwrap_err().contains("sslrootcert is not allowed in a project's file"));
}
