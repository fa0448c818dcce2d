//! Whether someone may have what their request to open a debate names: another debate, a file, a model, an address. One
//! function decides, for the command line, HTTP, MCP and pages, before anything of it is read.

use agon_core::{DebateId, OptionKind};
use agon_journal::JournalError;

use crate::{
    asker::{Asker, RemoteRights},
    failure::{Failure, Result},
    request::{self, DebaterRequest, OpeningRequest, SourceRequest},
};

/// Something that a request names and that is not in the request itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedThing<'r> {
    /// Another debate, whose answers are given again.
    Debate(DebateId),
    /// A model that is a file of this machine.
    ModelFile(&'r str),
    /// A file or a folder of this machine, as material.
    Material(&'r str),
    /// A field whose value is a file or a folder of this machine, or only means something at its terminal.
    LocalField(String),
    /// A page, which is fetched from where its host is public.
    Address(&'r str),
}

/// Refuses the first thing that a request names and that the one who asks may not have. A debate that they may not read
/// is one that does not exist.
///
/// # Errors
///
/// Exit code 2, or 8 for a debate.
pub fn check_named(request: &OpeningRequest) -> Result<()> {
    let Asker::Remote(rights) = &request.asker else { return Ok(()) };
    list_named_things(request).iter().try_for_each(|thing| may_have(rights, thing))
}

fn may_have(rights: &RemoteRights, thing: &NamedThing<'_>) -> Result<()> {
    match thing {
        NamedThing::Debate(id) if rights.readable.contains(id) => Ok(()),
        NamedThing::Debate(id) => Err(JournalError::NoSuchDebate(id.clone()).into()),
        // Hosts on private networks are refused by what fetches it, and redirects to them likewise.
        NamedThing::Address(_) => Ok(()),
        NamedThing::ModelFile(_) if rights.model_files => Ok(()),
        // A token does not make its holder a user of the machine, and a script's words would be read back from the record.
        NamedThing::ModelFile(_) => Err(Failure::usage(
            "requests may not name a model file on the server's machine",
            "name a configured model or a provider, or start the server with --allow-model-files",
        )),
        NamedThing::Material(what) => Err(Failure::usage(
            format!("{what:?} names a file of this machine, which only its users may"),
            "send the text itself: {\"path\": \"src/a.rs\", \"text\": \"…\"}",
        )),
        NamedThing::LocalField(field) => Err(Failure::usage(
            format!("{field:?} is only available with agon run"),
            "omit it; list the debaters in the request instead",
        )),
    }
}

/// The debates that a request names.
pub fn named_debates(request: &OpeningRequest) -> impl Iterator<Item = DebateId> {
    list_named_things(request).into_iter().filter_map(|thing| match thing {
        NamedThing::Debate(id) => Some(id),
        _ => None,
    })
}

/// The debate whose answers a model of this name gives again.
pub fn recorded_debate(model: &str) -> Option<DebateId> {
    let (kind, id) = model.split_once(':')?;
    (kind.trim() == "recorded").then(|| DebateId::new(id.trim()).ok()).flatten()
}

/// Everything that a request names.
fn list_named_things(request: &OpeningRequest) -> Vec<NamedThing<'_>> {
    let fields =
        [("out", request.out.is_some()), ("lineup", request.lineup.file.is_some()), ("offline", request.offline)];
    let fields = fields.into_iter().filter(|(_, given)| *given).map(|(field, _)| field.to_owned());
    let folders =
        request::list_known_options().iter().filter(|spec| spec.is_local() && request.options.has(&spec.name));
    let folders = folders.map(|spec| spec.render_flag());
    let fields = fields.chain(folders).map(NamedThing::LocalField);
    let models = named_models(request).into_iter().filter_map(classify_model);
    let material = request.context.sources.iter().filter_map(SourceRequest::as_named).filter_map(classify_material);
    fields.chain(models).chain(material).collect()
}

/// Every model that a request names.
pub(crate) fn named_models(request: &OpeningRequest) -> Vec<&str> {
    let seats = request.seats.seats.iter().filter_map(|pair| Some(pair.split_once('=')?.1));
    let options =
        request::list_known_options().iter().filter(|spec| matches!(spec.kind, OptionKind::Model | OptionKind::Models));
    let options = options.filter_map(|spec| request.options.text(&spec.name)).flat_map(|models| models.split(','));
    let members = request.lineup.debaters.iter().filter_map(|member| match member {
        DebaterRequest::Line(_) => None,
        DebaterRequest::Fields(fields) => fields.model.as_deref(),
    });
    let others = request.seats.model.iter().chain(&request.extract).map(String::as_str);
    seats.chain(others).chain(options).chain(members).collect()
}

fn classify_model(name: &str) -> Option<NamedThing<'_>> {
    let name = name.trim();
    if let Some(id) = recorded_debate(name) {
        return Some(NamedThing::Debate(id));
    }
    let (kind, rest) = name.split_once(':').map(|(kind, rest)| (kind.trim(), rest.trim()))?;
    let is_file =
        kind == "scripted" || kind == "local" && (rest.contains(['/', '\\']) || rest.to_lowercase().ends_with(".gguf"));
    is_file.then_some(NamedThing::ModelFile(name))
}

/// A source of material that is not the text itself, for all seats or for one.
fn classify_material(source: &str) -> Option<NamedThing<'_>> {
    let is_address = |what: &str| what.starts_with("https://") || what.starts_with("http://");
    let whole = source.trim();
    let what = whole.split_once('=').map(|(_, what)| what).filter(|_| !is_address(whole)).unwrap_or(whole);
    match what {
        "" => None,
        what if is_address(what) => Some(NamedThing::Address(what)),
        what => Some(NamedThing::Material(what)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn asks(request: &str, rights: RemoteRights) -> Result<()> {
        let mut request = OpeningRequest::parse(request).unwrap();
        request.asker = Asker::Remote(rights);
        check_named(&request)
    }

    /// Every place where a request to open a debate can name a model.
    const PLACES: [&str; 8] = [
        r#""model": "@""#,
        r#""seats": {"judge": "@"}"#,
        r#""seats": {"host": "@"}"#,
        r#""seats": {"verifier": "@"}"#,
        r#""extract": "@""#,
        r#""reader": "@""#,
        r#""judges": "local,@,local""#,
        r#""debaters": [{"name": "A", "model": "@"}]"#,
    ];

    #[test]
    fn a_debate_is_read_again_by_those_who_may_read_it_wherever_it_is_named() {
        for place in PLACES {
            for name in ["recorded:d1", "recorded: d1", " recorded:d1 "] {
                let request = format!(r#"{{"protocol": "x", {}}}"#, place.replace('@', name));
                let told = asks(&request, RemoteRights::default()).expect_err(&request);
                assert!(told.exit == 8 && told.message.contains("no debate d1"), "{request}: {}", told.message);
                let readable = BTreeSet::from([DebateId::new("d1").unwrap()]);
                assert!(asks(&request, RemoteRights { readable, model_files: false }).is_ok(), "{request}");
            }
        }
    }

    #[test]
    fn a_model_file_is_for_users_of_the_machine_wherever_it_is_named() {
        for place in PLACES {
            for (name, is_file) in [
                ("scripted:a.jsonl", true),
                ("local:/a/b", true),
                ("local:x.GGUF", true),
                ("local", false),
                ("openai:a/b", false),
            ] {
                let request = format!(r#"{{"protocol": "x", {}}}"#, place.replace('@', name));
                assert_eq!(asks(&request, RemoteRights::default()).is_err(), is_file, "{request}");
                let rights = RemoteRights { model_files: true, ..RemoteRights::default() };
                assert!(asks(&request, rights).is_ok(), "{request}");
            }
        }
    }

    #[test]
    fn files_and_folders_are_not_for_others_and_addresses_and_texts_are() {
        for (field, taken) in [
            (r#""context": ["a.md"]"#, false),
            (r#""context": ["judge=a.md"]"#, false),
            (r#""context": ["git:main"]"#, false),
            (r#""context": ["-"]"#, false),
            (r#""context": ["https://a.test/?b=c"]"#, true),
            (r#""context": ["judge=https://a.test/?b=c"]"#, true),
            (r#""context": [{"path": "a.md", "text": "x"}]"#, true),
            (r#""out": "d""#, false),
            (r#""lineup": "l.json""#, false),
            (r#""track": "t""#, false),
        ] {
            let request = format!(r#"{{"protocol": "x", {field}}}"#);
            assert_eq!(asks(&request, RemoteRights::default()).is_ok(), taken, "{request}");
            let own = OpeningRequest::parse(&request).unwrap();
            assert!(check_named(&own).is_ok(), "{request}");
        }
    }
}
