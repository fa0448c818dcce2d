//! The book of all pages has each page of the documentation.

use std::fs;

use super::{root, walk};

#[test]
fn every_page_is_in_the_book_and_every_line_of_it_is_a_page() {
    let summary = fs::read_to_string(root().join("docs/book/SUMMARY.md")).unwrap();
    let listed: Vec<&str> = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let mut files = Vec::new();
    walk(&root().join("docs"), &mut files);
    let pages = files.iter().filter(|path| path.extension().is_some_and(|end| end == "md"));
    for path in pages.filter(|path| !path.starts_with(root().join("docs/book"))) {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        assert!(listed.contains(&name.as_str()), "docs/book/SUMMARY.md does not list {name}");
    }
    for name in listed {
        assert!(root().join(name).is_file(), "docs/book/SUMMARY.md lists {name}, which does not exist");
    }
}
