//! Pulls a real model. Runs only if `AGON_TEST_PULL` is set, for it needs a network, or a pip that
//! is configured to find the packages without one.
#![allow(clippy::print_stdout)]

use agon_local::{ModelRef, PullOptions, catalogue, is_present, pull_model};

#[tokio::test]
async fn pulls_a_model_of_the_catalogue() {
    let Some(name) = std::env::var("AGON_TEST_PULL").ok() else {
        println!("skipped: AGON_TEST_PULL names no model");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let model = catalogue::resolve_model_name(&name).unwrap();
    let mut last = None;
    let options = PullOptions::default();
    let mut report = |progress: agon_local::Progress| {
        if last.is_none_or(|last: agon_local::Progress| {
            last.stage != progress.stage || progress.done >= last.done + progress.total / 10
        }) {
            println!("{progress:?}");
            last = Some(progress);
        }
    };
    // What is interrupted goes on from there.
    let limit = std::time::Duration::from_secs(12);
    let first = tokio::time::timeout(limit, pull_model(&model, dir.path(), options, &mut report)).await;
    println!("first: {first:?}");
    let path = pull_model(&model, dir.path(), options, &mut report).await.unwrap();
    assert!(is_present(&model, dir.path()));
    let ModelRef::Known(known) = model else { panic!() };
    assert_eq!(path, dir.path().join(known.file_name()));
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}
