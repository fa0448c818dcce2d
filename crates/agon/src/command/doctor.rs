//! `agon doctor`: what is set up, what is missing, a line each with the remedy.

use std::{collections::BTreeMap, env};

use agon_runtime::{config::default_model, files::check_writable};
use serde_json::json;

use super::Hand;
use crate::{
    cli::SeatArgs,
    failure::{Failure, Result, exit},
    lineup, opening,
    seating::Means,
    ui,
};

struct Finding {
    ok: bool,
    what: String,
    remedy: String,
}

pub async fn run(hand: &Hand) -> Result<u8> {
    let mut findings = Vec::new();
    let mut add = |what: String, problem: Option<Failure>| {
        let (ok, what, remedy) = match problem {
            None => (true, what, String::new()),
            Some(failure) => (false, format!("{what}: {}", failure.message), failure.remedy),
        };
        findings.push(Finding { ok, what, remedy });
    };
    let config = hand.config();
    add(
        "configuration".into(),
        config.as_ref().err().map(|f| Failure::usage(f.message.clone(), f.remedy.clone())),
    );
    add(
        format!("data in {}", hand.places.home.display()),
        check_writable(&hand.places.home).err().map(Failure::from),
    );
    let journal = hand.journal();
    add(
        "journal".into(),
        journal.as_ref().err().map(|f| Failure::usage(f.message.clone(), f.remedy.clone())),
    );
    if let (Ok(config), Ok(journal)) = (&config, &journal) {
        for variable in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
            if env::var_os(variable).is_some_and(|value| !value.is_empty()) {
                add(format!("{variable} is set"), None);
            }
        }
        let model = default_model(config);
        // Looks only at what is here: a check must not fetch a gigabyte.
        let debate = opening::id(None)?;
        let means = Means {
            config,
            places: &hand.places,
            journal,
            debate: &debate,
            terminal: hand.terminal(),
            offline: true,
            quiet: true,
        };
        let args = SeatArgs { seats: Vec::new(), model: Some(model.clone()) };
        let problem = match agon_protocols::ALL.first() {
            Some(protocol) => {
                let seated = async {
                    let names = lineup::names(protocol.manifest(), &[], &BTreeMap::new(), &args, config)?;
                    crate::conduct::seat(&names[..1], &means).await
                };
                seated.await.err()
            }
            None => None,
        };
        add(format!("default model {model}"), problem);
    }
    let all: Vec<_> =
        findings.iter().map(|f| json!({"ok": f.ok, "what": f.what, "remedy": f.remedy})).collect();
    let sound = findings.iter().all(|finding| finding.ok);
    hand.print(&json!({"sound": sound, "findings": all}), || {
        let line = |finding: &Finding| {
            let mark = if finding.ok { ui::paint("ok", ui::GREEN) } else { ui::paint("missing", ui::RED) };
            let remedy = if finding.ok { String::new() } else { format!(" → {}", finding.remedy) };
            format!("{mark}  {}{}", ui::visible(&finding.what), ui::visible(&remedy))
        };
        findings.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    Ok(exit::OK)
}
