//! `agon prompts`: list, show, compare and eject the texts that models are asked with.

use agon_app::{Failure, Result, declarations, exit, words::suggestion};
use agon_core::Protocol;
use agon_runtime::{
    files::{self, Lasting},
    prompts::{Layer, Template, path},
};
use serde_json::json;
use similar::TextDiff;

use super::CommandContext;
use crate::{
    cli::{PromptsAction, PromptsArgs},
    ui,
};

pub fn run(hand: &CommandContext, args: &PromptsArgs) -> Result<u8> {
    match &args.action {
        None => list(hand, None)?,
        Some(PromptsAction::List { protocol }) => list(hand, protocol.as_deref())?,
        Some(PromptsAction::Show { prompt }) => {
            let (_, _, template) = find(hand, prompt)?;
            hand.print(&json!({"prompt": prompt, "layer": template.layer, "text": template.text}), || {
                ui::visible(&template.text)
            });
        }
        Some(PromptsAction::Diff { prompt }) => diff(hand, prompt.as_deref())?,
        Some(PromptsAction::Eject { prompt, user }) => eject(hand, prompt, *user)?,
    }
    Ok(exit::OK)
}

fn list(hand: &CommandContext, only: Option<&str>) -> Result<()> {
    let protocols = match only {
        Some(name) => vec![declarations::find(&hand.places, name, false)?.protocol],
        None => protocols(hand),
    };
    let mut all = Vec::new();
    for protocol in protocols {
        for (name, template) in resolve(hand, protocol)? {
            all.push((format!("{}/{name}", protocol.name()), template.layer));
        }
    }
    let lines = all.iter().map(|(prompt, layer)| json!({"prompt": prompt, "layer": layer}));
    hand.print(&lines.collect(), || {
        all.iter().map(|(prompt, layer)| format!("{prompt:<28} {layer}")).collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

fn protocols(hand: &CommandContext) -> Vec<&'static dyn Protocol> {
    let own = declarations::all(&hand.places).into_values().filter_map(|(_, loaded)| loaded.ok());
    let own = own.map(|loaded| -> &'static dyn Protocol { loaded.declared });
    agon_protocols::ALL.iter().copied().chain(own).collect()
}

/// What a person's own templates say otherwise than the shipped ones, which may have changed since.
fn diff(hand: &CommandContext, only: Option<&str>) -> Result<()> {
    let mut used = Vec::new();
    match only {
        Some(prompt) => used.push(find(hand, prompt)?),
        None => {
            for protocol in protocols(hand) {
                used.extend(resolve(hand, protocol)?.into_iter().map(|(name, own)| (protocol, name, own)));
            }
        }
    }
    let mut changed = Vec::new();
    for (protocol, name, own) in used {
        let shipped = protocol.prompts().iter().find(|(shipped, _)| *shipped == name);
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
    let listed =
        changed.iter().map(|(prompt, layer, text)| json!({"prompt": prompt, "layer": layer, "diff": text}));
    hand.print(&listed.collect(), || match changed.as_slice() {
        [] => "no difference: the shipped texts are used".into(),
        some => some.iter().map(|(_, _, text)| ui::visible(text)).collect::<Vec<_>>().join("\n"),
    });
    Ok(())
}

fn eject(hand: &CommandContext, prompt: &str, user: bool) -> Result<()> {
    let (protocol, name, template) = find(hand, prompt)?;
    let layers = &hand.places.prompts;
    let root = if user { layers.user.as_ref() } else { layers.project.as_ref() };
    let root =
        root.ok_or_else(|| Failure::usage("there is no such folder for this user", "leave --user out"))?;
    let target = path(root, protocol.name(), &name);
    if target.exists() {
        return Err(Failure::new(
            exit::CONFLICT,
            "exists",
            format!("{} exists already", target.display()),
            "change it there, or remove it first",
        ));
    }
    let relative = format!("{}/{name}.md", protocol.name());
    files::write(root, [(relative, template.text)], Lasting::Synced)?;
    hand.print(&json!({"prompt": prompt, "path": target}), || {
        format!("{} is now {}; change it there", prompt, ui::visible(&target.display().to_string()))
    });
    Ok(())
}

fn find(hand: &CommandContext, prompt: &str) -> Result<(&'static dyn Protocol, String, Template)> {
    let wrong = || {
        Failure::usage(
            format!("{prompt:?} names no prompt"),
            "write PROTOCOL/NAME; agon prompts list shows them",
        )
    };
    let (protocol_name, name) = prompt.split_once('/').ok_or_else(wrong)?;
    let protocol = declarations::find(&hand.places, protocol_name, false)?.protocol;
    let mut all = resolve(hand, protocol)?;
    match all.remove(name) {
        Some(template) => Ok((protocol, name.to_owned(), template)),
        None => {
            let names: Vec<&str> = protocol.prompts().iter().map(|(name, _)| *name).collect();
            let hint = suggestion(name, &names);
            Err(Failure::unknown(
                format!("{protocol_name} has no prompt {name:?}"),
                format!("{hint}there are {}", names.join(", ")),
            ))
        }
    }
}

fn resolve(
    hand: &CommandContext,
    protocol: &dyn Protocol,
) -> Result<std::collections::BTreeMap<String, Template>> {
    hand.places
        .prompts
        .resolve(protocol)
        .map_err(|error| Failure::new(exit::IO, "io", error.to_string(), "mend or remove that file"))
}
