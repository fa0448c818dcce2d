//! Answering from a page: the seat is claimed, answered and, where that fails, given back, in one.

use agon_core::{
    DebateId, Key, Protocol, Record, Seat, View,
    form::{FormField, escape_pointer, find_field_faults},
    parse::parse_json_answer,
};
use agon_report::page::{
    Speaker,
    prose::{escape_invisible, render_prose},
};
use agon_runtime::{
    lookups::LookupTool,
    outside_seats::UnansweredRequest,
    prompts::{RequestDescription, person_blocks::PromptBlock},
};
use agon_text::parse_place;
use maud::{Markup, html};

use super::{
    SubmittedFields,
    field_faults::FieldFaults,
    form::{self, Filled},
    render_complaint, render_form_complaint,
    shown_form::ShownForm,
};
use crate::{Refusal, RouteContext, State, authorization::Permission, refusal::FormFault, visitor::Visitor};

/// What a person is told that a lookup does.
fn describe_lookup(tool: LookupTool) -> &'static str {
    match tool {
        LookupTool::Search => "Search the material",
        LookupTool::Read => "Read a file of the material",
        LookupTool::Open => "Open a page of the web",
        LookupTool::Find => "Search the web",
    }
}

/// What a seat is asked, with the form that answers it.
pub(super) fn render_seat_panel(
    shared: &RouteContext,
    record: &Record,
    open: &UnansweredRequest,
    visitor: Visitor,
    attempt: Option<&ShownForm>,
) -> Markup {
    let request = &open.request;
    let who = Speaker::at_seat(record, &request.seat);
    let id = &record.opened().debate;
    let seats = shared.find_outside_seats(id);
    let may = |permission| shared.is_permitted(visitor, permission, id, Some(request.seat.as_str())).unwrap_or(false);
    // Material can be for this seat alone, and so is what it is asked.
    let told = may(Permission::Prompt).then(|| {
        seats.as_ref().map_err(Clone::clone).and_then(|seats| Ok(seats.describe_for_person(record, request)?))
    });
    let attempt = attempt.filter(|attempt| attempt.seat.as_deref() == Some(request.seat.as_str()));
    let draft = request.redraft.as_ref().filter(|redraft| record.redaction_seq(&redraft.of).is_none());
    html! {
        section .asked .(who.css_class()) id=(format!("seat-{}", request.seat)) aria-labelledby=(format!("seat-{}-title", request.seat)) {
            h2 id=(format!("seat-{}-title", request.seat)) { (escape_invisible(&who.name)) " is asked" }
            @if let Some(lease) = &open.lease {
                p .quiet { "Held by " (escape_invisible(&lease.holder)) " until " time datetime=(lease.until.0) { (lease.until.0.get(11..16).unwrap_or_default()) " UTC" } "." }
            }
            @match &told {
                None if shared.accounts.is_some() => { p .quiet { "To see what it is asked, and to answer, you need a role that answers at this seat." } }
                None => { p .quiet { "To see what it is asked, and to answer, open the link that " code { "agon serve" } " printed." } }
                Some(Err(refusal)) => { (render_complaint(refusal)) }
                Some(Ok(told)) => {
                    div .ask { (render_prose(&told.ask)) }
                    @if let (Some(seconds), Some(until)) = (told.wait_seconds, &told.until) {
                        p .quiet .deadline { "Within " (agon_text::count_noun(seconds, "second", "seconds")) " of being asked: until " time datetime=(until.0) { (until.0.get(11..19).unwrap_or_default()) " UTC" } "." }
                    }
                    (shown_to_the_seat(told, seats.as_ref().is_ok_and(|seats| seats.protocol.manifest().needs_material)))
                    @if let Some(redraft) = draft {
                        div .complaint role="status" {
                            p { strong { "The last answer broke rules; answer again:" } }
                            ul { @for fault in &redraft.faults { li { (escape_invisible(&fault.to_string())) } } }
                        }
                    }
                    @if may(Permission::Answer) {
                        @let earlier = draft.and_then(|redraft| record.find_answer(&redraft.of)).and_then(|(_, answer)| answer.reply.text());
                        (answer_form(id, visitor, open, &who.name, told, earlier, attempt))
                    }
                }
            }
        }
    }
}

/// What the request shows: what is new and everything, folded. Where the debate `is_about_material`, the material is open.
fn shown_to_the_seat(told: &RequestDescription<'_>, is_about_material: bool) -> Markup {
    let is_open = |block: &&PromptBlock| is_about_material && block.is_material;
    let (material, all): (Vec<&PromptBlock>, Vec<&PromptBlock>) = told.all.iter().partition(is_open);
    let news: Vec<&PromptBlock> = told.news.iter().filter(|block| !is_open(block)).collect();
    let blocks = |blocks: &[&PromptBlock]| {
        html! {
            @for block in blocks {
                @if !block.head.is_empty() { p .label { (escape_invisible(&block.head)) } }
                // It holds material, which people quote letter by letter.
                pre .literal { (escape_invisible(&block.body)) }
            }
        }
    };
    html! {
        @if !material.is_empty() {
            div .material tabindex="0" role="region" aria-label="The material" { (blocks(&material)) }
        }
        @if !news.is_empty() && news.len() < all.len() {
            details .prompt { summary { "New since this seat's last answer" } (blocks(&news)) }
        }
        @if !all.is_empty() {
            details .prompt {
                summary { @if material.is_empty() { "The whole prompt of this seat" } @else { "What else this seat is shown" } }
                (blocks(&all))
            }
        }
    }
}

fn answer_form(
    id: &DebateId,
    visitor: Visitor,
    open: &UnansweredRequest,
    name: &str,
    told: &RequestDescription<'_>,
    earlier: Option<&str>,
    attempt: Option<&ShownForm>,
) -> Markup {
    let request = &open.request;
    let seat = &request.seat;
    let kept =
        |name: &str| attempt.and_then(|attempt| attempt.fields.trimmed_value(name)).unwrap_or_default().to_owned();
    let before = earlier.and_then(|text| parse_json_answer(text).ok());
    let before = before.or_else(|| told.filled.clone()).unwrap_or_default();
    let filled: &dyn Filled = attempt.map_or(&before as &dyn Filled, |attempt| attempt);
    let text_id = format!("{seat}-text");
    let text_faults = FieldFaults::from_faults(filled.faults(), "text", &text_id);
    let id_of = |field: &str| {
        if field.starts_with('/') { format!("{}{field}", request.key) } else { format!("{seat}-{field}") }
    };
    let schema = told.form.as_ref();
    let fillable = schema.filter(|schema| form::is_fillable(schema));
    let skip = told.plain.and_then(|plain| plain.skip.as_ref());
    html! {
        form method="post" action=(format!("/debates/{id}/seats/{seat}#seat-{seat}")) {
            @match attempt.and_then(|attempt| attempt.said.as_ref()) {
                Some(Err(refusal)) => { (render_form_complaint(refusal, &refusal.faults, &id_of)) }
                Some(Ok(shown)) => { div .complaint role="status" { p { strong { "Found:" } } pre .literal { (escape_invisible(shown)) } } }
                None => {}
            }
            input type="hidden" name="key" value=(request.key);
            // A person who is logged in has a name already.
            @if visitor.person.is_none() {
                div .field {
                    label for=(format!("{seat}-holder")) { "Your name" }
                    input type="text" id=(format!("{seat}-holder")) name="holder" autocomplete="name" maxlength="80" required value=(kept("holder"));
                }
            }
            @match (fillable, schema) {
                (Some(schema), _) => {
                    (form::render_form(schema, &request.key, filled))
                    details .raw { summary { "Or as JSON" } (render_raw_field(seat, &kept("raw"))) }
                }
                (None, Some(_)) => { (render_raw_field(seat, &kept("raw"))) }
                (None, None) => {
                    @let text = if attempt.is_some() { kept("text") } else { earlier.unwrap_or_default().to_owned() };
                    div .field {
                        label for=(text_id) { "Your answer" }
                        (text_faults.render())
                        textarea id=(text_id) name="text" rows="10" required aria-invalid=[text_faults.invalid()] aria-describedby=[text_faults.described_by()] { "\n" (text) }
                    }
                }
            }
            @if !told.lookups.is_empty() { (render_lookup_fields(seat, &told.lookups, &kept("lookup_tool"), &kept("lookup_object"))) }
            button type="submit" { "Answer for " (escape_invisible(name)) }
            @if let Some(skip) = skip {
                " " button .plain-button type="submit" name="act" value="skip" { "Skip" } " "
                small { (escape_invisible(&skip.means)) }
            }
        }
    }
}

/// What the seat looks up before it answers; what is filled in above stays.
fn render_lookup_fields(seat: &Seat, offered: &[LookupTool], tool: &str, object: &str) -> Markup {
    html! {
        details .raw open[!object.is_empty()] {
            summary { "Look something up first" }
            div .field {
                label for=(format!("{seat}-lookup-tool")) { "What to do" }
                select id=(format!("{seat}-lookup-tool")) name="lookup_tool" {
                    @for one in offered {
                        option value=(one.name()) selected[one.name() == tool] { (describe_lookup(*one)) }
                    }
                }
            }
            div .field {
                label for=(format!("{seat}-lookup-object")) { "Words, a path with lines as in src/main.rs:10-40, or an address" }
                input type="text" id=(format!("{seat}-lookup-object")) name="lookup_object" maxlength="2000" value=(object);
            }
            button .plain-button type="submit" name="act" value="lookup" formnovalidate { "Look it up" }
            p .quiet { "What you look up is shown to readers with your answer." }
        }
    }
}

fn render_raw_field(seat: &Seat, filled: &str) -> Markup {
    html! {
        div .field {
            label for=(format!("{seat}-raw")) { "The statement as JSON; it replaces the fields" }
            textarea .code id=(format!("{seat}-raw")) name="raw" rows="8" spellcheck="false" { "\n" (filled) }
        }
    }
}

/// What a filled form says, as `schema` wants it.
fn compose_statement(schema: Option<&FormField>, fields: &SubmittedFields) -> String {
    match (schema, fields.trimmed_value("raw")) {
        (Some(_), Some(raw)) => raw.to_owned(),
        (Some(schema), None) => {
            let form = schema.merge_variants();
            let said = form::parse_form(&form, fields).or_else(|| form.empty_statement());
            said.map(|value| value.to_string()).unwrap_or_default()
        }
        (None, _) => fields.trimmed_value("text").unwrap_or_default().to_owned(),
    }
}

/// Whether this very answer is on the record already: a button was pressed twice.
fn is_already_recorded(
    shared: &RouteContext,
    id: &DebateId,
    protocol: &dyn Protocol,
    fields: &SubmittedFields,
) -> Result<bool, Refusal> {
    let record = shared.read_whole_record(id)?;
    let key = fields.trimmed_value("key").map(Key::from_parts);
    let asked = key.and_then(|key| Some((record.find_request(&key)?.1, record.find_answer(&key)?.1)));
    let Some((request, answered)) = asked else { return Ok(false) };
    if fields.trimmed_value("act") == Some("skip") {
        let skip = protocol.human_prompts().get(&request.prompt).and_then(|plain| plain.skip.as_ref());
        return Ok(skip.is_some_and(|skip| skip.answer.as_deref() == answered.reply.text()));
    }
    let schema = protocol.answer_schema(&View::new(&record, request), request);
    Ok(answered.reply.text() == Some(compose_statement(schema.as_ref(), fields).as_str()))
}

/// What someone filled in is looked at before it is on the record: they fix it where they wrote it, and no
/// draft of theirs is used up.
fn stands_up(
    shared: &RouteContext,
    id: &DebateId,
    open: &UnansweredRequest,
    schema: Option<&FormField>,
    fields: &SubmittedFields,
    text: &str,
) -> Result<(), Refusal> {
    let record = shared.read_whole_record(id)?;
    let mut faults = schema.map(|schema| list_form_faults(schema, fields, text)).unwrap_or_default();
    if faults.is_empty() {
        let objections = shared.find_outside_seats(id)?.find_objections(&record, &open.request, text).into_iter();
        let form = schema.map(FormField::merge_variants);
        let place = |path: &str| form::find_form_place(form.as_ref()?, fields, &path_pointer(path));
        faults = objections.map(|(path, fault)| FormFault { field: place(&path), what: fault.to_string() }).collect();
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(Refusal::unusable("the answer breaks rules", "fix it here; nothing was sent").with_faults(faults))
}

/// What does not fit `schema` in the statement `text`, which the form was filled with.
fn list_form_faults(schema: &FormField, fields: &SubmittedFields, text: &str) -> Vec<FormFault> {
    let form = schema.merge_variants();
    let place = |pointer: &str| form::find_form_place(&form, fields, pointer);
    let value = parse_json_answer(text).unwrap_or_default();
    let faults = find_field_faults(&form, &value).into_iter();
    faults.map(|fault| FormFault { field: place(&fault.pointer), what: fault.what }).collect()
}

/// The path `points[1].text` as a JSON pointer.
fn path_pointer(path: &str) -> String {
    let parts = path.split(['.', '[']).map(|part| part.trim_end_matches(']')).filter(|part| !part.is_empty());
    parts.map(|part| format!("/{}", escape_pointer(part))).collect()
}

pub(super) async fn submit_answer(
    shared: &State,
    visitor: Visitor,
    id: &DebateId,
    seat: &str,
    fields: &SubmittedFields,
) -> Result<(), Refusal> {
    let seats = shared.find_outside_seats(id)?;
    let known = Seat::new(seat)
        .map_err(|_| Refusal::new(404, "no_such_seat", "unknown seat", "the page shows the debate's seats"))?;
    // The form may have been open for long: what was meant for one request answers no other.
    let key = fields.trimmed_value("key").map(Key::from_parts);
    // In this order: what is answered between the two is seen.
    let asked = seats.find_prompt(&known, key.as_ref()).await;
    if is_already_recorded(shared, id, seats.protocol, fields)? {
        return Ok(());
    }
    let (open, _, schema) = asked?;
    let holder = visitor.claimant(fields.trimmed_value("holder").unwrap_or_default());
    if fields.trimmed_value("act") == Some("skip") {
        seats.skip_request(key.as_ref(), seat, holder).await?;
        return Ok(());
    }
    let text = compose_statement(schema.as_ref(), fields);
    if text.is_empty() {
        let refusal = Refusal::unusable("the answer is empty", "fill in the form");
        return Err(match &schema {
            Some(schema) => refusal.with_faults(list_form_faults(schema, fields, "{}")),
            None => refusal.in_field("text"),
        });
    }
    if fields.trimmed_value("raw").is_none() {
        stands_up(shared, id, &open, schema.as_ref(), fields, &text)?;
    }
    seats.answer_as(key.as_ref(), seat, holder, &text).await?;
    Ok(())
}

/// What someone at a seat looks up before they answer.
pub(super) async fn look_up(
    shared: &State,
    visitor: Visitor,
    id: &DebateId,
    seat: &str,
    fields: &SubmittedFields,
) -> Result<String, Refusal> {
    shared.check_claim_holder(visitor, id, seat)?;
    let tool = fields.trimmed_value("lookup_tool").unwrap_or("search");
    let object = fields.trimmed_value("lookup_object").unwrap_or_default();
    let place = parse_place(object).ok().filter(|_| tool == "read");
    let lines = place.as_ref().map_or((None, None), |place| (Some(place.first), Some(place.last)));
    shared.look_up_for_seat(id, seat, tool, place.as_ref().map_or(object, |place| &place.path), lines).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_material_of_a_review_is_open() {
        let material = PromptBlock { is_material: true, ..PromptBlock::new("src/a.rs, 1-2", "1| fn main() {}") };
        let told = RequestDescription {
            ask: String::new(),
            news: vec![material.clone()],
            has_answered: false,
            all: vec![PromptBlock::new("Known", "Nothing."), material],
            form: None,
            filled: None,
            plain: None,
            faults: Vec::new(),
            wait_seconds: None,
            until: None,
            may_be_absent: false,
            lookups: Vec::new(),
        };
        let page = shown_to_the_seat(&told, true).into_string();
        let (open, folded) = page.split_once("<details").unwrap();
        assert!(open.contains("fn main") && !folded.contains("fn main") && folded.contains("Nothing."), "{page}");
        let page = shown_to_the_seat(&told, false).into_string();
        assert!(page.starts_with("<details"), "{page}");
    }

    #[test]
    fn a_path_is_a_pointer() {
        for (path, pointer) in [("points[1].text", "/points/1/text"), ("a~b", "/a~0b"), ("", "")] {
            assert_eq!(path_pointer(path), pointer);
        }
    }
}
