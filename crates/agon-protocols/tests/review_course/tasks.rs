//! Reviewers have different tasks.

use agon_core::{Protocol, View};
use agon_protocols::review::MaterialReview;

use super::{Answers, play};

#[test]
fn two_reviewers_have_different_tasks_and_one_alone_has_both() {
    let task = |reviewers: usize, n: usize| {
        let (record, _) = play(reviewers, &Answers::new());
        let key = format!("round-1/reviewer-{n}");
        let (_, request) = record.find_request(&agon_core::Key::from_parts(key)).unwrap();
        MaterialReview.prompt_facts(&View::new(&record, request), request)["task"].clone()
    };
    assert_eq!([task(2, 1), task(2, 2), task(1, 1)], ["walk", "consequences", "both"]);
}
