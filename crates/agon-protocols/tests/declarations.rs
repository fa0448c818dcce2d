//! Declarations that cannot be used: one message each, with the line, the key and what to do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // Helpers are part of the tests.

use agon_protocols::declared;

/// A sound declaration; every test breaks one line of it.
const BASE: &str = r#"name = "poll"
summary = "A poll"
rounds = { default = 2, min = 1, max = 4 }

[[template]]
name = "question"
text = "{{ motion }}"

[[seat]]
name = "voter"
role = "debater"
about = "votes"
members = { min = 2, max = 5, default = 3 }

[[seat]]
name = "chair"
role = "chair"
about = "counts"

[[phase]]
name = "talk"
rounds = "debate"
until = { ask = "count", field = "done", is = true }

[[phase.ask]]
name = "say"
seats = ["voter"]
sees = ["say"]
quorum = 2
prompt = "Speak."
field = [
  { name = "points", type = "list", min = 1, max = 3, chars_max = 100 },
  { name = "hours", type = "number", min = 0, max = 9 },
]

[[phase.ask]]
name = "count"
seats = ["chair"]
prompt = """
Is it done?
"""
field = [
  { name = "done", type = "yes-no" },
  { name = "best", type = "pick", from = "say.points" },
]

[outcome]
read = "median"
ask = "say"
field = "hours"
"#;

#[test]
fn the_base_is_sound() {
    declared::parse_declaration(BASE).unwrap();
}

#[test]
fn the_answer_is_a_text_of_an_ask() {
    let with = |answer: &str| declared::parse_declaration(&format!("{BASE}\n[answer]\n{answer}\n"));
    let told = |answer: &str| with(answer).unwrap_err().to_string();
    assert!(told("ask = \"vote\"\nfield = \"hours\"").contains("answer.ask"));
    assert!(told("ask = \"say\"\nfield = \"minutes\"").contains("answer.field"));
    assert!(told("ask = \"say\"\nfield = \"hours\"").contains("\"hours\" is not a text"));
    let text = BASE.replace(
        "{ name = \"done\", type = \"yes-no\" },",
        "{ name = \"done\", type = \"yes-no\" },\n  { name = \"why\", type = \"text\" },",
    );
    let sound =
        declared::parse_declaration(&format!("{text}\n[answer]\nask = \"count\"\nfield = \"why\"\nunless = \"why\"\n"));
    assert_eq!(sound.unwrap().answer.unwrap().field, "why");
}

#[test]
fn what_is_wrong_is_named_with_line_and_remedy() {
    let mut wrong = Vec::new();
    for (old, new, line, key, says) in [
        ("summary = \"A poll\"", "sumary = \"A poll\"", 2, "", "unknown field sumary"),
        ("summary = \"A poll\"\n", "", 1, "", "missing field summary"),
        ("name = \"poll\"", "name = \"Poll\"", 1, "name", "is not allowed"),
        ("name = \"poll\"", "name = poll", 1, "", ""),
        ("role = \"chair\"", "role = \"boss\"", 17, "", "unknown variant boss"),
        ("seats = [\"chair\"]", "seats = [\"chairs\"]", 38, "phase.ask.seats", "there is no seat \"chairs\""),
        ("seats = [\"chair\"]", "seats = [\"voter\"]", 16, "seat.name", "nobody asks the seat \"chair\""),
        ("name = \"chair\"", "name = \"voter\"", 16, "seat.name", "two seats are called"),
        ("name = \"chair\"", "name = \"voter-2\"", 16, "seat.name", "two seats are called"),
        ("name = \"chair\"", "name = \"clock\"", 16, "seat.name", "means something else"),
        ("name = \"talk\"", "name = \"round-1\"", 21, "phase.name", "means something else"),
        ("name = \"count\"", "name = \"say\"", 37, "phase.ask.name", "\"say\" is there already"),
        ("name = \"count\"", "name = \"question\"", 37, "phase.ask.name", "is there already"),
        ("name = \"count\"", "name = \"redraft\"", 37, "phase.ask.name", "means something else"),
        ("rounds = \"debate\"\n", "", 22, "phase.until", "has no maximum of rounds"),
        ("rounds = \"debate\"", "rounds = 5", 3, "rounds", "no phase has the rounds of the debate"),
        ("rounds = \"debate\"", "rounds = 51", 22, "phase.rounds", "51 rounds"),
        ("rounds = \"debate\"", "rounds = \"often\"", 22, "", "a number of rounds, or"),
        ("rounds = { default = 2, min = 1, max = 4 }\n", "", 19, "phase", "no maximum"),
        (
            "rounds = { default = 2, min = 1, max = 4 }",
            "rounds = { default = 2, min = 0, max = 4 }",
            3,
            "rounds",
            "0 to 4",
        ),
        (
            "rounds = { default = 2, min = 1, max = 4 }",
            "rounds = { default = 7, min = 1, max = 4 }",
            3,
            "rounds",
            "7 by default",
        ),
        ("max = 5, default = 3", "max = 50, default = 3", 13, "seat.members", "2 to 50 members"),
        (
            "about = \"counts\"",
            "about = \"counts\"\nmembers = { min = 1, max = 2, default = 1 }",
            19,
            "seat.members",
            "second row",
        ),
        ("quorum = 2", "quorum = 3", 29, "phase.ask.quorum", "3 must answer, and 2 are asked"),
        ("quorum = 2", "quorum = 0", 44, "phase.ask.field.from", "nobody need answer"),
        ("sees = [\"say\"]", "sees = [\"sya\"]", 28, "phase.ask.sees", "there is no ask \"sya\""),
        ("sees = [\"say\"]", "sees = \"some\"", 28, "", "a list of names of asks"),
        ("prompt = \"Speak.\"", "prompt = \" \"", 30, "phase.ask.prompt", "is empty"),
        ("prompt = \"Speak.\"\n", "", 25, "phase.ask", "needs a prompt"),
        ("min = 1, max = 3, chars", "min = 1, chars", 32, "phase.ask.field", "no maximum of entries"),
        ("min = 1, max = 3, chars", "min = 0, max = 3, chars", 44, "phase.ask.field.from", "may be empty"),
        ("min = 0, max = 9", "min = 9, max = 0", 33, "phase.ask.field.min", "9 is above 0"),
        ("min = 0, max = 9", "of = [\"a\", \"b\"]", 33, "phase.ask.field.of", "has no of"),
        ("name = \"hours\"", "name = \"text\"", 33, "phase.ask.field.name", "means something else"),
        ("from = \"say.points\"", "from = \"say.hours\"", 44, "phase.ask.field.from", "has no list"),
        ("from = \"say.points\"", "from = \"count\"", 44, "phase.ask.field.from", "comes before"),
        (", from = \"say.points\"", "", 44, "phase.ask.field", "picks from nothing"),
        ("is = true", "is = \"maybe\"", 23, "phase.until.is", "never has the value"),
        ("field = \"done\", is = true", "says = \"done\"", 23, "phase.until.says", "in fields, not in prose"),
        ("field = \"done\", is = true", "field = \"done\", stable = 0.1", 23, "phase.until.field", "is no number"),
        (", is = true", "", 23, "phase.until", "does not say when"),
        (
            "ask = \"say\"\nfield = \"hours\"",
            "ask = \"say\"\nfield = \"points\"",
            50,
            "outcome.field",
            "cannot be read so",
        ),
        ("ask = \"say\"\nfield = \"hours\"", "ask = \"say\"", 47, "outcome", "which field"),
        ("ask = \"say\"\nfield = \"hours\"", "", 47, "outcome", "which ask"),
        (
            "read = \"median\"\nask = \"say\"\nfield = \"hours\"",
            "read = \"word\"\nask = \"count\"",
            49,
            "outcome.ask",
            "none of several words",
        ),
        ("read = \"median\"", "read = \"median\"\ntie = \"even\"", 49, "outcome.tie", "only a vote"),
    ] {
        assert!(BASE.contains(old), "{old}");
        let text = BASE.replacen(old, new, 1);
        let fault = declared::parse_declaration(&text).expect_err(new);
        let right = (fault.line, fault.key.as_str()) == (line, key) && fault.message.contains(says);
        if !right || fault.remedy.is_empty() {
            wrong.push(format!("{new}: {fault} -> {}", fault.remedy));
        }
        assert!(!fault.to_string().contains('\n'), "{fault}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn everything_has_a_limit() {
    let many = |what: &str, count: usize| (0..count).map(|n| what.replace('#', &n.to_string())).collect::<String>();
    let seat = "[[seat]]\nname = \"s#\"\nrole = \"judge\"\nabout = \"x\"\n";
    let ask = "[[phase.ask]]\nname = \"a#\"\nseats = [\"s0\"]\nprompt = \"x\"\n";
    let head = "name = \"x\"\nsummary = \"x\"\n";
    for (text, says) in [
        (format!("{head}{}", "# padding\n".repeat(30_000)), "bytes"),
        (format!("{head}{}[[phase]]\nname = \"p\"\n{}", many(seat, 1), many(ask, 1)), "s0"),
        (format!("{head}{}[[phase]]\nname = \"p\"\n{}", many(seat, 1), many(ask, 25)), "too many"),
        (format!("{head}{}{}", many(seat, 1), many(&format!("[[phase]]\nname = \"p#\"\n{ask}"), 13)), "too many"),
        (format!("{head}{}", many(seat, 1)), "no phase"),
        (head.to_owned(), "no seat"),
    ] {
        match declared::parse_declaration(&text) {
            Err(fault) => assert!(fault.to_string().contains(says), "{fault}"),
            Ok(declaration) => assert_eq!((declaration.name.as_str(), says), ("x", "s0")),
        }
    }
    let seats: Vec<String> = (0..25).map(|n| format!("\"s{n}\"")).collect();
    let all = format!(
        "[[phase]]\nname = \"p\"\n[[phase.ask]]\nname = \"a\"\nseats = [{}]\nprompt = \"x\"\n",
        seats.join(", ")
    );
    let fault = declared::parse_declaration(&format!("{head}{}{all}", many(seat, 25))).unwrap_err();
    assert!(fault.message.contains("25 seats"), "{fault}");
    let long = format!("{head}{}{}", many(seat, 20), all.replace("name = \"p\"", "name = \"p\"\nrounds = 50"));
    let long = long.replace(&seats.join(", "), &seats[..20].join(", "));
    let twice = long.replace("prompt = \"x\"", "prompt = \"x\"\n[[phase.ask]]\nname = \"b\"\nseats = [\"s1\", \"s2\", \"s3\", \"s4\", \"s5\", \"s6\", \"s7\", \"s8\", \"s9\", \"s10\", \"s11\", \"s12\", \"s13\", \"s14\", \"s15\", \"s16\", \"s17\", \"s18\", \"s19\", \"s0\"]\nprompt = \"x\"\n[[phase.ask]]\nname = \"c\"\nseats = [\"s1\"]\nprompt = \"x\"");
    assert!(declared::parse_declaration(&long).is_ok());
    let fault = declared::parse_declaration(&twice).unwrap_err();
    assert!(fault.message.contains("2050 answers"), "{fault}");
}

#[test]
fn the_line_of_a_prompt_is_a_line_of_the_file() {
    let declaration = declared::parse_declaration(BASE).unwrap();
    assert_eq!(declared::line_of(BASE, &declaration, "say", 1), Some(30));
    assert_eq!(declared::line_of(BASE, &declaration, "count", 1), Some(40), "after the quotes");
    assert_eq!(declared::line_of(BASE, &declaration, "question", 1), Some(7));
}
