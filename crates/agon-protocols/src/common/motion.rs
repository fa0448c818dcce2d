//! Motions in plain words. Debaters know that "This house would ban cars" proposes a ban of cars. A small model
//! reads of a house that bans cars, so its prompts state each position as a plain sentence.

use serde::Serialize;

/// Both positions on a motion, as sentences of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Positions {
    /// What those who argue for the motion hold.
    #[serde(rename = "for")]
    pub affirmative: String,
    /// What those who argue against it hold.
    #[serde(rename = "against")]
    pub negative: String,
    /// How three reasons for each position begin, where they are about a plan; else empty.
    pub leads: ReasonLeads,
    /// Whether the motion proposes that something is done, and does not only say how things are.
    pub is_plan: bool,
    /// The motion, where it is a question and both positions are only yes and no.
    pub question: Option<String>,
    /// Whether the negative position is a statement of its own, and does not only deny the affirmative one.
    pub has_opposite: bool,
}

/// How reasons about a plan begin. A small model that is to argue against a ban loses the thread at "we should not ban",
/// so a reason begins with what the plan does, on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReasonLeads {
    /// For the affirmative position.
    #[serde(rename = "for")]
    pub affirmative: [ReasonLead; 3],
    /// For the negative position.
    #[serde(rename = "against")]
    pub negative: [ReasonLead; 3],
}

/// How a reason begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReasonLead {
    /// What the reason follows, as "If we ban cars,".
    pub after: String,
    /// The first words of the reason itself, as "we lose".
    pub begins: &'static str,
}

impl ReasonLeads {
    /// About something that is done: `plan` begins with who does it, as in "we ban cars" or "we do not ban cars".
    fn of_plan(plan: &str) -> Self {
        let side = |words: [&'static str; 3]| {
            words.map(|begins| ReasonLead { after: format!("If {plan},"), begins })
        };
        Self {
            affirmative: side(["we gain", "it becomes easier to", "it helps those who"]),
            negative: side(["it becomes harder to", "we lose", "it is unfair to"]),
        }
    }
}

/// Names by which a motion calls those who decide on it, in lower case.
const HOUSES: [&str; 5] =
    ["this house", "this parliament", "this assembly", "this council", "this committee"];
/// Abbreviations of debaters, with what they stand for.
const ABBREVIATIONS: [(&str, &str); 9] = [
    ("thbt", "This house believes that"),
    ("thw", "This house would"),
    ("ths", "This house supports"),
    ("tho", "This house opposes"),
    ("thr", "This house regrets"),
    ("thp", "This house prefers"),
    ("thwn", "This house would not"),
    ("thb", "This house believes"),
    ("thd", "This house demands"),
];
/// Verbs by which a house states an opinion.
const BELIEFS: [&str; 6] = ["believes", "thinks", "holds", "considers", "maintains", "is convinced"];

impl Positions {
    /// The positions on `motion`. A motion that is not about a house is affirmed and denied as it is.
    pub fn of(motion: &str) -> Self {
        let motion = motion.split_whitespace().collect::<Vec<_>>().join(" ");
        let motion = spelled_out(motion.trim_end_matches(['.', '!']));
        let lower = motion.to_lowercase();
        let house = HOUSES.iter().find(|house| lower.starts_with(&format!("{house} ")));
        let Some(rest) = house.and_then(|house| motion.get(house.len()..)).map(str::trim_start) else {
            return Self::of_statement(&motion);
        };
        let (verb, object) = rest.split_once(' ').unwrap_or((rest, ""));
        match verb.to_lowercase().as_str() {
            "would" | "should" | "will" | "must" | "shall" => match object.strip_prefix("not ") {
                Some(object) => Self::pair(format!("We should not {object}"), format!("We should {object}")),
                None => Self::pair(format!("We should {object}"), format!("We should not {object}")),
            },
            belief if BELIEFS.contains(&belief) => {
                Self::of_statement(object.strip_prefix("that ").unwrap_or(object))
            }
            // Who regrets something does nothing about it. The past has one form for one thing and for many.
            "regrets" => {
                let regretted = match object.strip_prefix("that ") {
                    Some(fact) => format!("the fact that {fact}"),
                    None => object.to_owned(),
                };
                let regretted = capitalized(&regretted);
                Self::pair(
                    format!("{regretted} did more harm than good"),
                    format!("{regretted} did more good than harm"),
                )
            }
            _ => {
                let verb = infinitive(verb);
                Self::pair(format!("We should {verb} {object}"), format!("We should not {verb} {object}"))
            }
        }
    }

    /// Those on a statement or a question that can be answered with yes.
    fn of_statement(statement: &str) -> Self {
        let statement = capitalized(statement);
        if let Some(question) = statement.strip_suffix('?') {
            if let Some(plan) = question.strip_prefix("Should we ") {
                return Self::pair(format!("We should {plan}"), format!("We should not {plan}"));
            }
            return Self {
                affirmative: format!("{question}? Yes."),
                negative: format!("{question}? No."),
                leads: ReasonLeads::default(),
                is_plan: false,
                question: Some(format!("{question}?")),
                has_opposite: false,
            };
        }
        for (positive, negative) in
            [(" should ", " should not "), (" must ", " must not "), (" can ", " cannot ")]
        {
            if statement.contains(negative) {
                return Self::pair(statement.clone(), statement.replacen(negative, positive, 1));
            }
            if statement.contains(positive) {
                return Self::pair(statement.clone(), statement.replacen(positive, negative, 1));
            }
        }
        let negative = format!("This is wrong: {statement}");
        Self { has_opposite: false, ..Self::pair(statement, negative) }
    }

    fn pair(affirmative: String, negative: String) -> Self {
        let (affirmative, negative) = (affirmative.trim_end(), negative.trim_end());
        let plan = planned(affirmative);
        Self {
            is_plan: plan.is_some(),
            leads: plan.map(|plan| ReasonLeads::of_plan(&plan)).unwrap_or_default(),
            affirmative: format!("{affirmative}."),
            negative: format!("{negative}."),
            question: None,
            has_opposite: true,
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str());
    first.unwrap_or_default()
}

/// What is done where people follow "X should Y", without its end, as it stands after "if".
fn planned(affirmative: &str) -> Option<String> {
    let obliged = |word: &str| affirmative.split_once(word);
    let (who, plan) = obliged(" should ").or_else(|| obliged(" must "))?;
    let (not, plan) = match plan.strip_prefix("not ") {
        Some(left) => ("not ", left),
        None => ("", plan),
    };
    match who {
        "We" if not.is_empty() => Some(format!("we {plan}")),
        "We" => Some(format!("we do not {plan}")),
        // A name keeps its capital.
        _ => {
            let first = who.split(' ').next().unwrap_or_default();
            let is_noun = first.ends_with('s') || ["The", "A", "An", "All", "Every", "Most"].contains(&first);
            let mut letters = who.chars();
            let lower = letters.next().map(|letter| letter.to_lowercase().chain(letters).collect::<String>());
            let who = lower.filter(|_| is_noun).unwrap_or_else(|| who.to_owned());
            Some(format!("{who} were {not}to {plan}"))
        }
    }
}

fn spelled_out(motion: &str) -> String {
    let (first, rest) = motion.split_once(' ').unwrap_or((motion, ""));
    match ABBREVIATIONS.iter().find(|(short, _)| first.to_lowercase() == *short) {
        Some((_, long)) => format!("{long} {rest}"),
        None => motion.to_owned(),
    }
}

/// "supports" as "support".
fn infinitive(verb: &str) -> String {
    let verb = verb.to_lowercase();
    match verb.strip_suffix("es") {
        Some(stem) if ["sh", "ch", "ss", "x", "z"].iter().any(|end| stem.ends_with(end)) => stem.to_owned(),
        _ => match verb.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => verb.strip_suffix('s').unwrap_or(&verb).to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_is_restated_as_two_plain_sentences() {
        for (motion, affirmative, negative) in [
            (
                "This house would teach programming.",
                "We should teach programming.",
                "We should not teach programming.",
            ),
            ("This House would not ban zoos", "We should not ban zoos.", "We should ban zoos."),
            ("THW  ban\nzoos", "We should ban zoos.", "We should not ban zoos."),
            (
                "This house supports a wealth tax.",
                "We should support a wealth tax.",
                "We should not support a wealth tax.",
            ),
            ("This house wishes for rain", "We should wish for rain.", "We should not wish for rain."),
            (
                "THR the rise of social media",
                "The rise of social media did more harm than good.",
                "The rise of social media did more good than harm.",
            ),
            ("This house believes that zoos do harm.", "Zoos do harm.", "This is wrong: Zoos do harm."),
            ("THBT cities should ban cars", "Cities should ban cars.", "Cities should not ban cars."),
            (
                "Teams should not estimate tasks.",
                "Teams should not estimate tasks.",
                "Teams should estimate tasks.",
            ),
            ("Should we use Rust?", "We should use Rust.", "We should not use Rust."),
            ("is Rust fast?", "Is Rust fast? Yes.", "Is Rust fast? No."),
            ("Rust over Go", "Rust over Go.", "This is wrong: Rust over Go."),
            ("", ".", "This is wrong:."),
        ] {
            let positions = Positions::of(motion);
            assert_eq!(
                (positions.affirmative.as_str(), positions.negative.as_str()),
                (affirmative, negative)
            );
        }
    }

    #[test]
    fn a_reason_begins_with_what_the_plan_does() {
        for (motion, after) in [
            ("THW ban zoos", "If we ban zoos,"),
            ("This house would not ban zoos", "If we do not ban zoos,"),
            ("Should we use Rust?", "If we use Rust,"),
            ("THBT cities should ban cars", "If cities were to ban cars,"),
            ("Germany must not leave the union", "If Germany were not to leave the union,"),
            ("Ärzte should strike", "If Ärzte were to strike,"),
            ("Äpfels should rot", "If äpfels were to rot,"),
        ] {
            let leads = Positions::of(motion).leads;
            let [first, .., last] = leads.negative;
            assert_eq!((first.after.as_str(), first.begins), (after, "it becomes harder to"));
            assert_eq!((last.after.as_str(), last.begins), (after, "it is unfair to"));
            assert_eq!(leads.affirmative[0].begins, "we gain");
        }
        for motion in ["THBT zoos do harm", "Is Rust fast?", "THR the rise of social media"] {
            let positions = Positions::of(motion);
            assert_eq!((positions.is_plan, positions.leads), (false, ReasonLeads::default()), "{motion}");
        }
    }

    #[test]
    fn a_position_that_is_no_statement_of_its_own_is_known() {
        for (motion, has_opposite, question) in [
            ("THBT zoos do harm", false, None),
            ("Is Rust fast?", false, Some("Is Rust fast?")),
            ("Should we use Rust?", true, None),
            ("THR the rise of social media", true, None),
            ("THBT cities can ban cars", true, None),
        ] {
            let positions = Positions::of(motion);
            assert_eq!(
                (positions.has_opposite, positions.question.as_deref()),
                (has_opposite, question),
                "{motion}"
            );
        }
    }
}
