//! Words in their forms: `ship` and `ships` are one, `ship` and `shop` are not.

/// Endings by which the forms of one word differ.
const ENDINGS: [&str; 34] = [
    "", "s", "es", "e", "n", "en", "er", "r", "ar", "or", "a", "o", "i", "as", "os", "y", "ies", "ów", "u",
    "em", "ami", "ach", "om", "na", "erna", "arna", "orna", "et", "x", "'s", "’s", "ren", "ern", "in",
];
/// Forms that share too little of their letters.
const IRREGULAR: [(&str, &str); 9] = [
    ("man", "men"),
    ("woman", "women"),
    ("child", "children"),
    ("person", "people"),
    ("foot", "feet"),
    ("mouse", "mice"),
    ("tooth", "teeth"),
    ("navire", "navires"),
    ("life", "lives"),
];

/// Whether `a` and `b`, in lower case, are forms of one word.
pub fn same(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if IRREGULAR.iter().any(|pair| *pair == (a, b) || *pair == (b, a)) {
        return true;
    }
    // Umlauts come and go with the plural: `Baum`, `Bäume`.
    let plain = |text: &str| text.chars().map(bare).collect::<Vec<char>>();
    let (a, b) = (plain(a), plain(b));
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    if a.iter().chain(&b).any(|c| is_ideograph(*c)) {
        // Without blanks the word continues into the next one.
        return shared > 0;
    }
    if shared < 3 {
        return false;
    }
    let rest = |word: &[char]| word[shared..].iter().collect::<String>();
    let ends = |rest: &str| ENDINGS.iter().any(|end| end.chars().map(bare).eq(rest.chars()));
    let (a, b) = (rest(&a), rest(&b));
    ends(&a) && ends(&b)
}

fn bare(c: char) -> char {
    match c {
        'ä' | 'á' | 'à' | 'â' | 'å' => 'a',
        'ö' | 'ó' | 'ò' | 'ô' => 'o',
        'ü' | 'ú' | 'ù' | 'û' => 'u',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' => 'i',
        c => c,
    }
}

/// Whether `c` belongs to a script that is written without blanks.
pub fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_and_other_words_are_not() {
        for (a, b) in
            [("ship", "ships"), ("baum", "bäume"), ("woche", "wochen"), ("city", "cities"), ("men", "man")]
        {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in
            [("car", "cart"), ("ton", "tonne"), ("bushel", "peck"), ("watt", "water"), ("lux", "lumen")]
        {
            assert!(!same(a, b), "{a} {b}");
        }
    }
}
