//! The process that reads a PDF file: what a hostile one does to it.

use std::{
    io::Write,
    process::{Child, Stdio},
};

use crate::cli::workspace::Workspace;

/// A catalogue with lists within lists, 12,000 levels deep, and no page.
fn deep() -> Vec<u8> {
    let (begin, end) = ("[".repeat(12_000), "]".repeat(12_000));
    let mut file = String::from("%PDF-1.4\n");
    let object = file.len();
    file.push_str(&format!("1 0 obj\n<< /Type /Catalog /Deep {begin}{end} >>\nendobj\n"));
    let table = file.len();
    file.push_str(&format!("xref\n0 2\n0000000000 65535 f \n{object:010} 00000 n \n"));
    file.push_str(&format!("trailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

fn reader(workspace: &Workspace) -> Child {
    workspace.command(&["extract-pdf"]).stdin(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_file_of_lists_within_lists_ends_in_a_sentence() {
    let mut child = reader(&Workspace::new());
    child.stdin.take().unwrap().write_all(&deep()).unwrap();
    let done = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(6), "{told}");
    assert!(told.starts_with("error: ") && told.lines().count() <= 3 && !told.contains("panicked"), "{told}");
    assert!(done.stdout.is_empty());
}

/// Where a process that crashes leaves its memory on the disk, one that reads files of others must not.
#[cfg(target_os = "linux")]
#[test]
fn the_reader_leaves_no_memory_on_the_disk() {
    let mut child = reader(&Workspace::new());
    // More than a pipe holds: when it is written, the process reads, and has set its limits before.
    let mut input = child.stdin.take().unwrap();
    input.write_all(&vec![b' '; 1 << 20]).unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap();
    drop(input);
    child.wait().unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    let sizes: Vec<&str> = core.split_whitespace().skip(4).take(2).collect();
    assert_eq!(sizes, ["0", "0"], "{core}");
}
