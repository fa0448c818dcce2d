//! Pulling from fixture sources.

use std::fs;
use std::io::{Cursor, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::*;

const PART: usize = 1000;

fn content() -> Vec<u8> {
    (0..2500_u32).map(|i| (i * i % 251) as u8).collect()
}

/// A model of three parts whose sources are `sources`.
fn model(sources: &'static [ModelSource]) -> &'static Model {
    let digest: String = Sha256::digest(content()).iter().map(|byte| format!("{byte:02x}")).collect();
    Box::leak(Box::new(Model {
        name: "tiny",
        title: "Tiny",
        purpose: "tests",
        size: 2500,
        sha256: digest.leak(),
        licence: "MIT",
        tried: true,
        reading_precision: None,
        sources,
    }))
}

const PACKAGES: ModelSource = ModelSource::Packages {
    package: "agon-test-no-such-part{n}",
    version: "1.0",
    member: "part{n}/data/part{nn}.bin",
    parts: 3,
    part_size: PART as u64,
};

/// Puts wheels where an interrupted pull leaves them, so that pip is not needed.
fn keep_wheels(dir: &TempDir, parts: &[(usize, &[u8])]) {
    let wheels = dir.path().join("tiny.gguf.wheels");
    fs::create_dir_all(&wheels).unwrap();
    for &(number, bytes) in parts {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let member = format!("part{number}/data/part{number:02}.bin");
        zip.start_file("part/__init__.py", SimpleFileOptions::default()).unwrap();
        zip.write_all(b"raise SystemExit('must not run')").unwrap();
        zip.start_file(member, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
        let name = format!("agon_test_no_such_part{number}-1.0-py3-none-any.whl");
        fs::write(wheels.join(name), zip.finish().unwrap().into_inner()).unwrap();
    }
}

fn all_parts(content: &[u8]) -> Vec<(usize, &[u8])> {
    content.chunks(PART).enumerate().map(|(i, bytes)| (i + 1, bytes)).collect()
}

async fn pull_quietly(model: &'static Model, dir: &TempDir) -> Result<PathBuf, PullError> {
    pull_model(&ModelRef::Known(model), dir.path(), PullOptions::default(), &mut |_| ()).await
}

fn names(dir: &TempDir) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn joins_wheels_checks_them_and_leaves_nothing_behind() {
    let dir = TempDir::new().unwrap();
    keep_wheels(&dir, &all_parts(&content()));
    let mut last = None;
    let model = ModelRef::Known(model(&[PACKAGES]));
    assert!(!is_present(&model, dir.path()));
    let pulled = pull_model(&model, dir.path(), PullOptions::default(), &mut |progress| last = Some(progress)).await;
    assert_eq!(fs::read(pulled.unwrap()).unwrap(), content());
    assert!(is_present(&model, dir.path()));
    assert_eq!(last, Some(Progress { stage: Stage::Verifying, source: "", done: 2500, total: 2500 }));
    assert_eq!(names(&dir), ["tiny.gguf", "tiny.gguf.lock", "tiny.gguf.verified"]);
}

#[tokio::test]
async fn resumes_within_a_part() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("tiny.gguf.part"), &content()[..1300]).unwrap();
    keep_wheels(&dir, &all_parts(&content())[1..]);
    assert!(pull_quietly(model(&[PACKAGES]), &dir).await.is_ok());
}

#[tokio::test]
async fn says_what_was_tried_and_what_to_do() {
    let dir = TempDir::new().unwrap();
    keep_wheels(&dir, &[(1, &content()[..900])]);
    let refused = ModelSource::Web { url: "http://127.0.0.1:1/tiny.gguf" };
    let error = pull_quietly(model(Box::leak(Box::new([refused, PACKAGES]))), &dir).await.unwrap_err();
    let message = error.to_string();
    for expected in ["the web: ", "Python packages: ", "another size", "agon models pull tiny", "AGON_MODELS"] {
        assert!(message.contains(expected), "{message}");
    }
}

#[tokio::test]
async fn a_wrong_hash_is_an_error_and_nothing_is_kept() {
    let dir = TempDir::new().unwrap();
    let mut wrong = content();
    wrong[1700] ^= 1;
    keep_wheels(&dir, &all_parts(&wrong));
    let error = pull_quietly(model(&[PACKAGES]), &dir).await.unwrap_err();
    assert!(error.to_string().contains("SHA-256"), "{error}");
    assert_eq!(names(&dir), ["tiny.gguf.lock"]);
}

#[tokio::test]
async fn damage_from_an_earlier_run_is_repaired() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("tiny.gguf.part"), vec![0; 1000]).unwrap();
    let address = serve(content());
    assert!(pull_quietly(model(vec![web(&address)].leak()), &dir).await.is_ok());
}

#[tokio::test]
async fn resumes_over_http_and_falls_back_to_the_next_source() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("tiny.gguf.part"), &content()[..700]).unwrap();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let address = serve_logged(content(), requests.clone());
    assert!(pull_quietly(model(vec![web("127.0.0.1:1"), web(&address)].leak()), &dir).await.is_ok());
    let requests = requests.lock().unwrap();
    assert!(requests[0].contains("bytes=700-"), "{requests:?}");
}

#[tokio::test]
async fn offline_uses_what_is_there_and_fetches_nothing() {
    let dir = TempDir::new().unwrap();
    let model = ModelRef::Known(model(&[PACKAGES]));
    let offline = PullOptions { offline: true };
    let error = pull_model(&model, dir.path(), offline, &mut |_| ()).await.unwrap_err();
    assert!(matches!(&error, PullError::Offline { what, .. } if what.contains("tiny")), "{error}");
    fs::write(dir.path().join("tiny.gguf"), content()).unwrap();
    assert!(pull_model(&model, dir.path(), offline, &mut |_| ()).await.is_ok());
}

#[tokio::test]
async fn a_file_is_verified_once_and_again_when_it_changes() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("tiny.gguf");
    fs::write(&path, content()).unwrap();
    let model = ModelRef::Known(model(&[]));
    let mut hashed = 0;
    for _ in 0..2 {
        pull_model(&model, dir.path(), PullOptions::default(), &mut |_| hashed += 1).await.unwrap();
        assert_eq!(hashed, 1);
    }
    fs::write(&path, vec![0; 2500]).unwrap();
    let error = pull_model(&model, dir.path(), PullOptions::default(), &mut |_| ()).await.unwrap_err();
    assert!(error.to_string().contains("the file already there: its SHA-256"), "{error}");
}

#[tokio::test]
async fn two_pulls_of_a_model_follow_one_another() {
    let dir = TempDir::new().unwrap();
    keep_wheels(&dir, &all_parts(&content()));
    let model = model(&[PACKAGES]);
    let (first, second) = tokio::join!(pull_quietly(model, &dir), pull_quietly(model, &dir));
    assert_eq!(first.unwrap(), second.unwrap());
}

#[tokio::test]
async fn an_unusable_directory_is_told_apart() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let model = ModelRef::Known(model(&[]));
    let error = pull_model(&model, &file.path().join("models"), PullOptions::default(), &mut |_| ()).await;
    assert!(matches!(error, Err(PullError::Disk { .. })), "{error:?}");
    let missing = ModelRef::File("/no/such.gguf".into());
    let error = pull_model(&missing, file.path(), PullOptions::default(), &mut |_| ()).await;
    assert!(matches!(error, Err(PullError::NoFile(_))), "{error:?}");
}

fn web(address: &str) -> ModelSource {
    ModelSource::Web { url: format!("http://{address}/tiny.gguf").leak() }
}

fn serve(content: Vec<u8>) -> String {
    serve_logged(content, Arc::default())
}

/// A server that supports ranges, for as long as the test runs; logs the heads of requests.
fn serve_logged(content: Vec<u8>, log: Arc<Mutex<Vec<String>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = vec![0; 4096];
            let count = io::Read::read(&mut stream, &mut head).unwrap();
            let head = String::from_utf8_lossy(&head[..count]).to_lowercase();
            let range = head.split("bytes=").nth(1).and_then(|rest| rest.split('-').next());
            let start = range.map_or(0, |start| start.parse().unwrap());
            let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
            let length = content.len() - start;
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n").unwrap();
            stream.write_all(&content[start..]).unwrap();
            log.lock().unwrap().push(head);
        }
    });
    address
}
