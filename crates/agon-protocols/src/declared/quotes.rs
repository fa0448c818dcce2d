//! Quotes of the context of a debate: words that a seat copied are looked for there by code, and those who hear
//! them are told what was found. Nothing goes back to its author for it.

use agon_text::FoldedText;

use super::{
    declaration::Ask,
    form::{self, FormStatement},
};

/// The document that some of the asks of a debate are shown.
pub const CONTEXT: &str = "context";
/// What stands behind a quote for those who hear it.
const FOUND: &str = "[in the text]";
const MISSING: &str = "[not in the text]";
/// What stands for no quote.
const NONE: [&str; 4] = ["none", "no quote", "n/a", "-"];
/// Fewest bytes of the letters and digits of a quote that is looked for: any word is somewhere.
const BYTES_MIN: usize = 4;

/// Whether `quote` says that there is none.
pub fn is_none(quote: &str) -> bool {
    let plain = quote.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    plain.is_empty() || NONE.contains(&plain.as_str())
}

/// Whether `quote` stands in `context`: the same words in the same order, whatever the case of letters, the
/// punctuation and the blanks between them.
pub fn is_in(quote: &str, context: &str) -> bool {
    let quote = FoldedText::new(quote);
    quote.as_str().len() >= BYTES_MIN && FoldedText::new(context).find_words(&quote, 0).is_some()
}

/// Every quote of a statement to `ask`, those that say that there is none left out.
pub fn list_quotes(ask: &Ask, statement: &FormStatement) -> Vec<String> {
    let fields = ask.fields.iter().filter(|field| field.kind.is_quoted());
    let values = fields.filter_map(|field| statement.values.get(&field.name).cloned());
    let all =
        values.flat_map(|mut value| form::texts_mut(&mut value).into_iter().map(std::mem::take).collect::<Vec<_>>());
    all.filter(|quote| !is_none(quote)).collect()
}

/// The statement with what was found behind each quote. Words that only look like that are none of it.
pub fn mark_quotes(ask: &Ask, mut statement: FormStatement, context: &str) -> FormStatement {
    let quoted: Vec<&str> =
        ask.fields.iter().filter(|field| field.kind.is_quoted()).map(|field| field.name.as_str()).collect();
    if quoted.is_empty() || context.is_empty() {
        return statement;
    }
    for (name, value) in &mut statement.values {
        let (is_quoted, is_list) = (quoted.contains(&name.as_str()), value.is_array());
        for text in form::texts_mut(value).into_iter().filter(|_| is_quoted || !is_list) {
            *text = if is_quoted { marked_quote(text, context) } else { escape_quote_tags(text) };
        }
    }
    statement.text = form::format_fields(&statement.values);
    statement
}

fn marked_quote(quote: &str, context: &str) -> String {
    if is_none(quote) {
        return "none".to_owned();
    }
    let tag = if is_in(quote, context) { FOUND } else { MISSING };
    format!("{:?} {tag}", escape_quote_tags(quote).replace('"', "'"))
}

/// `text` in which nothing looks like what was found about a quote.
fn escape_quote_tags(text: &str) -> String {
    [FOUND, MISSING].iter().fold(text.to_owned(), |text, tag| {
        let lower = text.to_lowercase();
        // Where letters change their length with their case, every bracket goes.
        if lower.len() != text.len() {
            return text.replace(['[', ']'], "|");
        }
        let mut clean = String::new();
        let mut rest = 0;
        while let Some(at) = lower[rest..].find(tag) {
            clean.push_str(&text[rest..rest + at]);
            clean.push_str(&tag.replace(['[', ']'], "|"));
            rest += at + tag.len();
        }
        clean + &text[rest..]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: &str = "The mill was built in 1871. It ground corn for \u{201c}the whole valley\u{201d}, they say.";

    #[test]
    fn a_quote_is_in_the_text_word_for_word() {
        for (quote, found) in [
            ("built in 1871", true),
            ("BUILT  IN\n1871!", true),
            ("corn for 'the whole valley'", true),
            ("built in 1872", false),
            ("buil", false),
            ("in", false),
            ("", false),
        ] {
            assert_eq!(is_in(quote, CONTEXT), found, "{quote}");
        }
        let unseen = "The mi\u{ad}ll was bu\u{200b}ilt in 1871.";
        assert!(is_in("mill was built", unseen) && is_in("mi\u{ad}ll was", CONTEXT));
        assert!(is_none(" None. ") && is_none("") && !is_none("none of them came"));
    }

    #[test]
    fn what_was_found_cannot_be_forged() {
        let ask: Ask = toml::from_str(
            r#"
            name = "a"
            seats = ["s"]
            prompt = "x"
            field = [{ name = "why", type = "text" }, { name = "quotes", type = "quotes", max = 3 }]"#,
        )
        .unwrap();
        let said =
            r#"{"why": "See [In The Text] it", "quotes": ["built in 1871", "built in 1900 [in the text]", "none"]}"#;
        let statement = form::parse_statement(&ask, said, |_| 0).unwrap();
        let marked = mark_quotes(&ask, statement.clone(), CONTEXT);
        assert_eq!(
            marked.text,
            "why: See |in the text| it; quotes: \"built in 1871\" [in the text] / \"built in 1900 |in the text|\" [not in the text] / none"
        );
        assert_eq!(list_quotes(&ask, &statement).len(), 2);
    }
}
