//! Rule D12, to the extent that words show it: what a turn asserts should share words with the topic, the
//! document, or the turns before it that do.
//!
//! Whether a turn stays on the topic takes judgment, so this only warns. It says nothing where words
//! cannot be compared: in scripts that do not part them or join them with others, in another language
//! than the document's, and where there are too few of them.

use std::collections::BTreeSet;

use super::{history::History, turn::Contribution};

/// Letters of a word that are compared: endings differ.
const STEM_CHARS: usize = 5;
/// Shorter words tell the language, not what a text is about.
const CONTENT_CHARS_MIN: usize = 4;
/// Fewest words of topic and document, and of a turn, that can be judged by.
const KNOWN_MIN: usize = 10;
const SAID_MIN: usize = 6;
/// One of so many words must be shared: less comes about by chance.
const SHARED_ONE_OF: usize = 16;
/// One of so many words is one of [`PLAIN`] in English, and one of so many small words is shared by
/// texts of one language.
const ENGLISH_ONE_OF: usize = 6;
const SMALL_ONE_OF: usize = 4;
/// English words that any text may use, and words that any turn of a duel may use.
const PLAIN: &str = " \
    a about above across after again against all almost alone also although always am among an and another any \
    anybody anyone anything are as ask at away be because become been before being below best better between both \
    but by can cannot come could did do does done down each either else enough even ever every everybody everyone \
    everything few first for from further get give given go good had has have having he her here him his how \
    however i if in instead into is it its just keep know last least leave left less let like little long made make \
    makes many may maybe me mean means might more most much must my need needs neither never new next no nobody \
    none nor not nothing now of off often on once one only onto or other others our out over own part perhaps \
    point put quite rather really said same say says see seem seems shall she should show shows since so some \
    somebody someone something still such take takes than that the their them then there these they thing things \
    this those though three through thus to too two under until up upon us use used very was way we well were what \
    when where whether which while who whole whom whose why will with within without would yes yet you your \
    accept accepts agree agreement agrees argue argues argument believe believes claim claims convince convinced \
    counterpoint debate disagree document evidence grant granted grants hold holds objection open opinion peer \
    position principle question reason right source stance stand stands support think thinks topic true turn \
    unresolved view wrong ";

/// Words of a text: what it is about, and what only tells its language.
#[derive(Default)]
struct Words {
    content: BTreeSet<String>,
    small: BTreeSet<String>,
    all: usize,
    plain: usize,
}

impl Words {
    fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut words = Self::default();
        let split =
            |text: &'t str| text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in texts.into_iter().flat_map(split).filter(|word| !word.contains(char::is_numeric)) {
            let word = word.to_lowercase();
            let is_plain = PLAIN.contains(&format!(" {word} "));
            words.all += 1;
            words.plain += usize::from(is_plain);
            if is_plain || word.chars().count() < CONTENT_CHARS_MIN {
                words.small.insert(word);
            } else {
                words.content.insert(word.chars().take(STEM_CHARS).collect());
            }
        }
        words
    }

    fn shares(&self, other: &Self) -> bool {
        let shared = self.content.intersection(&other.content).count();
        shared > 0 && shared * SHARED_ONE_OF >= self.content.len()
    }

    fn is_english(&self) -> bool {
        self.plain * ENGLISH_ONE_OF >= self.all
    }

    fn is_in_the_language_of(&self, other: &Self) -> bool {
        let shared = self.small.intersection(&other.small).count();
        (self.is_english() && other.is_english()) || (shared > 1 && shared * SMALL_ONE_OF >= self.small.len())
    }
}

/// The warning for `said`, the turn that is due after those of `history`, where it is probably about
/// something else than `topic` and `document`.
pub(super) fn warning(said: &Contribution, topic: &str, document: &str, history: &History) -> Option<String> {
    let claims = said.claims();
    let own: Vec<&str> = claims.iter().map(|(_, text)| *text).collect();
    let earlier = history.rules("", None).asserted;
    let turn = history.next();
    strays(&own, topic, document, &earlier).then(|| {
        format!("D12 turn {turn} shares hardly a word with topic and document; it may be off the topic")
    })
}

/// Whether `said`, everything that a turn asserts, is probably about something else than `topic` and
/// `document`; `earlier` is what the turns before it assert, each with its number.
fn strays(said: &[&str], topic: &str, document: &str, earlier: &[(u32, &str)]) -> bool {
    if !said.iter().chain(&[topic, document]).all(|text| parts_words(text)) {
        return false;
    }
    let given = Words::of([topic, document]);
    let own = Words::of(said.iter().copied());
    let judged = own.content.len() >= SAID_MIN && given.content.len() >= KNOWN_MIN;
    if !judged || !own.is_in_the_language_of(&given) {
        return false;
    }
    let mut known = given;
    for turn in earlier.chunk_by(|(one, _), (next, _)| one == next) {
        let turn = Words::of(turn.iter().map(|(_, text)| *text));
        // One that strayed itself leads nobody back.
        if turn.shares(&known) {
            known.content.extend(turn.content);
        }
    }
    !own.shares(&known)
}

/// Whether a text is in Latin, Greek or Cyrillic letters alone: those part words by blanks, and what
/// a word is about stands at its beginning.
fn parts_words(text: &str) -> bool {
    let parts = |c: char| matches!(c, '\0'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{1d00}'..='\u{1fff}' | '\u{2c60}'..='\u{2c7f}' | '\u{a640}'..='\u{a69f}' | '\u{a720}'..='\u{a7ff}');
    text.chars().filter(|c| c.is_alphabetic()).all(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPIC: &str = "Use SQLite for events";
    const PLAN: &str = "# Use SQLite for events\n\nWe store events in SQLite. The write rate is two thousand rows per second.\n\n## Risks\n\nBackups run every night at two. Nobody owns the restore test.\n";
    const BANANAS: [&str; 3] = [
        "Bananas taste best when their peel is yellow and soft.",
        "Nobody has shown that green fruit ripens in a dark cupboard.",
        "Monkeys choose ripe bananas over any other tropical fruit.",
    ];

    #[test]
    fn a_turn_about_something_else_is_noticed_at_any_place_of_a_duel() {
        assert!(strays(&BANANAS, TOPIC, PLAN, &[]));
        let before =
            [(1, "The stated write rate hides bursts after an outage."), (2, "A restore needs an owner.")];
        assert!(strays(&BANANAS, TOPIC, PLAN, &before));
        let fruit = BANANAS.map(|text| (1, text));
        assert!(strays(
            &["Ripe bananas belong into a cupboard, and monkeys love every tropical fruit."],
            TOPIC,
            PLAN,
            &fruit
        ));
    }

    #[test]
    fn a_turn_that_answers_document_or_peer_in_other_words_is_on_the_topic() {
        let table: [&[&str]; 3] = [
            &[
                "Growth over several years was forgotten by the authors.",
                "Restoring has never been rehearsed by anybody there.",
            ],
            &["Bursts follow whenever machines return after an outage, and queues fill quickly."],
            &["SQLite allows exactly a single writer, whichever process happens to be quickest."],
        ];
        let before = [(1, "The stated write rate hides bursts after an outage.")];
        for said in table {
            assert!(!strays(said, TOPIC, PLAN, &before), "{said:?}");
        }
    }

    #[test]
    fn words_that_cannot_be_compared_are_not_judged() {
        // Another language, a script without blanks, one that joins words, few words, a bare document.
        let german = [
            "Bananen schmecken erst richtig, wenn ihre Schale gelb geworden ist, sagen Händler seit langem.",
        ];
        assert!(!strays(&german, TOPIC, PLAN, &[]));
        assert!(!strays(&["香蕉在变黄变软的时候味道最好，猴子也喜欢吃成熟的香蕉。"], TOPIC, PLAN, &[]));
        assert!(!strays(&BANANAS, TOPIC, "数据库每天晚上备份一次。", &[]));
        assert!(!strays(
            &["אין ראיה לכך שפירות ירוקים מבשילים בארון חשוך, והקופים אוהבים בננות."],
            TOPIC,
            PLAN,
            &[]
        ));
        assert!(!strays(&["Bananas ripen."], TOPIC, PLAN, &[]));
        assert!(!strays(&BANANAS, "T", "# T\n\nShip it.\n", &[]));
    }

    #[test]
    fn other_languages_with_letters_of_their_own_are_compared_too() {
        let plan = "Мы храним события в базе данных. Каждую ночь в два часа делается \
            резервная копия, и никто не проверяет восстановление на другом сервере.";
        let bananas =
            ["Бананы вкуснее всего, когда они жёлтые и мягкие, и обезьяны не едят зелёные фрукты в темноте."];
        let about = [
            "Восстановление из резервной копии не проверяется, и ночью в базе теряются события последних часов.",
        ];
        assert!(strays(&bananas, "Резервные копии", plan, &[]));
        assert!(!strays(&about, "Резервные копии", plan, &[]));
    }
}
