//! Dimensions of a review: only a result of the format is one.

use agon_protocols::revise::review::{Review, ReviewVerdict};

#[test]
fn a_dimension_without_a_result_of_the_format_is_not_passed() {
    for (said, wanted) in [
        ("does not pass", None),
        ("❌", None),
        ("no", None),
        ("not ok", None),
        ("blocked", None),
        ("unclear", None),
        ("partial", None),
        ("pass, but tests fail", None),
        ("pass. The tests fail.", None),
        ("通过", None),
        ("bestanden", None),
        ("passed", None),
        ("réussi", None),
        ("pass", Some("pass")),
        ("**PASS**", Some("pass")),
        ("pass (low risk)", Some("pass")),
        ("pass — all of it was read", Some("pass")),
        ("pass with advisory", Some("pass-with-advisory")),
        ("FAILED (3 tests)", None),
        ("FAIL (3 tests)", Some("fail")),
        ("fail: the lock stays", Some("fail")),
    ] {
        let text =
            format!("## Dimensions\n- quality: pass\n- security: {said}\n## Findings\n- None\n## Verdict\nAPPROVED\n");
        let review = Review::parse(&text);
        assert_eq!(review.dimensions[1], ("security", wanted), "{said}");
        let passes = wanted.is_some_and(|result| result != "fail");
        assert_eq!(review.verdict() == Some(ReviewVerdict::Approved), passes, "{said}");
    }
    let table = Review::parse(
        "| Dimension | Result | Note |\n|---|---|---|\n| security | blocked | x |\n| quality | pass | tests are long |\n",
    );
    assert_eq!(table.dimensions, [("security", None), ("quality", Some("pass"))]);
    let prose = Review::parse("## Dimensions\n- quality: pass\n## Verdict\nAPPROVED\nQuality: see above.\n");
    assert_eq!(prose.dimensions.len(), 1);
}
