//! What holds for any text.

use agon_text::{
    FoldedText, HiddenPassages, Span, check_calculation, count_words, find_figures, find_links, find_quotations,
    folded_words, is_copy, is_quoted, is_unspaced, redact_passages, split_sentences, split_words, strip_invisible,
    take_words,
};
use proptest::prelude::*;

/// Text of many scripts, with signs that the functions look for.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "word",
        "Straße",
        "don’t",
        "3.5",
        "1,234",
        "9 120",
        "https://a.b/c",
        "://",
        "每周一天",
        "，",
        "。",
        "カー",
        "ค่าเช่า",
        "नदी",
        "cafe\u{301}",
        "العربية",
        "한국어",
        "“",
        "”",
        "\"",
        "‘",
        "’",
        "«",
        "»",
        "「",
        "」",
        ".",
        "?",
        "!",
        " ",
        " ",
        "\n",
        "\n\n",
        "> ",
        "<b>",
        "[",
        "]",
        "(",
        ")",
        "...",
        "…",
        "-",
        "—",
        "%",
        "\u{200b}",
        "\u{ad}",
        "\u{202e}",
        "👩\u{200d}🔬",
        "ﬁ",
        "½",
        "\r\n",
        "\u{301}",
        "*",
        "`",
        "e.g.",
        "Dr.",
        "GPT-4",
        "١٢",
        "１２",
    ]);
    prop_oneof![prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat()), any::<String>(),]
}

fn is_in_order(whole: &str, spans: &[Span<'_>]) -> bool {
    spans.iter().all(|span| whole.get(span.range.clone()) == Some(span.text))
        && spans.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start)
}

proptest! {
    #[test]
    fn parts_stand_where_they_say_and_in_order(text in text()) {
        prop_assert!(is_in_order(&text, &split_words(&text)));
        prop_assert!(is_in_order(&text, &find_links(&text)));
        let quotations = find_quotations(&text);
        prop_assert!(is_in_order(&text, &quotations));
        prop_assert!(quotations.iter().all(|quotation| is_quoted(&text, quotation.range.clone())));
        let figures = find_figures(&text);
        prop_assert!(figures.iter().all(|figure| text.get(figure.range.clone()) == Some(figure.text)));
        prop_assert!(figures.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
    }

    #[test]
    fn sentences_have_no_gaps(text in text()) {
        let found = split_sentences(&text);
        prop_assert!(is_in_order(&text, &found));
        prop_assert_eq!(found.iter().map(|sentence| sentence.text).collect::<String>(), text.clone());
    }

    #[test]
    fn counting_words_is_finding_them(text in text(), count in 0..9_usize) {
        let all = split_words(&text).len();
        prop_assert_eq!(count_words(&text), all);
        prop_assert!(count_words(take_words(&text, count)) <= count);
        prop_assert!(text.starts_with(take_words(&text, count)));
    }

    #[test]
    fn folded_ranges_map_back(text in text()) {
        let folded = FoldedText::new(&text);
        let bounds: Vec<usize> =
            folded.as_str().char_indices().map(|(at, _)| at).chain([folded.as_str().len()]).collect();
        let mut last = 0;
        for pair in bounds.windows(2) {
            let place = folded.original_range(pair[0]..pair[1]);
            prop_assert!(text.get(place.clone()).is_some() && place.start >= last, "{place:?}");
            last = place.start;
        }
        // What was folded once is folded.
        prop_assert!(folded.find_words(&folded, 0).is_some() || folded.as_str().is_empty());
    }

    #[test]
    fn a_text_is_a_copy_of_itself_without_what_nobody_sees(text in text()) {
        // Where no space parts words, a hidden one does.
        prop_assume!(!text.contains(is_unspaced));
        let seen = strip_invisible(&text);
        prop_assert_eq!(is_copy(&seen, &text), !folded_words(&text).is_empty());
    }

    #[test]
    fn ascii_is_folded_like_any_text(text in "[a-zA-Z0-9' .,-]{0,60}") {
        let mut folded = folded_words(&format!("{text} é"));
        folded.pop();
        prop_assert_eq!(folded_words(&text), folded);
    }

    #[test]
    fn what_is_hidden_is_not_repeated(text in text(), hidden in text()) {
        let shown = redact_passages(&text, &[&hidden], "[REDACTED]");
        prop_assert!(HiddenPassages::from_texts([hidden.as_str()], 4).find_in(&shown).is_empty() || hidden.contains("REDACTED"));
        prop_assert!(redact_passages(&text, &[], "x") == text);
    }

    #[test]
    fn no_calculation_breaks_anything(text in "[-+×÷*/()%‰= .,0-9٣x]{0,60}") {
        drop(check_calculation(&text));
    }
}
