//! The extraction: what the statements of a debate do to earlier ones, read by a model where no field
//! says it. Each statement is read twice, the earlier ones listed in either order; what both readings
//! say is kept where its words stand in the statement.
//!
//! It is a separate debate, whose options name the debate that it reads, so that what a
//! model said is paid once, can be looked at, and can be replayed.

pub mod material;
pub mod relation;

use agon_core::{
    Absent, DebateId, Facts, Floor, Flow, Opened, Outcome, Protocol, Request, Ruling, RulingKind, View, draft::Draft,
    form::FormField,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::{
    material::{LISTED_CHARS_MAX, LISTED_MAX, Material, READ_CHARS_MAX, STATEMENTS, shorten_text},
    relation::{Agreed, ExtractedRelation, QUOTE_WORDS_MIN, Related},
};
use crate::common::{self, absence::rule_absent};

/// Option: the debate that is read, by its id under `debate`.
pub const OF: &str = "extraction_of";
/// The seat that reads.
pub const EXTRACTOR: &str = "extractor";
/// How often each statement is read: with the earlier ones oldest first, and latest first.
pub const TIMES: usize = 2;
const ORDERS: [&str; TIMES] = ["oldest-first", "latest-first"];

/// The protocol `extraction`: a model reads each statement twice for its relations to earlier ones.
pub struct Extraction;

/// What two readings of a statement agree on: data of the ruling `…/relations`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtractedRelations {
    /// The statement.
    pub of: String,
    /// Relations that both readings show and whose words stand there.
    pub kept: Vec<RecordedRelation>,
    /// How many one reading alone shows.
    pub contested: usize,
    /// How many quote words that do not stand there.
    pub unfounded: usize,
}

/// A relation that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRelation {
    /// Id of the statement that speaks.
    pub from: String,
    /// Id of the statement spoken of.
    pub to: String,
    /// What it does.
    pub relation: ExtractedRelation,
    /// The words that do it.
    pub quote: String,
}

/// What the readings of all statements come to so far: figures of the outcome.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct RelationTally {
    /// How many statements follow others.
    follow: usize,
    read: usize,
    lost: usize,
    kept: usize,
    contested: usize,
    unfounded: usize,
}

/// The debate that one which is `opened` so reads.
pub fn source_debate(opened: &Opened) -> Option<DebateId> {
    let of = opened.options.get(OF).filter(|_| opened.protocol == Extraction.name())?;
    DebateId::new(of["debate"].as_str()?).ok()
}

impl Protocol for Extraction {
    crate::shipped_files! { "extraction.toml"; "relations"; common::REDRAFT }

    fn parent_option(&self) -> Option<&str> {
        Some(OF)
    }

    fn run(&self, floor: &mut Floor<'_>) -> Flow<Outcome> {
        let material = Material::from_document(floor.document(STATEMENTS));
        let follow: Vec<usize> = material.following_places().collect();
        let (mut tally, mut absent) = (RelationTally { follow: follow.len(), ..RelationTally::default() }, None);
        let mut next = 0;
        loop {
            while next < follow.len().min(floor.current_limits().rounds as usize) {
                let at = follow[next];
                next += 1;
                let base = format!("statement-{next:03}");
                match ask_both_readings(floor, &material, at, &base)? {
                    Ok(agreed) => {
                        tally.read += 1;
                        tally.kept += agreed.kept.len();
                        tally.contested += agreed.contested;
                        tally.unfounded += agreed.unfounded;
                        floor.record_ruling(format!("{base}/relations"), relations_ruling(&material, at, &agreed))?;
                    }
                    Err(lost) => {
                        tally.lost += 1;
                        absent = Some(lost);
                    }
                }
            }
            floor.adjourn_debate(build_outcome(tally, &material, absent.clone()))?;
        }
    }

    fn prompt_facts(&self, heard: &View<'_>, request: &Request) -> Facts {
        let mut facts = request.facts.clone();
        let material = Material::from_document(heard.document(STATEMENTS));
        let Some((at, turned)) = requested_statement(&material, request) else { return facts };
        let listed = material.listed_places(at, turned);
        let earlier = listed.iter().enumerate().map(|(i, other)| {
            let other = &material.0[*other];
            let own = other.side == material.0[at].side;
            json!({"number": i + 1, "own": own, "text": shorten_text(&other.text, LISTED_CHARS_MAX)})
        });
        let mut relations = ExtractedRelation::ALL.map(|one| json!({"name": one.name(), "about": one.definition()}));
        if turned {
            relations.reverse();
        }
        facts.insert("earlier".into(), earlier.collect());
        facts.insert("left_out".into(), (material.earlier_places(at).len() - listed.len()).into());
        facts.insert("statement".into(), shorten_text(&material.0[at].text, READ_CHARS_MAX).into());
        facts.insert("relations".into(), relations.into_iter().collect());
        facts.insert("most".into(), relation::max_relations(listed.len()).into());
        facts.insert("words_min".into(), QUOTE_WORDS_MIN.into());
        facts
    }

    fn answer_schema(&self, heard: &View<'_>, request: &Request) -> Option<FormField> {
        let material = Material::from_document(heard.document(STATEMENTS));
        let (at, turned) = requested_statement(&material, request)?;
        Some(relation::relations_schema(material.listed_places(at, turned).len(), turned))
    }
}

/// Which statement a request is about, and whether the earlier ones are listed latest first.
fn requested_statement(material: &Material, request: &Request) -> Option<(usize, bool)> {
    let id = request.facts.get("of")?.as_str()?;
    let at = material.0.iter().position(|statement| statement.id == id)?;
    Some((at, request.facts.get("order")?.as_str()? == ORDERS[1]))
}

/// Both readings of one statement, or who gave none.
fn ask_both_readings(
    floor: &mut Floor<'_>,
    material: &Material,
    at: usize,
    base: &str,
) -> Flow<Result<Agreed, Absent>> {
    let seat = common::named_seat(EXTRACTOR);
    let drafts = ORDERS.iter().enumerate().map(|(turned, order)| {
        let listed = material.listed_places(at, turned > 0);
        let request = Request::new(format!("{base}/{order}"), &seat, "relations").or_absent();
        let request = request.with_fact("of", material.0[at].id.as_str()).with_fact("order", *order);
        Draft::new(request, move |draft| relation::parse_relations(draft.text, &listed))
    });
    let answers: Result<Vec<_>, _> = floor.ask_each_until_valid(drafts.collect())?.into_iter().collect();
    Ok(match answers.as_deref() {
        Ok([one, other]) => Ok(relation::find_agreement([&one.value, &other.value], &material.0[at].text)),
        Ok(_) => unreachable!("a statement is read twice"),
        Err(lost) => Err(rule_absent(floor, &seat, EXTRACTOR, base, lost)?),
    })
}

/// What was found about one statement.
fn relations_ruling(material: &Material, at: usize, agreed: &Agreed) -> Ruling {
    let id = |at: usize| material.0[at].id.clone();
    let record = |Related { to, relation, quote }| RecordedRelation { from: id(at), to: id(to), relation, quote };
    let kept: Vec<RecordedRelation> = agreed.kept.iter().cloned().map(record).collect();
    let told: Vec<String> = kept.iter().map(|one| format!("{} of {}", one.relation.name(), one.to)).collect();
    let told = if told.is_empty() { "nothing that both readings show".to_owned() } else { told.join(", ") };
    let Agreed { contested, unfounded, .. } = *agreed;
    let ruling = Ruling::new(RulingKind::Noted, format!("{}: {told}", id(at)));
    ruling.with_data(ExtractedRelations { of: id(at), kept, contested, unfounded })
}

fn build_outcome(tally: RelationTally, material: &Material, absent: Option<Absent>) -> Outcome {
    let RelationTally { follow, read, kept, contested, unfounded, .. } = tally;
    let absent: Vec<Absent> = absent.into_iter().collect();
    if read == 0
        && let Some(lost) = absent.first()
    {
        let summary = format!("Nothing was extracted: no statement was read ({}).", lost.why);
        return Outcome { absent, ..Outcome::void("no_extraction", summary) };
    }
    let mut summary = format!(
        "{read} of {follow} statements that follow others were read, each {TIMES} times. Relations kept: {kept}; \
         dropped since the readings differ: {contested}, since their words do not stand there: {unfounded}."
    );
    let longer =
        |chars_max: usize| material.0.iter().filter(|statement| statement.text.chars().count() > chars_max).count();
    let many = material.following_places().filter(|at| material.earlier_places(*at).len() > LISTED_MAX).count();
    for (count, what) in [
        (longer(READ_CHARS_MAX), format!("have more than the {READ_CHARS_MAX} characters that are read")),
        (longer(LISTED_CHARS_MAX), format!("were listed by their first {LISTED_CHARS_MAX} characters")),
        (many, format!("follow more than the latest {LISTED_MAX} that were listed")),
    ] {
        if count > 0 {
            summary += &format!(" {count} {what}.");
        }
    }
    Outcome { figures: json!(tally), absent, ..Outcome::valid("extracted", summary) }
}
