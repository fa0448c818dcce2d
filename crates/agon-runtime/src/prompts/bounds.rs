//! Bounds of what a template computes: steps, output, and how large a text can become.
//!
//! minijinja counts steps and takes a writer, but a value may grow without end: `s ~ s`, forty times, is a terabyte in
//! two hundred steps. So templates are read once more before they are compiled. They have the tags that print, choose,
//! repeat, name and include, and none that captures output; and a name takes a text that was put together at most
//! [`LEVELS_MAX`] times. Then the size of each value has a bound in the sizes of the facts.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    io,
};

use minijinja::{
    Environment, Error, ErrorKind,
    machinery::{Token, tokenize},
    syntax::SyntaxConfig,
    value::Value,
};

use super::PromptError;

/// Steps of one template: a loop over a thousand entries takes some ten thousand.
const STEPS_MAX: u64 = 5_000_000;
/// Largest text that a template, or a filter in it, may write.
const OUTPUT_BYTES_MAX: usize = 16 << 20;
/// How deep templates include each other, ten for each, with the loops in them.
const DEPTH_MAX: usize = 100;
/// Names that a template may give values to.
const NAMES_MAX: usize = 200;
/// Texts that one tag may put together.
const JOINED_MAX: usize = 16;
/// How often a text that was put together may be put together again under another name.
const LEVELS_MAX: usize = 2;
/// The tags of the language.
const TAGS: [&str; 12] =
    ["if", "elif", "else", "endif", "for", "endfor", "set", "with", "endwith", "include", "raw", "endraw"];
/// Words that are not names.
const WORDS: [&str; 12] =
    ["and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "recursive", "include"];
/// Filters whose result can be much larger than what they take.
const FILTERS_LEFT_OUT: [&str; 12] =
    ["tojson", "pprint", "escape", "e", "string", "indent", "format", "batch", "slice", "groupby", "zip", "chain"];

/// Sets the bounds that hold while a template is rendered.
pub(super) fn set_bounds(environment: &mut Environment<'_>) {
    environment.set_fuel(Some(STEPS_MAX));
    environment.set_recursion_limit(DEPTH_MAX);
    environment.remove_global("namespace");
    for name in FILTERS_LEFT_OUT {
        environment.remove_filter(name);
    }
    environment.add_filter("replace", replace_bounded);
    environment.add_filter("join", join_bounded);
}

fn replace_bounded(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let found = if from.is_empty() { text.chars().count() + 1 } else { text.matches(from).count() };
    match found.saturating_mul(to.len()).saturating_add(text.len()) <= OUTPUT_BYTES_MAX {
        true => Ok(text.replace(from, to)),
        false => Err(too_large()),
    }
}

fn join_bounded(items: &Value, joiner: Option<Cow<'_, str>>) -> Result<String, Error> {
    let joiner = joiner.unwrap_or_default();
    let mut out = String::new();
    for (at, item) in items.try_iter()?.enumerate() {
        if at > 0 {
            out.push_str(&joiner);
        }
        match item.as_str() {
            Some(text) => out.push_str(text),
            None => out.push_str(&item.to_string()),
        }
        if out.len() > OUTPUT_BYTES_MAX {
            return Err(too_large());
        }
    }
    Ok(out)
}

fn too_large() -> Error {
    Error::new(ErrorKind::InvalidOperation, over_output())
}

fn over_output() -> String {
    format!("it writes more than {} MiB; shorten what it prints", OUTPUT_BYTES_MAX >> 20)
}

/// What to say of an error that a bound caused; `None` for any other.
pub(super) fn describe_bound_error(error: &Error) -> Option<String> {
    match error.kind() {
        ErrorKind::OutOfFuel => Some(format!("it takes more than {STEPS_MAX} steps; shorten its loops")),
        ErrorKind::WriteFailure => Some(over_output()),
        _ => None,
    }
}

/// A text that is written up to the limit.
#[derive(Default)]
pub(super) struct BoundedText(Vec<u8>);

impl BoundedText {
    /// What was written.
    pub fn into_text(self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

impl io::Write for &mut BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > OUTPUT_BYTES_MAX {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// `{% … %}` or `{{ … }}`.
struct TemplateTag<'t> {
    line: usize,
    prints: bool,
    tokens: Vec<Token<'t>>,
}

/// What a tag gives to names.
struct Assignment<'t> {
    line: usize,
    template: &'t str,
    targets: Vec<&'t str>,
    used: BTreeSet<&'t str>,
    grows: bool,
}

/// Checks the templates of one debate, which share their names where one includes another.
pub(super) fn check_templates<'t>(templates: impl Iterator<Item = (&'t str, &'t str)>) -> Result<(), PromptError> {
    let mut all = Vec::new();
    for (name, text) in templates {
        let refused =
            |(line, why): (usize, String)| PromptError { name: name.to_owned(), why: format!("line {line}: {why}") };
        let before = all.len();
        for tag in parse_tags(text) {
            tag.check().map_err(|why| refused((tag.line, why)))?;
            all.extend(tag.find_assignment(name));
        }
        if all.len() - before > NAMES_MAX {
            return Err(refused((1, format!("it gives values to more than {NAMES_MAX} names"))));
        }
    }
    check_levels(&all)
}

/// Refuses a name whose text is put together from itself, or over too many names.
fn check_levels(all: &[Assignment<'_>]) -> Result<(), PromptError> {
    let mut levels: BTreeMap<&str, usize> = BTreeMap::new();
    loop {
        let mut is_settled = true;
        for one in all {
            let below = one.used.iter().filter_map(|name| levels.get(name)).max().copied().unwrap_or_default();
            let level = below + usize::from(one.grows);
            if level > LEVELS_MAX {
                let target = one.targets.first().copied().unwrap_or_default();
                let why = format!(
                    "line {}: `{target}` is put together from itself, or from names that are put together \
                     from others; print the values one by one",
                    one.line
                );
                return Err(PromptError { name: one.template.to_owned(), why });
            }
            for target in &one.targets {
                let known = levels.entry(target).or_default();
                if *known < level {
                    *known = level;
                    is_settled = false;
                }
            }
        }
        if is_settled {
            return Ok(());
        }
    }
}

impl<'t> TemplateTag<'t> {
    fn check(&self) -> Result<(), String> {
        let has = |is_one: fn(&Token<'_>) -> bool| self.tokens.iter().any(is_one);
        match self.tokens.first() {
            Some(Token::Ident(word)) if !self.prints && !TAGS.contains(word) => {
                return Err(format!("prompts have no tag `{word}`; there are if, for, set, with, include and raw"));
            }
            Some(Token::Ident("set")) if !has(|token| matches!(token, Token::Assign)) => {
                return Err("`set` needs a value: {% set name = value %}".into());
            }
            _ if has(|token| matches!(token, Token::Mul | Token::Pow)) => return Err("prompts do not multiply".into()),
            _ => {}
        }
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate() {
            match token {
                Token::BracketOpen | Token::BraceOpen => depth += 1,
                Token::BracketClose | Token::BraceClose => depth = depth.saturating_sub(1),
                _ if depth > 0 && self.is_joining(at) => {
                    return Err("a list holds values as they are; put texts together outside of it".into());
                }
                _ => {}
            }
        }
        match (0..self.tokens.len()).filter(|at| self.is_joining(*at)).count() > JOINED_MAX {
            true => Err(format!("more than {JOINED_MAX} texts are put together; print them one by one")),
            false => Ok(()),
        }
    }

    /// Whether the token puts two values together. A number more is a number.
    fn is_joining(&self, at: usize) -> bool {
        let is_number = |at: Option<usize>| {
            let token = at.and_then(|at| self.tokens.get(at));
            matches!(token, Some(Token::Int(_) | Token::Int128(_) | Token::Float(_)))
        };
        match self.tokens[at] {
            Token::Tilde => true,
            Token::Plus => !is_number(at.checked_sub(1)) && !is_number(at.checked_add(1)),
            _ => false,
        }
    }

    fn find_assignment(&self, template: &'t str) -> Option<Assignment<'t>> {
        let keyword = match self.tokens.first()? {
            Token::Ident(word @ ("for" | "set" | "with")) if !self.prints => *word,
            _ => return None,
        };
        let ends = |token: &Token<'_>| match keyword {
            "for" => matches!(token, Token::Ident("in")),
            _ => matches!(token, Token::Assign),
        };
        let words = |tokens: &[Token<'t>]| -> Vec<&'t str> {
            let names = tokens.iter().filter_map(|token| match token {
                Token::Ident(word) if !WORDS.contains(word) => Some(*word),
                _ => None,
            });
            names.collect()
        };
        let first = self.tokens.iter().position(ends)?;
        let mut targets = words(&self.tokens[1..first]);
        if keyword == "with" {
            // `with a = x, b = y`: a name before an equals sign gets a value.
            let named = self.tokens.windows(2).filter(|pair| matches!(pair[1], Token::Assign));
            targets = named.flat_map(|pair| words(&pair[..1])).collect();
        }
        let grows = (first..self.tokens.len()).any(|at| self.is_joining(at));
        let used = words(&self.tokens[first..]).into_iter().collect();
        Some(Assignment { line: self.line, template, targets, used, grows })
    }
}

/// The tags of a template, as minijinja itself reads them. Comments and raw text have none. Where it cannot read on,
/// the template does not compile either.
fn parse_tags(text: &str) -> Vec<TemplateTag<'_>> {
    let mut tags: Vec<TemplateTag<'_>> = Vec::new();
    for (token, place) in tokenize(text, false, SyntaxConfig::default()).map_while(Result::ok) {
        if let Token::BlockStart | Token::VariableStart = token {
            let prints = matches!(token, Token::VariableStart);
            tags.push(TemplateTag { line: place.start_line.into(), prints, tokens: Vec::new() });
            continue;
        }
        let Some(tag) = tags.last_mut() else { continue };
        match token {
            Token::TemplateData(_) | Token::BlockEnd | Token::VariableEnd => {}
            // What stands behind a dot or a bar is an attribute or a filter.
            Token::Ident(part) if matches!(tag.tokens.last(), Some(Token::Dot | Token::Pipe)) => {
                tag.tokens.push(Token::Str(part));
            }
            token => tag.tokens.push(token),
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<String> {
        check_templates([("t", text)].into_iter()).err().map(|error| error.why)
    }

    #[test]
    fn texts_do_not_grow_from_themselves() {
        let doubled: String = (0..40).map(|n| format!("{{% set a{} = a{n} ~ a{n} %}}\n", n + 1)).collect();
        for text in [
            "{% set s = 'x' %}{% set s = s ~ s %}",
            "{%- set s = s+s -%}",
            "{% with s = s ~ 'x' %}{% endwith %}",
            "{% for s in s ~ s %}{% endfor %}",
            "{% for a in [b ~ b] %}{% endfor %}",
            "{% set ns.s = ns.s ~ ns.s %}",
            "{% set a = [b] %}{% set c = a ~ '' %}{% set b = [c] %}",
            "{# a #}{% raw %}{{ x }}{% endraw %}{% set s = '%}' ~ s %}",
            &doubled,
        ] {
            assert!(refused(text).is_some(), "{text}");
        }
        assert!(refused(&doubled).unwrap().starts_with("line 3: `a3`"), "{:?}", refused(&doubled));
        let included = [("a", "{% set s = t ~ t %}{% include 'b' %}"), ("b", "{% set t = s ~ s %}")];
        assert!(check_templates(included.into_iter()).is_err(), "across templates");
    }

    #[test]
    fn tags_that_capture_output_and_operators_that_repeat_it_are_refused() {
        for (text, says) in [
            ("{% macro m(a) %}{% endmacro %}", "no tag `macro`"),
            ("{% set s %}{{ s }}{{ s }}{% endset %}", "`set` needs a value"),
            ("{% filter upper %}x{% endfilter %}", "no tag `filter`"),
            ("{% block a %}{% endblock %}", "no tag `block`"),
            ("{{ 'x' * 100000000 }}", "multiply"),
            (&format!("{{{{ a{} }}}}", " ~ a".repeat(17)), "more than 16 texts"),
            ("{{ [[a ~ ''] ~ ''] }}", "a list holds values as they are"),
            (&"{% set a = 1 %}".repeat(201), "more than 200 names"),
        ] {
            let why = refused(text).unwrap_or_default();
            assert!(why.contains(says), "{text}: {why}");
        }
    }

    #[test]
    fn what_prompts_say_is_within_the_bounds() {
        for text in [
            "{% set at = '/arguments/' ~ loop.index0 %}{{ generate(at ~ '/warrant', scale=[-0.8, 1]) }}",
            "{% set label = 'Round ' ~ round %}{% set heading = label ~ ': ' ~ title %}{{ heading }}",
            "{% for i in range(more + 1) %}{% set known = given | selectattr('place', 'equalto', i + 1) | first %}{% endfor %}",
            "{% with speech = x %}{% include 'speech' %}{% endwith %} a * b ~ c {% raw %}{{ s * s }}{% macro %}{% endraw %}",
            "{# {{ s * s }} #}{% if a.s ~ b == 'x' %}{% elif b %}{% else %}{% endif %}",
        ] {
            assert_eq!(refused(text), None, "{text}");
        }
    }
}
