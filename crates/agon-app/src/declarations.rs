//! Protocols that users bring as a file: where they are found, and whether they can be used. What is
//! wrong is said with file, line and remedy, before anything is asked.

use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf},
};

use agon_core::{Digest, Manifest, Opened, Protocol, Record, sample};
use agon_protocols::{
    NoRules,
    declared::{self, DeclarationFault, Declared, FILE_BYTES_MAX, PROMPT_BYTES_MAX},
};
use agon_runtime::{
    cancellation::StopFlag,
    config::Paths,
    drive::DriveError,
    prompts::{Layer, PromptError, Renderer, Template},
    rehearse::rehearse_debate,
};

use crate::{
    display::suggest_name,
    failure::{Failure, Result, exit},
    opening,
    prompt_templates::texts_of,
};

/// How the file of a declaration ends.
pub const END: &str = "toml";

/// A protocol that a command names: a shipped one, or one out of a file.
pub struct NamedProtocol {
    /// Its rules.
    pub protocol: &'static dyn Protocol,
    /// The file that declares it, where it is not shipped.
    pub file: Option<Loaded>,
}

/// A declared protocol, with the file that declares it.
pub struct Loaded {
    /// The protocol.
    pub declared: &'static Declared,
    /// Where the file is.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// The protocol called `name`: a file, a shipped one, or one of the project or the user. Someone
/// `from_elsewhere` may not name files of this machine.
pub fn find_protocol(places: &Paths, name: &str, from_elsewhere: bool) -> Result<NamedProtocol> {
    let is_path = name.contains(['/', '\\']) || Path::new(name).extension().is_some_and(|end| end == END);
    if is_path && !from_elsewhere {
        return load_declaration(Path::new(name)).map(Loaded::into_named);
    }
    if let Some(protocol) = agon_protocols::find_protocol(name) {
        return Ok(NamedProtocol { protocol, file: None });
    }
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let path = protocol_folders(places).into_iter().map(|(_, folder)| folder.join(format!("{name}.{END}")));
    if let Some(path) = path.into_iter().rfind(|path| name.chars().all(plain) && path.is_file()) {
        let loaded = load_declaration(&path)?;
        if loaded.declared.name() != name {
            let fault = fault_at(&loaded.text, "name", format!("it differs from the file name, which is {name}"));
            return Err(declaration_failure(&path, &fault));
        }
        return Ok(loaded.into_named());
    }
    match declared::shipped_arms::find_shipped_text(name) {
        Some(text) => shipped_declaration(name, text).map(Loaded::into_named),
        None => Err(unknown_protocol_failure(name, &list_known_names(places))),
    }
}

/// A declared protocol that comes with the program; a file of the same name is taken in its place.
fn shipped_declaration(name: &str, text: &str) -> Result<Loaded> {
    let path = PathBuf::from(format!("{name}.{END} of agon"));
    let declaration = declared::parse_declaration(text).map_err(|fault| declaration_failure(&path, &fault))?;
    let declared = declared::intern_protocol(text, &declaration, &BTreeMap::new());
    let declared = declared.map_err(|error| Failure::new(exit::IO, "declaration", error.to_string(), ""))?;
    Ok(Loaded { declared, path, text: text.to_owned() })
}

/// Every declared protocol that comes with the program, but for those in whose place a file is taken.
pub fn all_shipped(places: &Paths) -> Vec<Loaded> {
    let own = load_all_declarations(places);
    let others = declared::shipped_arms::ALL.iter().filter(|(name, _)| !own.contains_key(*name));
    others.filter_map(|(name, text)| shipped_declaration(name, text).ok()).collect()
}

/// The protocol of a record, to step it with.
///
/// # Errors
///
/// Exit code 6 where the record was held by other rules than those of this version, and those of [`find_record_protocol`].
pub fn find_rules(record: &Record) -> Result<&'static dyn Protocol> {
    agon_protocols::find_rules(record).map_err(no_rules)
}

/// The protocol of a record, whichever of its rules it was held by: it does not step the record.
///
/// # Errors
///
/// Exit code 8 where this version does not know it, 6 where its declaration cannot be used.
pub fn find_record_protocol(record: &Record) -> Result<&'static dyn Protocol> {
    agon_protocols::find_recorded_protocol(record).map_err(no_rules)
}

fn no_rules(error: NoRules) -> Failure {
    let message = error.to_string();
    match error {
        NoRules::OtherRules { held, here, .. } if held < here => Failure::new(
            exit::DAMAGED,
            "older",
            message,
            "open a new debate on its motion, or continue it with the version of agon that held it",
        ),
        NoRules::OtherRules { .. } => {
            Failure::new(exit::DAMAGED, "newer", message, "use a newer version of agon to continue it")
        }
        NoRules::Unknown(name) => unknown_protocol_failure(&name, &list_shipped_names()),
        NoRules::Unsound(_) => Failure::new(
            exit::DAMAGED,
            "declaration",
            message,
            "use the version of agon that opened it; agon show and agon export also work with this version",
        ),
        NoRules::TooMany => Failure::new(exit::IO, "declaration", message, ""),
    }
}

/// The folders that are looked into, the user's first: the project's wins.
pub fn protocol_folders(places: &Paths) -> Vec<(Layer, PathBuf)> {
    let layers = [(Layer::User, &places.protocols.user), (Layer::Project, &places.protocols.project)];
    layers.into_iter().filter_map(|(layer, folder)| Some((layer, folder.clone()?))).collect()
}

/// Every declared protocol of the user and the project, by name, with what is wrong with it.
pub fn load_all_declarations(places: &Paths) -> BTreeMap<String, (PathBuf, Result<Loaded>)> {
    let mut all = BTreeMap::new();
    for (_, folder) in protocol_folders(places) {
        let files = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        for path in files.filter(|path| path.extension().is_some_and(|end| end == END)) {
            let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            all.insert(name.to_owned(), (path.clone(), load_declaration(&path)));
        }
    }
    all
}

/// Those of them that can be opened by their names.
pub fn list_manifests(places: &Paths) -> Vec<Manifest> {
    let sound = |(name, (_, loaded)): (String, (_, Result<Loaded>))| {
        let manifest = loaded.ok()?.declared.manifest();
        (manifest.name == name).then(|| manifest.clone())
    };
    load_all_declarations(places).into_iter().filter_map(sound).collect()
}

/// Every protocol that can be named here: shipped ones, declared ones that come with the program, and the user's and the
/// project's own.
pub fn list_every_manifest(places: &Paths) -> Vec<Manifest> {
    let shipped = agon_protocols::ALL.iter().map(|protocol| protocol.manifest().clone());
    let declared = all_shipped(places).into_iter().map(|loaded| loaded.declared.manifest().clone());
    shipped.chain(declared).chain(list_manifests(places)).collect()
}

/// The declaration in a file, checked but for its prompts.
pub fn load_declaration(path: &Path) -> Result<Loaded> {
    let text = opening::read_document(path)?;
    if text.len() > FILE_BYTES_MAX {
        return Err(Failure::usage(
            format!("{} is larger than {FILE_BYTES_MAX} bytes", path.display()),
            "move its prompts to files in its folder, with prompt_file",
        ));
    }
    let declaration = declared::parse_declaration(&text).map_err(|fault| declaration_failure(path, &fault))?;
    if declared::is_reserved_name(&declaration.name) {
        let fault = fault_at(&text, "name", format!("the name {:?} is already taken", declaration.name));
        return Err(declaration_failure(path, &fault));
    }
    let mut files = BTreeMap::new();
    for (name, text, _) in declaration.prompt_texts() {
        let Err(file) = text else { continue };
        let prompt = read_file_beside(path, file).map_err(|why| {
            Failure::new(
                exit::USAGE,
                "declaration",
                format!("{}: the text of {name}: {why}", path.display()),
                "name a text file in the folder of the declaration, or below it",
            )
        })?;
        files.insert(file.to_owned(), prompt);
    }
    let declared = declared::intern_protocol(&text, &declaration, &files);
    let declared = declared.map_err(|error| Failure::new(exit::IO, "declaration", error.to_string(), ""))?;
    Ok(Loaded { declared, path: path.to_owned(), text })
}

/// A file in the folder of the declaration, or below it.
fn read_file_beside(declaration: &Path, file: &str) -> std::result::Result<String, String> {
    let relative = Path::new(file);
    if file.is_empty() || !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(format!("{file:?} is outside the folder of the declaration"));
    }
    let path = declaration.parent().unwrap_or(Path::new("")).join(relative);
    let size = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
    if size > PROMPT_BYTES_MAX as u64 {
        return Err(format!("{} is larger than {PROMPT_BYTES_MAX} bytes", path.display()));
    }
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Whether the declaration `text` may bear `name`.
pub fn check_new(text: &str, name: &str) -> Result<()> {
    let refused = |why: String| {
        let name: String = name.chars().take(80).collect();
        Failure::usage(format!("{name:?} cannot be the name of a protocol: {why}"), "choose another name")
    };
    declared::parse_declaration(text).map_err(|fault| refused(fault.remedy))?;
    if declared::is_reserved_name(name) { Err(refused("this name is already taken".into())) } else { Ok(()) }
}

impl Loaded {
    fn into_named(self) -> NamedProtocol {
        NamedProtocol { protocol: self.declared, file: Some(self) }
    }

    /// Goes through a debate with sample answers: a prompt that does not render is found before the
    /// first call. `templates` are its prompts as the layers have them.
    pub fn rehearse_prompts(
        &self,
        mut opened: Opened,
        documents: &BTreeMap<Digest, String>,
        templates: &BTreeMap<String, Template>,
        stop: &StopFlag,
    ) -> Result<Renderer> {
        let renderer =
            Renderer::new(&texts_of(templates)).map_err(|error| self.unrendered_failure(&error, templates))?;
        // What a prompt says of the round before is looked at, too.
        let rounds = &self.declared.manifest().rounds;
        opened.limits.rounds = opened.limits.rounds.max(2).min(rounds.max);
        match rehearse_debate(self.declared, opened, documents, &renderer, stop) {
            Ok(_) => Ok(renderer),
            Err(DriveError::Prompt(error)) => Err(self.unrendered_failure(&error, templates)),
            Err(error) => Err(error.into()),
        }
    }

    /// [`Loaded::rehearse_prompts`] with the shipped layer alone and a sample debate.
    pub fn check_prompts(&self) -> Result<()> {
        let prompts =
            self.declared.prompt_templates().iter().map(|(name, text)| {
                ((*name).to_owned(), Template { text: (*text).to_owned(), layer: Layer::Embedded })
            });
        let opened = sample::opened_for(self.declared.manifest());
        self.rehearse_prompts(opened, &sample::sample_documents(), &prompts.collect(), &StopFlag::default()).map(drop)
    }

    /// A prompt that does not render, with the line of the file that it stands in.
    fn unrendered_failure(&self, error: &PromptError, templates: &BTreeMap<String, Template>) -> Failure {
        let ours = templates.get(&error.name).is_some_and(|template| template.layer == Layer::Embedded);
        if !ours {
            return error.clone().into();
        }
        let (line, why) = match error.why.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
            Some((line, why)) => (line.parse().unwrap_or(1), why),
            None => (1, error.why.as_str()),
        };
        let declaration = self.declared.declaration();
        let inline = declared::line_of(&self.text, declaration, &error.name, line);
        let place = inline.map_or_else(
            || {
                let file = declaration.prompt_texts().find(|(name, ..)| *name == error.name);
                let file = file.and_then(|(_, text, _)| text.err()).unwrap_or_default();
                let path = self.path.with_file_name("").join(file);
                format!("{}: line {line}", path.display())
            },
            |line| format!("{}: line {line}", self.path.display()),
        );
        Failure::new(
            exit::USAGE,
            "declaration",
            format!("{place}: the prompt {}: {why}", error.name),
            "fix the template; docs/protocols/declared.md lists the available values",
        )
    }
}

fn fault_at(text: &str, key: &str, message: String) -> DeclarationFault {
    declared::fault_at(text, key, message, "give it another name")
}

fn declaration_failure(path: &Path, fault: &DeclarationFault) -> Failure {
    Failure::new(exit::USAGE, "declaration", format!("{}: {fault}", path.display()), fault.remedy.clone())
}

fn list_shipped_names() -> Vec<&'static str> {
    agon_protocols::ALL.iter().map(|protocol| protocol.name()).collect()
}

/// Names of all protocols that can be named here.
fn list_known_names(places: &Paths) -> Vec<String> {
    let declared = declared::shipped_arms::ALL.iter().map(|(name, _)| (*name).to_owned());
    let mut own = load_all_declarations(places);
    own.retain(|name, _| declared::shipped_arms::find_shipped_text(name).is_none());
    list_shipped_names().into_iter().map(str::to_owned).chain(own.into_keys()).chain(declared).collect()
}

/// Whether a protocol of this name may be meant: one that is there, or one of another project.
pub fn may_be(name: &str, manifest: &Manifest) -> Result<()> {
    let names = list_shipped_names();
    if name == manifest.name || names.contains(&name) || suggest_name(name, &names).is_empty() {
        return Ok(());
    }
    Err(unknown_protocol_failure(name, &names))
}

fn unknown_protocol_failure(name: &str, known: &[impl AsRef<str>]) -> Failure {
    let names: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let hint = suggest_name(name, &names);
    Failure::unknown(
        format!("no protocol {name:?}"),
        format!("{hint}available: {}; give a file by its path", names.join(", ")),
    )
}
