//! What the prompts of declared protocols are filled with.

use agon_core::{Facts, Opened, Request, Seat, View};
use serde_json::{Map, Value, json};

use super::{
    declaration::{Ask, Declaration, Sees},
    figures,
    form::{self, FormStatement},
    quotes::{self, CONTEXT},
    sides::{self, ArguedSide},
    sources,
    state::{DeclaredState, PlacedStatement, draw_lot, list_asked_seats, seat_name},
};
use crate::common::{claim_reading, fields::one_line, form::choice_letters, verification};

/// Option of a debate whose motion lists its choices: the motion without them.
pub const QUESTION: &str = "question";
/// The document that a debate about one is opened with.
const SOURCE: &str = "source";

/// Facts of a prompt: the motion, who is asked, and the statements that the seat may see.
pub(super) fn prompt_facts(declaration: &Declaration, heard: &View<'_>, request: &Request) -> Facts {
    if request.prompt == claim_reading::PROMPT.0 {
        return claim_reading::reader_facts(heard, request);
    }
    let opened = heard.opened();
    let mut facts = request.facts.clone();
    let mut add = |name: &str, value: Value| drop(facts.insert(name.to_owned(), value));
    if let Some(cited) = sources::collect_draft_citations(declaration, heard, request) {
        add("entries", verification::render_entries(&cited));
        return facts;
    }
    let state = DeclaredState::of(heard, declaration);
    add("motion", opened.motion.clone().into());
    add("document", heard.document(SOURCE).unwrap_or_default().into());
    add("verify", verification::is_fetched(opened).into());
    let seat = &request.seat;
    let spec = declaration.resolve_seat(seat.as_str());
    let sat = opened.lineup.iter().find(|sat| sat.seat == *seat);
    add("seat", seat.as_str().into());
    add("name", seat_name(opened, seat).into());
    add("persona", sat.and_then(|sat| sat.persona.clone()).unwrap_or_default().into());
    add("brief", spec.map(|spec| spec.brief.trim()).unwrap_or_default().into());
    let Some((phase, ask)) = declaration.asks_with_phases().find(|(_, ask)| ask.name == request.prompt) else {
        return facts;
    };
    let context = heard.document(CONTEXT).unwrap_or_default();
    add("question", extract_question(opened).into());
    add("choices", render_choices(opened));
    add("has_context", (!context.is_empty()).into());
    add("context", if ask.context { context } else { "" }.into());
    if !ask.context {
        add("document", "".into());
    }
    let sides = sides::list_argued_sides(declaration, phase, &state, opened);
    let own = sides.iter().find(|(arguing, _)| arguing == seat).map(|(_, side)| side_of(side));
    add("side", own.unwrap_or_default());
    let other = sides.iter().find(|(arguing, _)| arguing != seat).map(|(_, side)| side_of(side));
    add("other_side", other.unwrap_or_default());
    let all_sides = sides.iter().map(|(arguing, side)| {
        let mut of = side_of(side);
        of["by"] = seat_name(opened, arguing).into();
        of
    });
    add("sides", all_sides.collect());
    add("phase", phase.title().into());
    let visible = |said: &&PlacedStatement| {
        let own = said.seat == *seat;
        own || match &ask.sees {
            Sees::All => true,
            Sees::Only(names) => names.contains(&said.ask),
        }
    };
    let shown = |said: &PlacedStatement| {
        let mut shown = render_statement(declaration, opened, said, seat, context);
        let side = declaration
            .phase_of(&said.ask)
            .and_then(|phase| sides::find_argued_side(declaration, phase, &state, opened, &said.seat));
        if let Some(side) = side {
            shown["side"] = side_of(&side);
        }
        shown
    };
    let (mut all, mut last) = (Map::new(), Map::new());
    for (_, of) in declaration.asks_with_phases() {
        let mut said: Vec<&PlacedStatement> =
            state.said.iter().filter(|said| said.ask == of.name).filter(visible).collect();
        let mut latest: Vec<&PlacedStatement> = state.last_statements(&of.name).into_iter().filter(visible).collect();
        if of.anonymous {
            // Places tell nothing of seats.
            said.sort_by_key(|said| (said.lap, said.round, said.lot.clone()));
            latest.sort_by_key(|said| said.lot.clone());
        }
        all.insert(of.name.clone(), said.into_iter().map(shown).collect());
        last.insert(of.name.clone(), latest.into_iter().map(shown).collect());
    }
    let heard_of: Vec<Value> = state.said.iter().filter(visible).map(shown).collect();
    // In `heard` the order in which anonymous statements were accepted would tell whose they are.
    let anonymous = declaration.asks_with_phases().any(|(_, ask)| ask.anonymous);
    add("heard", if anonymous { in_order(declaration, &all) } else { heard_of }.into());
    add("said", all.into());
    add("last", last.into());
    let counted = declaration.asks_with_phases().map(|(_, ask)| (ask.name.clone(), figures::of(ask, &state)));
    let counted: Map<String, Value> =
        counted.filter(|(_, figures)| !figures.is_empty()).map(|(name, figures)| (name, figures.into())).collect();
    add("figures", counted.into());
    add("things", render_things(ask, &state));
    facts
}

/// The choices of the debate: the letter and the text of each.
fn render_choices(opened: &Opened) -> Value {
    let choices = form::list_choices(opened);
    let letters = choice_letters(choices.len());
    letters.zip(&choices).map(|(letter, text)| json!({"letter": letter, "text": one_line(text)})).collect()
}

/// The question of the debate: its motion, without the choices where it lists them.
fn extract_question(opened: &Opened) -> &str {
    opened.options.get(QUESTION).and_then(Value::as_str).unwrap_or(&opened.motion)
}

fn side_of(side: &ArguedSide) -> Value {
    json!({"letter": side.letter, "text": one_line(&side.text)})
}

/// What can be picked, by field.
fn render_things(ask: &Ask, state: &DeclaredState) -> Value {
    let fields = ask.fields.iter().filter(|field| field.from.is_some());
    fields.map(|field| (field.name.clone(), json!(state.things_now(field)))).collect::<Map<_, _>>().into()
}

/// Statements of all asks, one ask after the other.
fn in_order(declaration: &Declaration, all: &Map<String, Value>) -> Vec<Value> {
    let lists = declaration.asks_with_phases().filter_map(|(_, ask)| all.get(&ask.name)?.as_array());
    lists.flatten().cloned().collect()
}

/// One statement as `reader` may see it: who said it, its text, and its fields by name.
fn render_statement(
    declaration: &Declaration,
    opened: &Opened,
    said: &PlacedStatement,
    reader: &Seat,
    context: &str,
) -> Value {
    let mine = said.seat == *reader;
    let ask = declaration.find_ask(&said.ask);
    let by = match ask.is_some_and(|ask| ask.anonymous) {
        true if mine => "you".to_owned(),
        true => statement_letter(opened, declaration, said),
        false => seat_name(opened, &said.seat),
    };
    let told = ask.map(|ask| sources::tag_sources(opened, ask, said));
    let told = told.unwrap_or_else(|| FormStatement::clone(&said.statement));
    let told = ask.map_or_else(|| told.clone(), |ask| quotes::mark_quotes(ask, told.clone(), context));
    let FormStatement { text, values: mut shown } = told;
    let title = ask.map(Ask::title).unwrap_or_default();
    for (name, value) in [
        ("ask", json!(said.ask)),
        ("title", json!(title)),
        ("round", json!(said.round)),
        ("by", json!(by)),
        ("mine", json!(mine)),
        ("text", json!(text)),
    ] {
        shown.insert(name.to_owned(), value);
    }
    shown.into()
}

/// What an anonymous statement is called in its round: A, B, C, …
fn statement_letter(opened: &Opened, declaration: &Declaration, said: &PlacedStatement) -> String {
    let Some(ask) = declaration.find_ask(&said.ask) else { return String::new() };
    let lot_of = |seat: &Seat| draw_lot(opened.seed, &said.ask, said.lap, said.round, seat);
    let before = list_asked_seats(declaration, ask, opened);
    let before = before.iter().filter(|seat| Some(lot_of(seat)) < said.lot).count();
    char::from_u32('A' as u32 + before as u32).map(String::from).unwrap_or_default()
}
