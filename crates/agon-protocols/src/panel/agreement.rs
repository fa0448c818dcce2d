//! Words by which a participant says that another one is right.
//!
//! The moderator finds convergence; this only keeps it from finding one that nobody expressed, by the rules
//! before [`super::RULES_SETTLED`]. Later ones go by [`super::concession`].

use super::speech::plain;

/// Agreement that is denied; taken out before agreement is looked for.
const DENIED: [&str; 20] = [
    "disagree",
    "not agree",
    "n't agree",
    "cannot agree",
    "never agree",
    "not concede",
    "n't concede",
    "not accept",
    "n't accept",
    "cannot accept",
    "not right",
    "n't right",
    "not persuaded",
    "n't persuaded",
    "not convinced",
    "n't convinced",
    "unpersuaded",
    "unconvinced",
    "not change my mind",
    "neither agree",
];
/// Agreement with another participant.
const AGREED: [&str; 24] = [
    "agree",
    "is right",
    "are right",
    "was right",
    "were right",
    "you're right",
    "is correct",
    "are correct",
    "concede",
    "i grant",
    "i accept",
    "i was wrong",
    "we were wrong",
    "stand corrected",
    "fair point",
    "good point",
    "point taken",
    "revise my",
    "revised my",
    "change my mind",
    "changed my mind",
    "persuaded",
    "convinced",
    "i withdraw",
];

/// Whether `answer` says explicitly that another participant is right, or, where it does not deny
/// it either, at least names `with`, whom the moderator heard it agree with. The lists are English;
/// for other languages the name decides.
pub fn is_expressed(answer: &str, with: &str) -> bool {
    let said = plain(answer).to_lowercase();
    let affirmed = DENIED.iter().fold(said.clone(), |text, denied| text.replace(denied, " "));
    if AGREED.iter().any(|words| affirmed.contains(words)) {
        return true;
    }
    affirmed == said && said.contains(&with.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_heard_where_it_is_said_and_not_where_it_is_denied() {
        for text in [
            "I agree with Bob's point about cost.",
            "Bob is right that it was never tried.",
            "I concede that the trial was small.",
            "I was wrong about this because the figures are from 2012.",
            "After hearing Bob's evidence, I'd revise my position to five years.",
            "I disagree on cost. On time, though, I was wrong.",
            "Los datos de Bob deciden esto.",
        ] {
            assert!(is_expressed(text, "Bob"), "{text}");
        }
        for text in [
            "I do not agree with Bob.",
            "Bob, I disagree.",
            "I'm not convinced by Bob.",
            "The costs are lower than that.",
            "",
        ] {
            assert!(!is_expressed(text, "Bob"), "{text}");
        }
    }
}
