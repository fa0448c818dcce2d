//! Databases that are not taken for a journal, and addresses that are not reached.

use agon_journal::{Journal, JournalError};

use crate::stores::store::{TestStore, read, server, sql};

fn refused(store: &TestStore) -> String {
    Journal::open_at(store.place()).err().unwrap().to_string()
}

#[test]
fn a_schema_of_another_program_is_left_alone() {
    let Some(store) = TestStore::postgres() else { return };
    let schema = store.schema();
    sql(&server().unwrap(), &format!("CREATE SCHEMA {schema}; CREATE TABLE {schema}.debates (theirs INT)"));
    let told = refused(&store);
    assert!(told.contains("not agon's") && told.contains("?schema=NAME"), "{told}");
    sql(&server().unwrap(), &format!("SELECT theirs FROM {schema}.debates; DROP TABLE {schema}.debates"));
    // An empty schema that an administrator has made is agon's to fill.
    drop(store.open());
}

#[test]
fn several_make_the_tables_at_once() {
    let Some(store) = TestStore::postgres() else { return };
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..6).map(|_| scope.spawn(|| drop(store.open()))).collect();
        makers.into_iter().for_each(|maker| maker.join().unwrap());
    });
}

#[tokio::test]
async fn two_clusters_share_a_database_and_nothing_else() {
    let (Some(one), Some(two)) = (TestStore::postgres(), TestStore::postgres()) else { return };
    let (one, two) = (one.open(), two.open());
    let record = crate::stores::rules::open(&one, "d1").await;
    assert_eq!((one.list_debates(9).unwrap().len(), two.list_debates(9).unwrap().len()), (1, 0));
    let id = &record.opened().debate;
    let locks = [&one, &two].map(|journal| agon_journal::DriveLock::acquire(journal, id).unwrap());
    drop(locks);
}

#[test]
fn who_cannot_be_reached_is_named_soon_and_without_secrets() {
    let began = std::time::Instant::now();
    let error = Journal::open_at(&read("postgres://ann@127.0.0.1:1/team")).err().unwrap();
    let told = error.to_string();
    assert!(matches!(error, JournalError::Unreached { .. }), "{error:?}");
    assert!(told.starts_with("postgres://ann@127.0.0.1:1/team: ") && told.contains("refused"), "{told}");
    assert!(began.elapsed().as_secs() < 5);
}

/// The tables as this version makes them.
const TABLES: &str = include_str!("../../src/postgres/schema.sql");

#[tokio::test]
async fn a_database_of_the_version_before_is_brought_up_and_keeps_its_people() {
    let Some(store) = TestStore::postgres() else { return };
    let schema = store.schema();
    let id = "p-0123456789abcdef";
    let before = format!(
        "CREATE SCHEMA {schema}; SET search_path = {schema}; {TABLES}; DROP TABLE pending_lookups;
        CREATE TABLE agon_schema (version BIGINT NOT NULL); INSERT INTO agon_schema (version) VALUES (3);
        INSERT INTO principals (id, login, display, state, created_at)
        VALUES ('{id}', 'ada', 'Ada', 'active', '2026-01-01T00:00:00.000Z')"
    );
    sql(&server().unwrap(), &before);
    std::thread::scope(|scope| {
        let openers: Vec<_> = (0..4).map(|_| scope.spawn(|| drop(store.open()))).collect();
        openers.into_iter().for_each(|opener| opener.join().unwrap());
    });
    let journal = store.open();
    let ada = journal.principal_named("ada").unwrap().unwrap();
    assert_eq!(ada.id.to_string(), id);
    assert!(journal.is_current().unwrap());
    // It fails where there is no such table.
    sql(&server().unwrap(), &format!("DROP TABLE {schema}.pending_lookups"));
}
