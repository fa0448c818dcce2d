//! One passage in each of eighteen languages: its words, sentences, quotations and links.

use agon_text::{
    FoldedText, QuoteMatch, count_words, find_links, find_quotations, find_quote, is_copy, measure_likeness,
    split_sentences, split_words,
};

/// A passage of two sentences, the first with a quotation, the second with a link.
struct Passage {
    language: &'static str,
    text: &'static str,
    words: usize,
    /// Where the second sentence begins.
    second: &'static str,
    quotation: &'static str,
    link: &'static str,
}

const fn passage(
    language: &'static str,
    text: &'static str,
    words: usize,
    second: &'static str,
    quotation: &'static str,
    link: &'static str,
) -> Passage {
    Passage { language, text, words, second, quotation, link }
}

const PASSAGES: [Passage; 18] = [
    passage(
        "English",
        "The council says: “Every shop rests on Sunday.” See https://a.example/en—3,200 shops rested.",
        12,
        "See",
        "Every shop rests on Sunday.",
        "https://a.example/en",
    ),
    passage(
        "German",
        "Der Rat sagt: „Jeder Laden ruht am Sonntag.“ Siehe https://a.example/de_(1), dort steht es.",
        13,
        "Siehe",
        "Jeder Laden ruht am Sonntag.",
        "https://a.example/de_(1)",
    ),
    passage(
        "French",
        "Le conseil dit : « Chaque magasin se repose le dimanche. » Voir (https://a.example/fr).",
        14,
        "Voir",
        " Chaque magasin se repose le dimanche. ",
        "https://a.example/fr",
    ),
    passage(
        "Finnish",
        "Neuvosto sanoo: ”Jokainen kauppa lepää sunnuntaina.” Katso https://a.example/fi, siellä lukee.",
        10,
        "Katso",
        "Jokainen kauppa lepää sunnuntaina.",
        "https://a.example/fi",
    ),
    passage(
        "Polish",
        "Rada mówi: „Każdy sklep odpoczywa w niedzielę.” Zobacz https://a.example/pl!",
        9,
        "Zobacz",
        "Każdy sklep odpoczywa w niedzielę.",
        "https://a.example/pl",
    ),
    passage(
        "Turkish",
        "Meclis diyor ki: “Her dükkân pazar günü dinlenir.” Bkz. https://a.example/tr; orada yazıyor.",
        12,
        "Bkz",
        "Her dükkân pazar günü dinlenir.",
        "https://a.example/tr",
    ),
    passage(
        "Vietnamese",
        "Hội đồng nói: “Mỗi cửa hàng nghỉ ngày chủ nhật.” Xem https://a.example/vi?a=1, ở đó có ghi.",
        16,
        "Xem",
        "Mỗi cửa hàng nghỉ ngày chủ nhật.",
        "https://a.example/vi?a=1",
    ),
    passage(
        "Russian",
        "Совет говорит: «Каждый магазин отдыхает в воскресенье». Смотри https://a.example/ru, там написано.",
        11,
        "Смотри",
        "Каждый магазин отдыхает в воскресенье",
        "https://a.example/ru",
    ),
    passage(
        "Greek",
        "Το συμβούλιο λέει «κάθε κατάστημα ξεκουράζεται την Κυριακή». Δες https://a.example/el· εκεί γράφεται.",
        12,
        "Δες",
        "κάθε κατάστημα ξεκουράζεται την Κυριακή",
        "https://a.example/el",
    ),
    passage(
        "Hebrew",
        "המועצה אומרת: ״כל חנות נחה ביום ראשון״. ראו https://a.example/he, שם כתוב.",
        11,
        "ראו",
        "כל חנות נחה ביום ראשון",
        "https://a.example/he",
    ),
    passage(
        "Arabic",
        "يقول المجلس: «كل متجر يستريح يوم الأحد». انظر https://a.example/ar، هناك مكتوب؟",
        11,
        "انظر",
        "كل متجر يستريح يوم الأحد",
        "https://a.example/ar",
    ),
    passage(
        "Persian",
        "شورا می‌گوید: «هر مغازه یکشنبه استراحت می‌کند». ببینید https://a.example/fa؛ آنجا نوشته است.",
        12,
        "ببینید",
        "هر مغازه یکشنبه استراحت می‌کند",
        "https://a.example/fa",
    ),
    passage(
        "Hindi",
        "परिषद कहती है: “हर दुकान रविवार को आराम करती है।” देखें https://a.example/hi। वहाँ लिखा है।",
        15,
        "देखें",
        "हर दुकान रविवार को आराम करती है।",
        "https://a.example/hi",
    ),
    passage(
        "Korean",
        "의회는 “모든 가게는 일요일에 쉰다”고 말한다. 그것은 https://a.example/ko에 적혀 있다.",
        10,
        "그것은",
        "모든 가게는 일요일에 쉰다",
        "https://a.example/ko",
    ),
    passage(
        "Chinese",
        "议会说：“每家商店星期日休息。”见https://a.example/zh，去年有3200家。",
        12,
        "见",
        "每家商店星期日休息。",
        "https://a.example/zh",
    ),
    passage(
        "Japanese",
        "議会は「すべての店は日曜日に休む」と言う。（https://a.example/ja）を見よ。",
        15,
        "https://a.example/ja",
        "すべての店は日曜日に休む",
        "https://a.example/ja",
    ),
    passage(
        "Thai",
        "สภาบอกว่า “ทุกร้านหยุดวันอาทิตย์”\nดู https://a.example/th ที่นั่น",
        12,
        "ดู",
        "ทุกร้านหยุดวันอาทิตย์",
        "https://a.example/th",
    ),
    passage(
        "Khmer",
        "ក្រុមប្រឹក្សានិយាយថា “ហាងទាំងអស់សម្រាកថ្ងៃអាទិត្យ” ។ មើល https://a.example/km ទីនោះ។",
        11,
        "មើល",
        "ហាងទាំងអស់សម្រាកថ្ងៃអាទិត្យ",
        "https://a.example/km",
    ),
];

#[test]
fn words_are_counted_in_eighteen_languages() {
    let mut wrong = Vec::new();
    for Passage { language, text, words: wanted, .. } in PASSAGES {
        let found: Vec<&str> = split_words(text).iter().map(|word| word.text).collect();
        if (found.len(), count_words(text)) != (wanted, wanted) {
            wrong.push(format!("{language}: {} and not {wanted}: {}", found.len(), found.join("|")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sentences_end_in_eighteen_languages() {
    let mut wrong = Vec::new();
    for Passage { language, text, second, .. } in PASSAGES {
        let found: Vec<&str> = split_sentences(text).iter().map(|sentence| sentence.text).collect();
        let begins = found.iter().any(|sentence| sentence.starts_with(second));
        if !begins || found.len() > 3 {
            wrong.push(format!("{language}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn quotations_and_links_end_in_eighteen_languages() {
    for Passage { language, text, quotation, link, .. } in PASSAGES {
        let quotations: Vec<&str> = find_quotations(text).iter().map(|quotation| quotation.text).collect();
        assert_eq!(quotations, [quotation], "{language}");
        let links: Vec<&str> = find_links(text).iter().map(|link| link.text).collect();
        assert_eq!(links, [link], "{language}");
    }
}

#[test]
fn quotations_are_found_word_for_word_in_eighteen_languages() {
    for Passage { language, text, quotation, .. } in PASSAGES {
        let folded = FoldedText::new(text);
        let found = find_quote(&folded, &quotation.to_uppercase());
        assert!(matches!(&found, QuoteMatch::Verbatim(places) if places.len() == 1), "{language}: {found:?}");
        // Of another passage nothing like it stands there.
        for other in PASSAGES.iter().filter(|other| other.language != language) {
            assert_eq!(find_quote(&folded, other.quotation), QuoteMatch::Absent, "{language}: {}", other.language);
        }
    }
}

#[test]
fn copies_are_known_in_eighteen_languages() {
    for Passage { language, text, .. } in PASSAGES {
        let copy = text.to_uppercase().replace(['“', '”', '「', '」', '«', '»'], "\"");
        assert!(is_copy(&copy, text), "{language}");
        let others = PASSAGES.iter().filter(|other| other.language != language);
        others.for_each(|other| assert_eq!(measure_likeness(other.text, text), 0.0, "{language}: {}", other.language));
    }
}
