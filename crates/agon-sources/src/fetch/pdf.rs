//! PDF files are read by a separate process, which can be ended: nobody can say how much time and
//! memory such a file takes.

use std::{path::PathBuf, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
};

/// Longest time for one file.
const WAIT: Duration = Duration::from_secs(10);
/// Maximum number of bytes of text.
const TEXT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A program that reads a PDF file from standard input and writes its words to standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfReader {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl PdfReader {
    /// The words of `body`, or why there are none.
    pub async fn read_text(&self, body: Vec<u8>) -> Result<String, String> {
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let mut child = child.map_err(|error| format!("no program that reads PDF files: {error}"))?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no program that reads PDF files".into());
        };
        let work = async {
            let write = async {
                // One that ends early has read enough.
                let _ = input.write_all(&body).await;
                drop(input);
            };
            let mut text = Vec::new();
            let read = async { output.take(TEXT_BYTES_MAX).read_to_end(&mut text).await };
            let ((), read) = tokio::join!(write, read);
            read.map_err(|error| error.to_string())?;
            let status = child.wait().await.map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&text).into_owned();
            (status.success() && text.contains(char::is_alphanumeric))
                .then_some(text)
                .ok_or("the PDF file cannot be read".to_owned())
        };
        tokio::time::timeout(WAIT, work).await.unwrap_or_else(|_| Err("reading the PDF file took too long".into()))
    }
}
