//! Flags for the options that protocols declare in their manifests.

use agon_app::request::{Options, default_of, list_known_options, list_taking_protocols};
use agon_core::{OptionKind, OptionSpec};
use agon_protocols::common::options::declared_options;
use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches,
    builder::{PossibleValue, PossibleValuesParser},
    error::ErrorKind,
};
use serde_json::json;

/// The options of some protocols, as the command line gives them.
#[derive(Debug, Default)]
pub struct OptionArgs(pub Options);

/// Where the options of one kind are listed in the help.
fn option_heading(option: &OptionSpec) -> &'static str {
    if option.judging { "Judging (docs/judging.md)" } else { "Options of some protocols" }
}

/// `Maximum number of rounds [default: 3]`.
pub fn describe_option(option: &OptionSpec, default: Option<&str>) -> String {
    let default = default.map(|default| format!(" [default: {default}]"));
    format!("{}{}", option.about, default.unwrap_or_default())
}

/// The same for the protocols that take it, which it names: `(panel, chaired)`.
fn option_help(option: &OptionSpec) -> String {
    let mut takers = list_taking_protocols(&option.name);
    if declared_options().iter().any(|shared| shared.name == option.name) {
        takers.push("declared protocols");
    }
    format!("{} ({})", describe_option(option, default_of(&option.name).as_deref()), takers.join(", "))
}

fn build_arg(option: &OptionSpec) -> Arg {
    let arg = Arg::new(option.name.clone())
        .long(option.flag_name())
        .help(option_help(option))
        .help_heading(option_heading(option))
        .conflicts_with_all(&option.conflicts);
    let valued = |name: &str| {
        let placeholder = option.placeholder.clone().unwrap_or_else(|| name.to_owned());
        arg.clone().value_name(placeholder).action(ArgAction::Set)
    };
    match option.kind {
        OptionKind::Switch => arg.action(ArgAction::SetTrue),
        OptionKind::Choice => {
            let values = option.values.iter().map(|choice| PossibleValue::new(&choice.name).help(&choice.about));
            let names: Vec<&str> = option.values.iter().map(|choice| choice.name.as_str()).collect();
            valued(&names.join("|")).value_parser(PossibleValuesParser::new(values))
        }
        OptionKind::Terms => valued("TERM=MEANING").action(ArgAction::Append),
        OptionKind::Texts => valued("NAME=PATH").action(ArgAction::Append),
        OptionKind::Count => valued("N").allow_negative_numbers(true),
        OptionKind::Duration => valued("TIME"),
        OptionKind::Text => valued("TEXT"),
        OptionKind::Model => valued("MODEL"),
        OptionKind::Models => valued("MODELS"),
        OptionKind::Folder => valued("DIR"),
    }
}

impl FromArgMatches for OptionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut options = Options::default();
        for option in list_known_options() {
            let name = option.name.as_str();
            let value = match option.kind {
                OptionKind::Switch => matches.get_flag(name).then(|| json!(true)),
                OptionKind::Terms | OptionKind::Texts => {
                    matches.get_many::<String>(name).map(|texts| json!(texts.collect::<Vec<_>>()))
                }
                _ => matches.get_one::<String>(name).map(|text| json!(text)),
            };
            if let Some(value) = value {
                options.set(name, &value).map_err(|failure| {
                    Error::raw(ErrorKind::InvalidValue, format!("{}\n\n{}\n", failure.message, failure.remedy))
                })?;
            }
        }
        Ok(Self(options))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for OptionArgs {
    fn augment_args(command: Command) -> Command {
        command.args(list_known_options().iter().map(build_arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn every_option_has_its_flag_and_says_who_takes_it() {
        for option in list_known_options() {
            let value = match option.kind {
                OptionKind::Switch => None,
                OptionKind::Choice => Some(option.values[0].name.clone()),
                OptionKind::Count => Some(option.min.unwrap_or(1).to_string()),
                _ => Some("a=b".to_owned()),
            };
            let line = ["agon", "run", "duel", "x.md"].map(str::to_owned).into_iter();
            let line: Vec<String> = line.chain([option.render_flag()]).chain(value).collect();
            let Command::Run(args) = Cli::parse_from(line).command else { panic!() };
            let set = serde_json::json!(args.options.0);
            assert!(set.as_object().unwrap().keys().eq([&option.name]), "{set}");
            assert!(list_taking_protocols(&option.name).iter().all(|name| option_help(option).contains(name)));
        }
    }
}
