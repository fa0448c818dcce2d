//! What the prompts of declared protocols are filled with.

use agon_core::{Facts, Opened, Request, Seat, View};
use serde::Serialize;
use serde_json::json;

use super::{
    candidate_sides::ArguedSide,
    declaration::{Ask, Declaration, Sees},
    figures,
    form::FormStatement,
    quotes::{self, CONTEXT},
    sources,
    state::{DeclaredState, PlacedStatement, draw_lot, list_asked_seats, seat_name},
};
use crate::common::{claim_reading, fields::one_line, form::choice_letters, prompt_facts::FactSheet, verification};

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
    let mut add = |name: &str, value| drop(facts.insert(name.to_owned(), value));
    if let Some(cited) = sources::collect_draft_citations(declaration, heard, request) {
        add("entries", json!(verification::render_entries(&cited)));
        return facts;
    }
    let state = DeclaredState::from_view(heard, declaration);
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
    // The motion, without the choices where it lists them.
    let question = opened.options.get(QUESTION).and_then(|question| question.as_str());
    add("question", question.unwrap_or(&opened.motion).into());
    let letters = choice_letters(state.choices.len());
    add("choices", letters.zip(&state.choices).map(|(letter, text)| json!(ChoiceFact::new(letter, text))).collect());
    add("has_context", (!context.is_empty()).into());
    add("context", if ask.context { context } else { "" }.into());
    if !ask.context {
        add("document", "".into());
    }
    let sides = state.list_argued_sides(declaration, phase);
    let side_where = |is_own: bool| sides.iter().find(|(arguing, _)| (arguing == seat) == is_own);
    add("side", json!(side_where(true).map(|(_, side)| ChoiceFact::of_side(side))));
    add("other_side", json!(side_where(false).map(|(_, side)| ChoiceFact::of_side(side))));
    let by = |(arguing, side): &(Seat, ArguedSide)| {
        json!(ChoiceFact { by: Some(seat_name(opened, arguing)), ..ChoiceFact::of_side(side) })
    };
    add("sides", sides.iter().map(by).collect());
    add("phase", phase.title().into());
    let visible = |said: &&PlacedStatement| match &ask.sees {
        Sees::All => true,
        Sees::Only(names) => said.seat == *seat || names.contains(&said.ask),
    };
    let shown = |said: &PlacedStatement| {
        let mut shown = render_statement(declaration, opened, said, seat, context);
        let phase = declaration.phase_of(&said.ask);
        let side = phase.and_then(|phase| state.argued_side(declaration, phase, &said.seat));
        shown.extend(side.map(|side| ("side".to_owned(), json!(ChoiceFact::of_side(&side)))));
        shown
    };
    let (mut all, mut last) = (Facts::new(), Facts::new());
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
    // In `heard` the order in which anonymous statements were accepted would tell whose they are.
    let heard_of = match declaration.asks_with_phases().any(|(_, ask)| ask.anonymous) {
        true => all.values().filter_map(|said| said.as_array()).flatten().cloned().collect(),
        false => state.said.iter().filter(visible).map(shown).collect(),
    };
    add("heard", heard_of);
    add("said", all.into());
    add("last", last.into());
    add("figures", figures::collect_figures(declaration, &state).into());
    let picked = ask.fields.iter().filter(|field| field.from.is_some());
    add("things", picked.map(|field| (field.name.clone(), json!(state.things_now(field)))).collect::<Facts>().into());
    facts
}

/// A choice of the debate, as prompts show it.
#[derive(Serialize)]
struct ChoiceFact {
    letter: String,
    text: String,
    /// Who argues for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

impl ChoiceFact {
    fn new(letter: String, text: &str) -> Self {
        Self { letter, text: one_line(text), by: None }
    }

    fn of_side(side: &ArguedSide) -> Self {
        Self::new(side.letter.clone(), &side.text)
    }
}

/// One statement as `reader` may see it: who said it, its text, and its fields by name.
fn render_statement(
    declaration: &Declaration,
    opened: &Opened,
    said: &PlacedStatement,
    reader: &Seat,
    context: &str,
) -> Facts {
    let mine = said.seat == *reader;
    let ask = declaration.find_ask(&said.ask);
    let by = match ask.is_some_and(|ask| ask.anonymous) {
        true if mine => "you".to_owned(),
        true => statement_letter(opened, declaration, said),
        false => seat_name(opened, &said.seat),
    };
    let told = ask.map(|ask| quotes::mark_quotes(ask, sources::tag_sources(opened, ask, said), context));
    let FormStatement { text, values } = told.unwrap_or_else(|| FormStatement::clone(&said.statement));
    let mut shown = FactSheet(values);
    shown.put("ask", &said.ask);
    shown.put("title", ask.map(Ask::title).unwrap_or_default());
    shown.put("round", said.round);
    shown.put("by", by);
    shown.put("mine", mine);
    shown.put("text", text);
    shown.0
}

/// What an anonymous statement is called in its round: A, B, C, …
fn statement_letter(opened: &Opened, declaration: &Declaration, said: &PlacedStatement) -> String {
    let Some(ask) = declaration.find_ask(&said.ask) else { return String::new() };
    let lot_of = |seat: &Seat| draw_lot(opened.seed, &said.ask, said.lap, said.round, seat);
    let before = list_asked_seats(declaration, ask, opened);
    let before = before.iter().filter(|seat| Some(lot_of(seat)) < said.lot).count();
    char::from_u32('A' as u32 + before as u32).map(String::from).unwrap_or_default()
}
