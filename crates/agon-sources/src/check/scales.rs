//! Words of scale: thousand, lakh, Mrd., 万.

/// Words of scale, in lower case, and their power of ten; `*` stands for any ending.
const SCALES: [(&str, i32); 61] = [
    ("hundred", 2),
    ("thousand", 3),
    ("thousands", 3),
    ("k", 3),
    ("tausend", 3),
    ("tsd", 3),
    ("mille", 3),
    ("mila", 3),
    ("mil", 3),
    ("duizend", 3),
    ("tusen", 3),
    ("tusind", 3),
    ("tys", 3),
    ("tysi*", 3),
    ("\u{442}\u{44b}\u{441}*", 3),
    ("\u{4e07}", 4),
    ("\u{842c}", 4),
    ("\u{b9cc}", 4),
    ("lakh", 5),
    ("lakhs", 5),
    ("million", 6),
    ("millions", 6),
    ("mn", 6),
    ("mio", 6),
    ("mln", 6),
    ("m", 6),
    ("millionen", 6),
    ("mill\u{f3}n", 6),
    ("millones", 6),
    ("milion*", 6),
    ("milh*", 6),
    ("miljoen", 6),
    ("miljon*", 6),
    ("millioner", 6),
    ("miljoona*", 6),
    ("\u{43c}\u{43b}\u{43d}", 6),
    ("\u{43c}\u{438}\u{43b}\u{43b}\u{438}\u{43e}\u{43d}*", 6),
    ("crore", 7),
    ("crores", 7),
    ("\u{4ebf}", 8),
    ("\u{5104}", 8),
    ("\u{c5b5}", 8),
    ("billion", 9),
    ("billions", 9),
    ("bn", 9),
    ("b", 9),
    ("milliard*", 9),
    ("miliard*", 9),
    ("miljard*", 9),
    ("mrd", 9),
    ("md", 9),
    ("mds", 9),
    ("mld", 9),
    ("bilh*", 9),
    ("\u{43c}\u{43b}\u{440}\u{434}", 9),
    ("trillion", 12),
    ("trillions", 12),
    ("tn", 12),
    ("bill\u{f3}n", 12),
    ("billones", 12),
    ("billionen", 12),
];
/// More of them, of which the same letters mean a thousand times more or less elsewhere.
const LONG_SCALES: [(&str, i32); 6] =
    [("biljoen", 12), ("biljon*", 12), ("bilion*", 12), ("trilh*", 12), ("\u{5146}", 12), ("billiard*", 15)];

/// The power of ten of a word of scale.
pub fn scale(word: &str) -> Option<i32> {
    let word = word.to_lowercase();
    let is = |name: &str| match name.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => name == word,
    };
    SCALES.iter().chain(&LONG_SCALES).find(|(name, _)| is(name)).map(|(_, power)| *power)
}

/// Whether a point behind `word`, in lower case, shortens it: `3 Mio. Euro`.
pub fn is_shortened(word: &str) -> bool {
    ["mio", "mrd", "mln", "tsd", "tys", "rs", "approx", "ca"].contains(&word)
}

/// What more a word of scale may stand for where it is not English: *billion* is a million millions in most
/// of Europe.
pub fn other_scale(word: &str) -> Option<i32> {
    let word = word.to_lowercase();
    match word.as_str() {
        "billion" | "billions" => Some(3),
        "trillion" | "trillions" => Some(6),
        _ => None,
    }
}
