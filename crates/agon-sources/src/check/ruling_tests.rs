//! What follows from what was found on the pages of a passage.

use super::{Page, ruling::*};
use crate::{fetch::Fetched, liveness::Liveness, text::PageText};

fn page(url: &str, text: &str) -> Fetched {
    let text = format!("{text} {}", "More words that fill the page with something to read. ".repeat(6));
    let said = PageText { text, ..PageText::default() };
    Fetched { page: Some(Page::of(said).into()), ..Fetched::unread(url, Liveness::Live, "") }
}

fn standings(passage: &str, sources: &[Fetched]) -> Vec<(SourceStanding, String)> {
    judge(passage, sources).into_iter().map(|report| (report.standing, report.code)).collect()
}

fn is(standing: SourceStanding, code: &str) -> (SourceStanding, String) {
    (standing, code.to_owned())
}

#[test]
fn rulings_follow_from_what_was_found() {
    let here = || {
        page("https://a.b/1", "The council planted 4,000 trees in 2020. The mayor called it a modest start.")
    };
    for (passage, wanted) in [
        ("The council planted 4,000 trees.", is(SourceStanding::Verified, "value-found")),
        ("The council planted 5,000 trees.", is(SourceStanding::Unreliable, "value-absent")),
        ("Obesity fell by 4,000 cases.", is(SourceStanding::Unverified, "value-elsewhere")),
        ("They say \"the mayor called it a modest start\".", is(SourceStanding::Verified, "verified")),
        (
            "They say \"the mayor called it ... a modest end of all\".",
            is(SourceStanding::Unreliable, "absent"),
        ),
        ("The council planted trees.", is(SourceStanding::Unverified, "live")),
        ("[CONJECTURE] They may plant 9,000 trees.", is(SourceStanding::Unverified, "live")),
    ] {
        assert_eq!(standings(passage, &[here()]), [wanted], "{passage}");
    }
}

#[test]
fn a_script_without_spaces_is_looked_up_like_any_other() {
    let here = || {
        page(
            "https://a.b/zh",
            "报告指出，每周一天的休息可以减少工伤事故。营业额下降了12.5%，共计3,200家商店。",
        )
    };
    for (passage, wanted) in [
        ("报告指出“每周一天的休息可以减少工伤事故”。", is(SourceStanding::Verified, "verified")),
        ("报告指出“每周一天的休息会增加工伤事故，并且降低工资”。", is(SourceStanding::Unreliable, "absent")),
        ("营业额下降了12.5%。", is(SourceStanding::Verified, "value-found")),
    ] {
        assert_eq!(standings(passage, &[here()]), [wanted], "{passage}");
    }
}

#[test]
fn what_stands_on_one_source_need_not_stand_on_the_other() {
    let both = [
        page("https://a.b/1", "The town planted 4,000 trees."),
        page("https://a.b/2", "The river has 12 bridges."),
    ];
    let passage = "The town planted 4,000 trees beside its 12 bridges over the river.";
    assert_eq!(
        standings(passage, &both),
        [is(SourceStanding::Verified, "value-found"), is(SourceStanding::Verified, "value-found")]
    );
    let passage = "The town planted 4,000 trees; 77% of the people like them.";
    assert_eq!(
        standings(passage, &both),
        [is(SourceStanding::Verified, "value-found"), is(SourceStanding::Unreliable, "value-absent")]
    );
    // Where one could not be read, what is absent from the other counts against nobody.
    let blocked = [both[1].clone(), Fetched::unread("https://c.d", Liveness::Blocked, "403")];
    assert_eq!(
        standings(passage, &blocked),
        [is(SourceStanding::Unverified, "value-absent"), is(SourceStanding::Unverified, "blocked")]
    );
}

#[test]
fn a_remark_weighs_nothing_beside_words_that_stand_there() {
    let bus = || page("https://a.b/1", "The fullest bus is the one at 5, with 19 passengers on average.");
    let quote = "The page says: \"with 19 passengers on average\" (https://a.b/1).";
    for remark in [
        "Ben makes my fifty smaller by setting the five o'clock passengers aside.",
        "On the first offer some would: fifty is more than 24.",
        "They were counted in two workplaces only, and it took him two turns.",
    ] {
        let passage = format!("{remark} {quote}");
        assert_eq!(standings(&passage, &[bus()]), [is(SourceStanding::Verified, "verified")], "{passage}");
    }
    // A figure with its unit is a claim, and so is any number in a sentence that quotes or cites.
    for (passage, wanted) in [
        (format!("It carried 870 people. {quote}"), SourceStanding::Unreliable),
        (
            "Seven buses ran \"with 19 passengers on average\" (https://a.b/1).".to_owned(),
            SourceStanding::Unverified,
        ),
        (format!("It has seven drivers (https://a.b/1). {quote}"), SourceStanding::Unverified),
    ] {
        assert_eq!(judge(&passage, &[bus()])[0].standing, wanted, "{passage}");
    }
}

#[test]
fn what_a_challenge_names_it_does_not_claim() {
    let survey = [page(
        "https://a.b/1",
        "The bakery asked 240 people. Of these, 132 said that they have no way home but the night bus.",
    )];
    let challenge = "I challenge the 142 of \"142 said that they have no way home\". The page says: \"132 said that \
        they have no way home but the night bus\" (https://a.b/1).";
    let challenged = "Of the 240 people 142 said that they have no way home (https://a.b/1).";
    let judged = judge_challenge(challenge, challenged, &survey).remove(0);
    assert_eq!(
        (judged.standing, judged.code.as_str()),
        (SourceStanding::Verified, "verified"),
        "{}",
        judged.why
    );
    assert_eq!(judge(challenge, &survey)[0].standing, SourceStanding::Unreliable);
    let own = "I challenge the 142. In truth 977 people said so (https://a.b/1).";
    assert_eq!(judge_challenge(own, challenged, &survey)[0].standing, SourceStanding::Unreliable);
}

#[test]
fn a_sum_over_several_pages_is_held_against_nobody() {
    let both = [
        page("https://a.b/1", "The northern town planted 120 trees last spring."),
        page("https://a.b/2", "The southern town planted 40 trees last spring."),
    ];
    for passage in [
        "The northern town planted 120 trees and the southern town 40 trees: 160 trees across both.",
        "Both towns planted 160 trees last spring.",
    ] {
        let judged = standings(passage, &both);
        assert!(
            judged.iter().all(|(standing, _)| *standing != SourceStanding::Unreliable),
            "{passage}: {judged:?}"
        );
    }
    for passage in ["Both towns planted 170 trees last spring.", "Both towns paid 160 euros last spring."] {
        let judged = standings(passage, &both);
        assert!(
            judged.iter().all(|(standing, _)| *standing == SourceStanding::Unreliable),
            "{passage}: {judged:?}"
        );
    }
}

#[test]
fn v4_only_a_page_that_never_was_is_fabricated() {
    for (liveness, wanted) in [
        (Liveness::NeverSeen, SourceStanding::Fabricated),
        (Liveness::Missing, SourceStanding::Unreliable),
        (Liveness::Soft404, SourceStanding::Unreliable),
        (Liveness::Blocked, SourceStanding::Unverified),
        (Liveness::Unreachable, SourceStanding::Unverified),
        (Liveness::DeadArchived, SourceStanding::Unverified),
        (Liveness::Unchecked, SourceStanding::Unchecked),
    ] {
        let reports = judge("It is 5%.", &[Fetched::unread("https://a.b", liveness, "")]);
        assert_eq!(reports[0].standing, wanted, "{liveness:?}");
    }
}

#[test]
fn a_page_that_hides_its_text_says_nothing_against_a_claim() {
    let said = PageText { text: "Please enable JavaScript to read this. ".repeat(8), ..PageText::default() };
    let hidden =
        Fetched { page: Some(Page::of(said).into()), ..Fetched::unread("https://a.b", Liveness::Live, "") };
    assert_eq!(standings("It is 5%.", &[hidden]), [is(SourceStanding::Unverified, "value-absent")]);
    let cut = Fetched { is_cut: true, ..page("https://a.b", "Long.") };
    assert_eq!(standings("It is 5%.", &[cut]), [is(SourceStanding::Unverified, "value-absent")]);
}
