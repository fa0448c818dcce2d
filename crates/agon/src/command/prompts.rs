//! `agon prompts`: list, show, compare and eject the texts that models are asked with.

use agon_app::{Failure, Result, declarations, display::suggest_name, prompt_templates::resolve_templates};
use agon_core::Protocol;
use agon_runtime::{
    files::{self, Lasting},
    prompts::{Layer, Template, template_path},
};
use serde_json::json;
use similar::TextDiff;

use super::CommandContext;
use crate::{cli::PromptsAction, ui};

pub fn run(command_context: &CommandContext, action: Option<PromptsAction>) -> Result<u8> {
    match action {
        None => list_prompts(command_context, None),
        Some(PromptsAction::List { protocol }) => list_prompts(command_context, protocol.as_deref()),
        Some(PromptsAction::Show { prompt }) => {
            let (_, _, template) = find_prompt(command_context, &prompt)?;
            let value = json!({"prompt": prompt, "layer": template.layer, "text": template.text});
            command_context.print_success(&value, || ui::escape_invisible(&template.text))
        }
        Some(PromptsAction::Diff { prompt }) => print_template_diff(command_context, prompt.as_deref()),
        Some(PromptsAction::Eject { prompt, user }) => eject_prompt(command_context, &prompt, user),
    }
}

fn list_prompts(command_context: &CommandContext, only: Option<&str>) -> Result<u8> {
    let protocols = match only {
        Some(name) => vec![declarations::find_protocol(&command_context.places, name, false)?.protocol],
        None => list_protocols(command_context),
    };
    let mut all = Vec::new();
    for protocol in protocols {
        for (name, template) in resolve_templates(&command_context.places, protocol)? {
            all.push((format!("{}/{name}", protocol.name()), template.layer));
        }
    }
    let lines = all.iter().map(|(prompt, layer)| json!({"prompt": prompt, "layer": layer}));
    command_context.print_success(&lines.collect::<Vec<_>>(), || {
        all.iter().map(|(prompt, layer)| format!("{prompt:<28} {layer}")).collect::<Vec<_>>().join("\n")
    })
}

fn list_protocols(command_context: &CommandContext) -> Vec<&'static dyn Protocol> {
    let own = declarations::load_all_declarations(&command_context.places).into_values();
    let own = own.filter_map(|(_, loaded)| Some(loaded.ok()?.declared as &'static dyn Protocol));
    agon_protocols::ALL.iter().copied().chain(own).collect()
}

/// What a person's own templates say otherwise than the shipped ones, which may have changed since.
fn print_template_diff(command_context: &CommandContext, only: Option<&str>) -> Result<u8> {
    let mut used = Vec::new();
    match only {
        Some(prompt) => used.push(find_prompt(command_context, prompt)?),
        None => {
            for protocol in list_protocols(command_context) {
                let templates = resolve_templates(&command_context.places, protocol)?.into_iter();
                used.extend(templates.map(|(name, own)| (protocol, name, own)));
            }
        }
    }
    let mut changed = Vec::new();
    for (protocol, name, own) in used {
        let shipped = protocol.prompt_templates().iter().find(|(shipped, _)| *shipped == name);
        let shipped = shipped.map_or("", |(_, text)| *text);
        if own.layer == Layer::Embedded || own.text == shipped {
            continue;
        }
        let prompt = format!("{}/{name}", protocol.name());
        let lines = TextDiff::from_lines(shipped, &own.text);
        let (from, to) = (format!("{prompt} embedded"), format!("{prompt} {}", own.layer));
        let text = lines.unified_diff().context_radius(2).header(&from, &to).to_string();
        changed.push((prompt, own.layer, text));
    }
    let listed = changed.iter().map(|(prompt, layer, text)| json!({"prompt": prompt, "layer": layer, "diff": text}));
    command_context.print_success(&listed.collect::<Vec<_>>(), || match changed.as_slice() {
        [] => "no difference: the shipped texts are used".into(),
        some => some.iter().map(|(_, _, text)| ui::escape_invisible(text)).collect::<Vec<_>>().join("\n"),
    })
}

fn eject_prompt(command_context: &CommandContext, prompt: &str, user: bool) -> Result<u8> {
    let (protocol, name, template) = find_prompt(command_context, prompt)?;
    let layers = &command_context.places.prompts;
    let root = if user { layers.user.as_ref() } else { layers.project.as_ref() };
    let root = root.ok_or_else(|| Failure::usage("this user has no configuration folder", "omit --user"))?;
    let target = template_path(root, protocol.name(), &name);
    if target.exists() {
        return Err(Failure::exists(format!("{} already exists", target.display()), "edit it, or remove it first"));
    }
    let relative = format!("{}/{name}.md", protocol.name());
    files::write_files(root, [(relative, template.text)], Lasting::Synced)?;
    command_context.print_success(&json!({"prompt": prompt, "path": target}), || {
        format!("{} is now {}; edit it there", prompt, ui::escape_invisible(&target.display().to_string()))
    })
}

fn find_prompt(command_context: &CommandContext, prompt: &str) -> Result<(&'static dyn Protocol, String, Template)> {
    let wrong = || {
        let why = format!("{prompt:?} is not the name of a prompt");
        Failure::usage(why, "write PROTOCOL/NAME; agon prompts list shows them")
    };
    let (protocol_name, name) = prompt.split_once('/').ok_or_else(wrong)?;
    let protocol = declarations::find_protocol(&command_context.places, protocol_name, false)?.protocol;
    let mut all = resolve_templates(&command_context.places, protocol)?;
    match all.remove(name) {
        Some(template) => Ok((protocol, name.to_owned(), template)),
        None => {
            let names: Vec<&str> = protocol.prompt_templates().iter().map(|(name, _)| *name).collect();
            let hint = suggest_name(name, &names);
            let why = format!("{protocol_name} has no prompt {name:?}");
            let remedy = format!("{hint}available: {}", names.join(", "));
            Err(Failure::unknown(why, remedy))
        }
    }
}
