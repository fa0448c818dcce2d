//! The report of odd runs: one item, no gold, no judge, a judge that is always sure, a provider that was down for one
//! arm. Each figure is sensible, or says why it is absent; nothing is 0 or NaN for want of data.
#![allow(clippy::unwrap_used)]

use agon_eval::{
    figures::paired::PairedDifference,
    observation::{MirrorPair, Observation, ObservationState, ObservedSide, ObservedUsage, ObservedVote},
    report::{
        EvaluationReport,
        builder::{ReportBuilder, ReportOptions},
        csv::write_figures,
        html::render_page,
        text::{COLUMNS_MAX, render_text},
    },
};
use unicode_width::UnicodeWidthStr;

fn observation(item: &str, arm: &str, answer: &str) -> Observation {
    Observation {
        item: item.into(),
        arm: arm.into(),
        gold: Some("yes".into()),
        choices: vec!["yes".into(), "no".into()],
        answer: Some(answer.into()),
        ..Observation::default()
    }
}

fn report(observations: &[Observation]) -> EvaluationReport {
    report_with(observations, ReportOptions::default())
}

fn report_with(observations: &[Observation], options: ReportOptions) -> EvaluationReport {
    let mut builder = ReportBuilder::new(options);
    for observation in observations {
        observation.check().unwrap();
        builder.add_observation(observation).unwrap();
    }
    builder.build_report()
}

/// All drawings of a report; none may hold a number that is not one, or a line too long for a terminal.
fn drawn(report: &EvaluationReport) -> (String, String, String) {
    let (text, page) = (render_text(report), render_page(report));
    let mut csv = Vec::new();
    write_figures(report, &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let json = serde_json::to_string(report).unwrap();
    for (name, drawing) in [("text", &text), ("page", &page), ("csv", &csv), ("json", &json)] {
        for wrong in ["NaN", "inf,", ">inf", " inf "] {
            assert!(!drawing.contains(wrong), "{name} holds {wrong}");
        }
    }
    // What is wider than the page can be scrolled with keys.
    let (frame, reachable) = ("class=\"frame\"", "class=\"frame\" tabindex=\"0\" role=\"region\" aria-label=\"");
    assert_eq!(page.matches(frame).count(), page.matches(reachable).count());
    for line in text.lines() {
        assert!(line.width() <= COLUMNS_MAX, "{} columns: {line}", line.width());
    }
    (text, page, csv)
}

#[test]
fn nothing_at_all_gives_a_report_that_says_so() {
    let empty = report(&[]);
    assert_eq!(empty.warnings, ["There are no observations."]);
    drawn(&empty);
}

#[test]
fn one_item_has_an_accuracy_and_no_interval_over_clusters() {
    let one = report(&[observation("1", "direct", "yes"), observation("1", "debate", "no")]);
    let accuracy = &one.arms[1].accuracy;
    assert_eq!((accuracy.all.hits, accuracy.all.n, accuracy.all_clustered.interval()), (1, 1, None));
    assert!(accuracy.all_clustered.note.as_deref().unwrap().contains("one cluster"));
    let comparison = &one.comparisons[0];
    assert_eq!(comparison.all.difference.value.map(f64::abs), Some(1.0));
    assert_eq!(comparison.all.test.unwrap().p, 1.0);
    assert!(one.ratings[0].rating.value.is_none(), "no rating from one win");
    assert!(one.warnings.iter().any(|warning| warning.contains("Only 1 item has")));
    drawn(&one);
}

#[test]
fn without_gold_there_is_agreement_and_cost_but_no_accuracy() {
    let vote = |judge: &str, answer: &str| ObservedVote {
        judge: judge.into(),
        answer: Some(answer.into()),
        ..ObservedVote::default()
    };
    let observations: Vec<Observation> = (0..6)
        .map(|item| {
            let answers = [["yes", "yes"], ["no", "no"], ["yes", "no"]][item % 3];
            let mut one = observation(&item.to_string(), "debate", "yes");
            one.gold = None;
            one.votes = vec![vote("a", answers[0]), vote("b", answers[1])];
            one.usage = ObservedUsage { money: Some(0.5), ..ObservedUsage::default() };
            one
        })
        .collect();
    let found = report(&observations);
    let arm = &found.arms[0];
    assert_eq!((arm.accuracy.all.value, arm.accuracy.without_gold), (None, 6));
    assert!(arm.judges.alpha.value.is_some() && arm.judges.effective_votes.value.is_some());
    assert_eq!((arm.cost.money.sum, arm.cost.money_per_right, arm.cost.tokens.mean), (3.0, None, None));
    assert!(found.front.is_none() && found.warnings[0].contains("no accuracy"), "{:?}", found.warnings);
    let (_, page, csv) = drawn(&found);
    assert!(page.contains("No item has a gold answer."));
    assert!(csv.contains("arm,debate,,accuracy_all,,,,0,0,nothing to count"), "{csv}");
    assert!(csv.contains("arm,debate,,tokens_mean,,,,,0,6 are not known"), "{csv}");
}

#[test]
fn free_answers_are_right_by_their_text_and_their_votes_are_not_compared() {
    let mut one = observation("1", "direct", " 42 ");
    one.choices.clear();
    one.gold = Some("42".into());
    let vote = |judge: &str, answer: &str| ObservedVote {
        judge: judge.into(),
        answer: Some(answer.into()),
        ..ObservedVote::default()
    };
    one.votes = vec![vote("a", "42"), vote("b", "forty-two")];
    let found = report(&[one]);
    let arm = &found.arms[0];
    assert_eq!((arm.accuracy.all.hits, arm.judges.unanimous.n), (1, 0));
    assert!(arm.judges.alpha.value.is_none() && arm.judges.alpha.note.is_some());
    drawn(&found);
}

#[test]
fn an_arm_without_a_judge_says_so() {
    let found = report(&[observation("1", "direct", "yes"), observation("2", "direct", "no")]);
    let judges = &found.arms[0].judges;
    assert_eq!((judges.judges, judges.alpha.note.as_deref()), (0, Some("no votes of judges")));
    assert!(judges.own_family.margin.value.is_none() && judges.verified.value.is_none());
    assert!(found.arms[0].probabilities.brier.note.as_deref().unwrap().contains("no probabilities"));
    let (text, page, _) = drawn(&found);
    assert!(!text.contains("Judges") && !page.contains("id=\"judges\""), "no empty tables");
}

#[test]
fn a_judge_that_is_always_sure_has_a_finite_score_and_a_warning() {
    let sure: Vec<Observation> = (0..40)
        .map(|item| {
            let mut one = observation(&item.to_string(), "debate", if item % 4 == 0 { "no" } else { "yes" });
            one.probabilities = Some(if item % 4 == 0 { vec![0.0, 1.0] } else { vec![1.0, 0.0] });
            one
        })
        .collect();
    let found = report(&sure);
    let scores = &found.arms[0].probabilities;
    assert_eq!((scores.clipped, scores.brier.value), (10, Some(0.5)));
    assert!((scores.log_score.value.unwrap() - 0.25 * 1e6_f64.ln()).abs() < 1e-9);
    assert!(scores.log_score.note.as_deref().unwrap().contains("infinite"));
    assert!((scores.calibration.overconfidence.value.unwrap() - 0.25).abs() < 1e-12);
    assert!(found.warnings.iter().any(|warning| warning.contains("0 or 1")), "{:?}", found.warnings);
    drawn(&found);
}

#[test]
fn a_provider_that_was_down_for_one_arm_counts_as_wrong_and_as_missing() {
    let mut observations = Vec::new();
    for item in 0..40 {
        observations.push(observation(&item.to_string(), "direct", if item % 2 == 0 { "yes" } else { "no" }));
        let mut debate = observation(&item.to_string(), "debate", if item % 5 == 0 { "no" } else { "yes" });
        if item < 20 {
            debate.answer = None;
            debate.state = if item < 15 {
                ObservationState::Failed { reason: "provider down".into() }
            } else {
                ObservationState::Degraded { reason: "a seat was lost".into() }
            };
        }
        observations.push(debate);
    }
    let found = report(&observations);
    let debate = found.arms.iter().find(|arm| arm.name == "debate").unwrap();
    assert_eq!((debate.accuracy.all.hits, debate.accuracy.all.n), (16, 40));
    assert_eq!((debate.accuracy.ended.hits, debate.accuracy.ended.n), (16, 20));
    let well = &debate.availability;
    assert_eq!((well.well.hits, well.degraded, well.failed), (20, 5, 15));
    assert_eq!((well.reasons[0].name.as_str(), well.reasons[0].count), ("provider down", 15));
    let comparison = &found.comparisons[0];
    assert_eq!((comparison.all.pairs, comparison.ended.pairs), (40, 20));
    // Half of each: 20 of 40 against 16 of 40, and 10 of 20 against 16 of 20.
    let sign = if comparison.arm == "debate" { 1.0 } else { -1.0 };
    assert!((comparison.all.difference.value.unwrap() * sign + 0.1).abs() < 1e-12);
    assert!((comparison.ended.difference.value.unwrap() * sign - 0.3).abs() < 1e-12);
    assert!(found.warnings.iter().any(|warning| warning.contains("both ways")), "{:?}", found.warnings);
    // Each way of counting has its own test, under its own title, and the ratings say which one they follow.
    let (text, page, _) = drawn(&found);
    let row = |title: &str| {
        let rows = text.split(title).nth(1).unwrap().lines().skip(1);
        rows.take_while(|row| !row.is_empty()).collect::<Vec<_>>().join("|")
    };
    let p = |difference: &PairedDifference| format!("{:.3}", difference.test.unwrap().p);
    assert_ne!(p(&comparison.all), p(&comparison.ended));
    assert!(row("(others wrong)\n").contains(&p(&comparison.all)), "{text}");
    assert!(row("(others missing)\n").contains(&p(&comparison.ended)), "{text}");
    assert!(text.contains("Bradley-Terry, arms (items that both ended well)"), "{text}");
    assert!(page.contains("(others missing)</caption>") && page.contains("both observations ended well"));
}

#[test]
fn a_report_explains_its_heads_counts_in_words_and_cuts_long_reasons() {
    let mut observations = Vec::new();
    for item in 0..12 {
        observations.push(observation(&item.to_string(), "direct", "yes"));
        let mut debate = observation(&item.to_string(), "debate", "yes");
        // The judge alone is right, and the critic never knows better.
        debate.initial = Some("yes".into());
        debate.critic = Some(if item % 2 == 0 { "yes" } else { "no" }.into());
        if item == 0 {
            debate.answer = None;
            debate.state = ObservationState::Failed { reason: "the provider said no ".repeat(12) };
        }
        observations.push(debate);
    }
    observations.iter_mut().for_each(|one| one.cluster = Some("one text".into()));
    let (text, page, _) = drawn(&report(&observations));
    for drawing in [&text, &page] {
        assert!(drawing.contains("b:c: how many items the first arm alone had right"), "{drawing}");
        assert!(drawing.contains("Wilson: an interval of a share"), "{drawing}");
        assert!(drawing.contains("It cannot help: wherever they differ, the judge alone is right."), "{drawing}");
        assert!(drawing.contains("in 1 cluster:") && !drawing.contains("1 clusters"), "{drawing}");
    }
    assert!(page.contains("… (1)") && !page.contains(&"the provider said no ".repeat(6)), "{page}");
}

#[test]
fn the_interval_over_clusters_comes_first_where_items_share_some() {
    let observations = |cluster: fn(usize) -> usize| -> Vec<Observation> {
        let of = |item: usize| {
            let mut one = observation(&item.to_string(), "direct", if item % 8 < 4 { "yes" } else { "no" });
            one.cluster = Some(cluster(item).to_string());
            one
        };
        (0..40).map(of).collect()
    };
    let first_cell = |found: &EvaluationReport| {
        let (text, page, _) = drawn(found);
        let row = text.lines().find(|line| line.starts_with("direct ")).unwrap();
        let ends = row.split(['[', ']']).nth(1).unwrap().to_owned();
        let cell = page.split("<td>").nth(1).unwrap().replace('\u{a0}', " ");
        assert!(cell.contains(&format!("[{ends}]")), "the page leads with {cell}, the terminal with {row}");
        ends
    };
    let ends =
        |ends: Option<(f64, f64)>| ends.map(|(low, high)| format!("{:.1}, {:.1}", low * 100.0, high * 100.0)).unwrap();
    let shared = report(&observations(|item| item / 4));
    assert_eq!(first_cell(&shared), ends(shared.arms[0].accuracy.all_clustered.interval()));
    let own = report(&observations(|item| item));
    assert_eq!(first_cell(&own), ends(own.arms[0].accuracy.all.interval()));
}

#[test]
fn sides_orders_and_families_are_counted_by_their_definitions() {
    let side = |choice: &str, family: &str| ObservedSide {
        choice: choice.into(),
        model: Some(format!("{family}-1")),
        family: Some(family.into()),
    };
    let vote = |judge: &str, family: &str, margin: f64, first: &str| ObservedVote {
        judge: judge.into(),
        family: Some(family.into()),
        answer: Some(if margin > 0.0 { "yes" } else { "no" }.into()),
        margin: Some(margin),
        first_shown: Some(first.into()),
        flip: Some(false),
        ..ObservedVote::default()
    };
    let observations: Vec<Observation> = (0..30)
        .map(|item| {
            let mut one = observation(&item.to_string(), "debate", if item % 3 == 0 { "no" } else { "yes" });
            one.cluster = Some(format!("story {}", item % 10));
            // The own family argues for "no": its judge leans 2.3 further there than the other.
            one.sides = vec![side("yes", "alpha"), side("no", "beta")];
            one.votes = vec![vote("a", "gamma", 1.0, "yes"), vote("b", "beta", -1.3, "yes")];
            one.mirror = Some(MirrorPair { debate: Some(0), mirror: Some(u8::from(item % 3 > 0)) });
            one.initial = Some("no".into());
            one.critic = Some("yes".into());
            one.verified_quote = Some(item % 2 == 0);
            one
        })
        .collect();
    let found = report(&observations);
    let arm = &found.arms[0];
    assert_eq!((arm.orders.followed_side.hits, arm.orders.followed_side.n), (10, 30));
    assert_eq!((arm.orders.side_prior.hits, arm.orders.side_prior.n), (40, 60));
    assert_eq!((arm.orders.first_shown.hits, arm.orders.first_shown.n), (30, 60));
    assert_eq!((arm.orders.flips.hits, arm.orders.gold_first.hits), (0, 30));
    let own = &arm.judges.own_family;
    assert!((own.margin.value.unwrap() - 1.3).abs() < 1e-12, "{own:?}");
    assert!((own.beyond_others.value.unwrap() - 2.3).abs() < 1e-12, "{own:?}");
    assert!(found.warnings.iter().any(|warning| warning.contains("own model family")), "{:?}", found.warnings);
    assert_eq!((arm.change.rescued.hits, arm.change.rescued.n, arm.change.destroyed.n), (20, 30, 0));
    assert_eq!((arm.judges.verified.hits, found.clusters), (15, 10));
    assert!((found.debaters[0].rating.value.unwrap() * 2.0 - 2.0_f64.ln()).abs() < 1e-9, "{:?}", found.debaters);
    let pilot = &found.pilots[0];
    assert_eq!((found.pilots.len(), pilot.arm.as_str(), pilot.items), (1, "debate", 30));
    assert_eq!((pilot.judge.hits, pilot.critic.hits, pilot.rulings.hits), (0, 30, 20));
    let (text, page, csv) = drawn(&found);
    assert!(text.contains("Pilot: debate") && page.contains("Will a debate help here?"));
    let docs = include_str!("../../../docs/eval-figures.md");
    for name in csv.lines().skip(1).filter_map(|line| line.split(',').nth(3)) {
        // One bin stands for all.
        let name = if name.starts_with("right_at_") { "right_at_0.6_to_0.7" } else { name };
        assert!(docs.contains(&format!("`{name}`")), "docs/eval-figures.md does not explain {name}");
    }
}

#[test]
fn the_order_of_observations_changes_nothing() {
    let mut observations: Vec<Observation> = (0..50)
        .flat_map(|item| {
            let answer = |is: bool| if is { "yes" } else { "no" };
            let mut first = observation(&format!("{item}"), "a", answer(item % 3 > 0));
            first.cluster = Some(format!("{}", item / 2));
            first.votes = [("a", item % 3 > 0), ("b", item % 5 > 1)]
                .map(|(judge, is)| ObservedVote {
                    judge: judge.into(),
                    answer: Some(answer(is).into()),
                    ..ObservedVote::default()
                })
                .to_vec();
            let mut second = first.clone();
            (second.arm, second.answer) = ("b".into(), Some(answer(item % 4 > 0).into()));
            [first, second]
        })
        .collect();
    let one = report(&observations);
    observations.reverse();
    assert_eq!(report(&observations), one);
}

#[test]
fn a_later_observation_replaces_an_earlier_one() {
    let mut failed = observation("1", "a", "no");
    failed.state = ObservationState::Failed { reason: "down".into() };
    let found = report(&[failed, observation("1", "a", "yes")]);
    assert_eq!((found.replaced, found.observations, found.arms[0].accuracy.all.hits), (1, 1, 1));
}

#[test]
fn observations_of_different_items_under_one_id_are_refused() {
    let mut builder = ReportBuilder::new(ReportOptions::default());
    builder.add_observation(&observation("1", "a", "yes")).unwrap();
    let mut other = observation("1", "b", "yes");
    other.gold = Some("no".into());
    assert!(builder.add_observation(&other).unwrap_err().to_string().contains("gold"));
    let mut other = observation("1", "b", "yes");
    other.choices.reverse();
    assert!(builder.add_observation(&other).unwrap_err().to_string().contains("choices"));
}

#[test]
fn arms_of_other_cost_and_of_other_items_are_named_once() {
    let mut observations = Vec::new();
    for (arm, tokens) in [("a", 100), ("b", 1000), ("c", 2000)] {
        for item in 0..40 {
            let mut one = observation(&format!("{item}"), arm, "yes");
            one.usage =
                ObservedUsage { input_tokens: Some(tokens), output_tokens: Some(0), ..ObservedUsage::default() };
            observations.push(one);
        }
    }
    observations.pop();
    let found = report(&observations);
    let count = |word: &str| found.warnings.iter().filter(|warning| warning.contains(word)).count();
    assert_eq!((count("equal cost"), count("no partner")), (1, 1), "{:?}", found.warnings);
}

#[test]
fn a_baseline_halves_the_comparisons_and_the_order_of_arms_is_kept() {
    let observations: Vec<Observation> = ["c", "a", "b"].iter().map(|arm| observation("1", arm, "yes")).collect();
    let options = ReportOptions { arms: vec!["b".into()], baseline: Some("b".into()), ..ReportOptions::default() };
    let found = report_with(&observations, options);
    let arms: Vec<&str> = found.arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!(arms, ["b", "a", "c"]);
    assert!(found.comparisons.len() == 2 && found.comparisons.iter().all(|comparison| comparison.with == "b"));
    assert_eq!(report(&observations).comparisons.len(), 3);
}

#[test]
fn foreign_text_stays_text_on_every_drawing() {
    let wicked = "<script>alert(1)</script>\"'&";
    let mut one = observation(wicked, wicked, "yes");
    one.models = vec![wicked.into()];
    one.prompt_digest = Some(wicked.into());
    let mut failed = observation("2", wicked, "yes");
    failed.state = ObservationState::Failed { reason: format!("{wicked}\u{1b}[2J\u{202e}") };
    let options = ReportOptions { title: wicked.into(), ..ReportOptions::default() };
    let (text, page, csv) = drawn(&report_with(&[one, failed], options));
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}') && !text.contains('\u{1b}'));
    assert!(
        csv.lines()
            .skip(1)
            .all(|line| line.starts_with("evaluation,") || line.starts_with("arm,") || line.starts_with("front,"))
    );
    assert!(!page.contains("src=") && !page.contains("href="), "nothing is loaded");
}
