//! Traces and metrics arrive at a collector, without anyone's words unless they are wanted.
#![cfg(feature = "otel")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
};

use crate::operate::workspace::Workspace;

type Exports = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// A collector that takes everything; its address, and what it was sent, by path.
fn collector() -> (String, Exports) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let exports = Exports::default();
    let kept = Arc::clone(&exports);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, kept) = (stream.unwrap(), Arc::clone(&kept));
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                loop {
                    let (mut line, mut length) = (String::new(), 0);
                    if reader.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                    loop {
                        let mut line = String::new();
                        reader.read_line(&mut line).unwrap();
                        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
                        if name.eq_ignore_ascii_case("content-length") {
                            length = value.parse().unwrap();
                        }
                    }
                    let mut body = vec![0; length];
                    reader.read_exact(&mut body).unwrap();
                    kept.lock().unwrap().push((path, body));
                    (&stream).write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
                }
            });
        }
    });
    (address, exports)
}

fn holds(exports: &Exports, path: &str, words: &str) -> bool {
    let exports = exports.lock().unwrap();
    let mut sent = exports.iter().filter(|(to, _)| to == path);
    sent.any(|(_, body)| body.windows(words.len()).any(|part| part == words.as_bytes()))
}

#[test]
fn spans_and_figures_follow_the_conventions_and_hold_no_words_by_default() {
    for with_content in [false, true] {
        let workspace = Workspace::new();
        let (address, exports) = collector();
        let model = workspace.willing();
        let motion = "This house would keep quokkas.";
        let mut command =
            workspace.command(&["run", "exchange", motion, "--model", &model, "--id", "d1", "--rounds", "0"]);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}"));
        if with_content {
            command.env("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true");
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let count = exports.lock().unwrap().len();
        for words in [
            "debate",
            "step",
            "chat scripted",
            "gen_ai.operation.name",
            "gen_ai.provider.name",
            "gen_ai.request.model",
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.output_tokens",
            "agon.key",
            "exchange-000/judgment",
        ] {
            assert!(holds(&exports, "/v1/traces", words), "{words}");
        }
        for words in ["gen_ai.client.token.usage", "gen_ai.client.operation.duration", "gen_ai.token.type"] {
            assert!(holds(&exports, "/v1/metrics", words), "{words}");
        }
        assert_eq!(holds(&exports, "/v1/traces", "quokkas"), with_content);
        assert!(!holds(&exports, "/v1/metrics", "quokkas") && !holds(&exports, "/v1/traces", "willing.json"));
        println!("{count} exports, with content: {with_content}");
    }
}

#[test]
fn a_collector_that_is_not_there_holds_up_nobody() {
    let workspace = Workspace::new();
    let model = workspace.willing();
    let args = ["run", "exchange", "This house would rest.", "--model", &model, "--id", "d1", "--rounds", "0"];
    let since = std::time::Instant::now();
    let output = workspace.command(&args).env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(since.elapsed() < std::time::Duration::from_secs(30), "{:?}", since.elapsed());
}
