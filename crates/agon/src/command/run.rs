//! `agon run`: opens a debate and drives it.

use std::{collections::BTreeMap, path::Path};

use agon_app::{
    Context, Failure, OpeningRequest, Result, available_models,
    declarations::{self, NamedProtocol},
    model_speed::MeasuredSpeeds,
    opening::{self, CheckedDebate, judging},
    participants,
    request::{ContextRequest, SourceRequest},
    start::start_debate,
};
use agon_core::Opened;
use agon_protocols::common::lineup::NUMBER;

use super::{CommandContext, companion, drive::drive_debate, gate::Pipeline};
use crate::{
    cli::{Output, RunArgs},
    input, ui,
};

/// Longest request in a file.
const REQUEST_MEGABYTES_MAX: u64 = 16;
/// Longest text on standard input: a document.
const TEXT_MEGABYTES_MAX: u64 = 1;

pub async fn run(command_context: &CommandContext, args: RunArgs) -> Result<u8> {
    let command_context = &command_context.at_revision(args.revision.config_from.as_deref())?;
    let (plan, gate, on) = (args.plan, args.gate.clone(), args.on.clone());
    check_kind(&args)?;
    let mut request = match &args.request {
        Some(file) => from_file(file)?,
        None => {
            let mut request: OpeningRequest = args.into();
            request.motion = request.motion.map(|motion| read_text(motion, &request.context)).transpose()?;
            request
        }
    };
    command_context.load_config()?;
    if command_context.can_ask_person() {
        ask_for_motion(command_context, &mut request)?;
    }
    let context = command_context.context_on(request.offline, &on)?;
    let checked = opening::check_request(&context, &request)?;
    let pipeline = Pipeline::new(&gate, checked.protocol)?;
    if !command_context.quiet {
        checked.notes.iter().for_each(|note| context.frontend.warn(note));
    }
    let is_told = !command_context.quiet && command_context.output == Output::Text;
    if is_told && available_models::is_fallback(&checked.lineup, &request, &context.config) {
        let found = available_models::find_soon(&context.config).await;
        let available = available_models::describe_available(&found);
        let kept = super::show::KEPT;
        context.frontend.note(&format!(
            "The embedded model answers, and does not debate well; {available}. A debate of capable participants: agon show {kept}."
        ));
    }
    if plan {
        if !command_context.quiet {
            let models = checked.lineup.iter().map(|sat| &sat.spec);
            let downloads = participants::describe_downloads(models, &context);
            downloads.iter().for_each(|told| context.frontend.note(told));
        }
        let plan = checked.build_plan(&MeasuredSpeeds::from_journal(&context.journal, &context.config))?;
        return command_context.print_success(&plan, || ui::escape_invisible(&plan.text));
    }
    let limits = &checked.opened.limits;
    if !command_context.quiet && (limits.tokens_max.is_some() || limits.requests_max.is_some()) {
        let short = checked.build_plan(&MeasuredSpeeds::default())?.budget;
        short.iter().for_each(|short| context.frontend.warn(short));
    }
    run_debate(command_context, &context, &request, checked, pipeline).await
}

/// Opens a debate that was checked, and drives it to its end.
pub async fn run_debate(
    command_context: &CommandContext,
    context: &Context,
    request: &OpeningRequest,
    checked: CheckedDebate,
    pipeline: Pipeline<'_>,
) -> Result<u8> {
    let started = start_debate(context, request, &checked).await?;
    let id = started.id.clone();
    if command_context.output == Output::Text && !command_context.quiet {
        print_head(&checked.opened);
    } else if command_context.output == Output::Json {
        let record = context.journal.read_record(&id)?;
        ui::print_line(&ui::render_safe_json(&record.entries()[0]));
    }
    let done = async {
        drive_debate(command_context, context, started).await?;
        companion::run_companions(command_context, context, &id).await
    };
    let done = done.await;
    pipeline.report_ending(command_context, &context.journal, &id, done)
}

/// The request in a file, or on standard input.
fn from_file(file: &Path) -> Result<OpeningRequest> {
    let remedy = "name a file with one JSON object";
    if file == Path::new("-") {
        return OpeningRequest::parse(&input::standard_input(REQUEST_MEGABYTES_MAX, remedy)?);
    }
    let text = String::from_utf8(input::read_bytes(file, REQUEST_MEGABYTES_MAX, remedy)?);
    let text = text.map_err(|_| Failure::usage("the request is not UTF-8 text", remedy))?;
    OpeningRequest::parse(&text)
}

/// The text that a command line gives: the word itself, or what standard input has where it is `-`.
pub fn read_text(word: String, request: &ContextRequest) -> Result<String> {
    if word != "-" {
        return Ok(word);
    }
    let is_standard_input = |source: &str| source.rsplit_once('=').map_or(source, |(_, what)| what).trim() == "-";
    if request.sources.iter().filter_map(SourceRequest::as_named).any(is_standard_input) {
        let message = "- stands for the motion and for material, but standard input can be read once";
        return Err(Failure::usage(message, "name a file for one of them"));
    }
    let text = input::standard_input(TEXT_MEGABYTES_MAX, "pipe a text in, or give it as an argument")?;
    // Several lines are a text, never the name of a file.
    Ok(format!("{}\n", text.trim_end()))
}

/// Refuses a question in the place of a kind of debate.
fn check_kind(args: &RunArgs) -> Result<()> {
    match args.protocol.as_deref().filter(|kind| kind.contains(char::is_whitespace)) {
        None => Ok(()),
        Some(question) => Err(Failure::unknown(
            format!("{question:?} is not a kind of debate"),
            format!("agon ask {question:?} proposes one; or name the kind first: agon run exchange {question:?}"),
        )),
    }
}

/// Asks a person what is debated, where the command line does not say.
fn ask_for_motion(command_context: &CommandContext, request: &mut OpeningRequest) -> Result<()> {
    let NamedProtocol { protocol, .. } =
        declarations::find_protocol(&command_context.places, &request.protocol, request.is_remote())?;
    if opening::lacks_motion(protocol.manifest(), request)? {
        let held = ui::hold_screen();
        held.print_line("What should the debate topic be?");
        held.print_prompt("> ");
        let mut line = String::new();
        // Without an answer it is an error like any other.
        let read = std::io::stdin().read_line(&mut line);
        request.motion = read.ok().map(|_| line.trim().to_owned()).filter(|line| !line.is_empty());
    }
    Ok(())
}

/// The head of a debate on a screen.
pub fn print_head(opened: &Opened) {
    ui::print_line(&ui::paint_text(&ui::wrap_text(&opened.motion, ""), ui::BOLD));
    let mut models: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for sat in &opened.lineup {
        let title = sat.name.as_deref().unwrap_or(sat.seat.as_str());
        // How many there will be is not known yet.
        let open = opened.options.contains_key(NUMBER) && sat.name.is_none();
        let row = title.rsplit_once('-').filter(|(_, number)| open && number.parse::<u32>().is_ok());
        let title = row.map_or(title, |(row, _)| row);
        let titles = models.entry(&sat.model).or_default();
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    for (model, names) in models {
        ui::print_line(&ui::paint_text(&ui::escape_invisible(&format!("{}: {model}", names.join(", "))), ui::DIM));
    }
    for cost in judging::describe_extra_costs(opened) {
        ui::print_line(&ui::paint_text(&ui::wrap_text(&cost, ""), ui::DIM));
    }
    ui::print_line(&ui::paint_text(
        &format!("debate {}; if it stops: agon resume {}", opened.debate, opened.debate),
        ui::DIM,
    ));
    ui::print_line("");
}
