//! The words of a PDF file. Such files are hostile often enough: this is meant to run in a process of
//! its own, with limits of memory and time; a panic of the reader is an error here.

use std::panic;

/// Maximum number of characters that are taken of one file.
const CHARS_MAX: usize = 2_000_000;

/// The words of the PDF file `bytes`; says in one line why there are none.
pub fn read_pdf(bytes: &[u8]) -> Result<String, String> {
    let bytes = bytes.to_vec();
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let read = panic::catch_unwind(move || pdf_extract::extract_text_from_mem(&bytes));
    panic::set_hook(hook);
    match read {
        Ok(Ok(text)) if text.contains(char::is_alphanumeric) => Ok(text.chars().take(CHARS_MAX).collect()),
        Ok(Ok(_)) => Err("it has no text".into()),
        Ok(Err(error)) => Err(error.to_string().lines().next().unwrap_or("it cannot be read").to_owned()),
        Err(_) => Err("it cannot be read".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of one page that says `words`, with `more` in its catalogue.
    fn sample(words: &str, more: &str) -> Vec<u8> {
        let stream = format!("BT /F1 12 Tf 72 700 Td ({words}) Tj ET");
        let objects = [
            format!("<< /Type /Catalog /Pages 2 0 R {more} >>"),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".into(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".into(),
            format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".into(),
        ];
        let mut file = String::from("%PDF-1.4\n");
        let mut places = Vec::new();
        for (i, object) in objects.iter().enumerate() {
            places.push(file.len());
            file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", i + 1));
        }
        let xref = file.len();
        file.push_str("xref\n0 6\n0000000000 65535 f \n");
        places.iter().for_each(|place| file.push_str(&format!("{place:010} 00000 n \n")));
        file.push_str(&format!("trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n"));
        file.into_bytes()
    }

    #[test]
    fn a_pdf_gives_its_words_and_a_broken_one_an_error() {
        let text = read_pdf(&sample("The share rose to 12 percent in May", "")).unwrap();
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains("rose to 12 percent"), "{text:?}");
        for broken in [&b"%PDF-1.4\ngarbage"[..], b"", b"%PDF-1.7\n1 0 obj\n<< /Length 99999999999 >>"] {
            assert!(read_pdf(broken).is_err());
        }
    }

    /// A reader that calls itself once for each level runs out of its stack, which ends the process.
    #[test]
    fn objects_within_objects_end_in_an_answer() {
        for levels in [10, 12_000, 200_000] {
            for (begin, end) in [("[", "]"), ("<< /A ", ">>"), ("(", ")"), ("[ << /A ", ">> ]")] {
                let nested = format!("/Nested {}0{}", begin.repeat(levels), end.repeat(levels));
                let read = read_pdf(&sample("The share rose", &nested));
                let text = read.as_ref().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
                let is_told = text.as_ref().map_or_else(|why| !why.is_empty(), |text| text == "The share rose");
                assert!(is_told, "{levels} of {begin:?}: {text:?}");
            }
        }
    }
}
