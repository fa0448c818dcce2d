//! Whether an ask, its fields and its prompt make sense.

use super::{
    Checked, ENTRIES_MAX, FIELDS_MAX, LINE_CHARS_MAX, NUMBER_MAX, PICKED_FROM_MAX, PROSE_CHARS_MAX, RESERVED_ASKS,
    RESERVED_FIELDS, SoundnessCheck, TEXT_CHARS_MAX, TOKENS_MAX,
};
use crate::declared::{
    declaration::{Ask, DeclaredField, FieldKind, Order, Sees},
    state::SAMPLES_MAX,
};

impl SoundnessCheck<'_> {
    pub(super) fn check_ask(&self, at: &str, ask: &Ask, before: &[&Ask]) -> Checked {
        let key = |key: &str| format!("{at}.{key}");
        self.check_name(&key("name"), &ask.name, &RESERVED_ASKS)?;
        let templates = self.all.templates.iter().map(|template| template.name.as_str());
        self.check_unique(&key("name"), &ask.name, before.iter().map(|a| a.name.as_str()).chain(templates))?;
        let remedy = "name a seat or a row of seats";
        self.check_condition(!ask.seats.is_empty(), &key("seats"), "it asks nobody", remedy)?;
        for (s, name) in ask.seats.iter().enumerate() {
            let at = format!("{at}.seats[{s}]");
            let known: Vec<&str> = self.all.seats.iter().map(|seat| seat.name.as_str()).collect();
            let (message, remedy) =
                (format!("there is no seat {name:?}"), format!("the seats are {}", known.join(", ")));
            self.check_condition(self.all.find_seat(name).is_some(), &at, message, remedy)?;
            self.check_unique(&at, name, ask.seats[..s].iter().map(String::as_str))?;
        }
        if let Some(samples) = ask.samples {
            self.check_range(&key("samples"), f64::from(samples), 1.0, SAMPLES_MAX.into())?;
            let is_apart = ask.order == Order::Together && !ask.anonymous;
            let message = "samples are independent: nobody hears another";
            self.check_condition(is_apart, &key("samples"), message, "take out order or anonymous")?;
        }
        let asked = self.seats_of(ask).0 * ask.samples.unwrap_or(1);
        if let Some(quorum) = ask.quorum {
            let message = format!("{quorum} must answer, and {asked} are asked");
            let remedy = "choose no more than are asked where the row is shortest";
            self.check_condition(quorum <= asked, &key("quorum"), message, remedy)?;
        }
        if let Sees::Only(names) = &ask.sees {
            for (n, name) in names.iter().enumerate() {
                self.known_ask(&format!("{at}.sees[{n}]"), name)?;
            }
        }
        let has_one = ask.prompt.is_some() != ask.prompt_file.is_some();
        let remedy = "write prompt = \"\"\"…\"\"\", or prompt_file with a file beside this one";
        self.check_condition(has_one, at, format!("the ask {:?} needs a prompt", ask.name), remedy)?;
        let has_words = ask.prompt.as_ref().is_none_or(|prompt| !prompt.trim().is_empty());
        self.check_condition(has_words, &key("prompt"), "the prompt is empty", "say what is wanted")?;
        self.check_range(&key("tokens_max"), f64::from(ask.tokens_max), 16.0, TOKENS_MAX.into())?;
        self.check_range(&key("temperature"), f64::from(ask.temperature), 0.0, 2.0)?;
        let is_prose = ask.chars_max.is_some() || !ask.says_one_of.is_empty();
        let message = "chars_max and says_one_of are for prose, and this statement has fields";
        let is_one = ask.fields.is_empty() || !is_prose;
        self.check_condition(is_one, &key("field"), message, "take them out, or the fields")?;
        self.check_range(&key("chars_max"), ask.chars_max.map(f64::from), 20.0, PROSE_CHARS_MAX.into())?;
        if !ask.says_one_of.is_empty() {
            self.check_choice_words(&key("says_one_of"), &ask.says_one_of)?;
        }
        let (is_short, most) = (ask.fields.len() <= FIELDS_MAX, format!("at most {FIELDS_MAX} are taken"));
        self.check_condition(is_short, &key("field"), "it has too many fields", most)?;
        let mut fields = ask.fields.iter().enumerate();
        fields.try_for_each(|(f, field)| self.check_field(&format!("{at}.field[{f}]"), ask, f, field, before))
    }

    fn check_field(&self, at: &str, ask: &Ask, f: usize, field: &DeclaredField, before: &[&Ask]) -> Checked {
        let key = |key: &str| format!("{at}.{key}");
        self.check_name(&key("name"), &field.name.replace('_', "-"), &RESERVED_FIELDS)?;
        self.check_unique(&key("name"), &field.name, ask.fields[..f].iter().map(|other| other.name.as_str()))?;
        self.check_line(&key("about"), field.about.as_deref(), LINE_CHARS_MAX)?;
        let kind = field.kind;
        let many = matches!(kind, FieldKind::List | FieldKind::Picks | FieldKind::Quotes);
        let texts = matches!(kind, FieldKind::Text | FieldKind::List) || kind.is_quoted();
        let number = kind.is_number();
        let misplaced = [
            ("of", !field.of.is_empty() && kind != FieldKind::Choice),
            ("from", field.from.is_some() && !matches!(kind, FieldKind::Pick | FieldKind::Picks)),
            ("chars_max", field.chars_max.is_some() && !texts),
            ("min", field.min.is_some() && !many && !number),
            ("max", field.max.is_some() && !many && !number),
        ];
        for (name, wrong) in misplaced {
            let message = format!("a field of this type has no {name}");
            self.check_condition(!wrong, &key(name), message, "take it out, or choose another type")?;
        }
        self.check_range(&key("chars_max"), field.chars_max.map(f64::from), 1.0, TEXT_CHARS_MAX.into())?;
        if number {
            for (name, bound) in [("min", field.min), ("max", field.max)] {
                self.check_range(&key(name), bound, -NUMBER_MAX, NUMBER_MAX)?;
            }
        }
        if many {
            let Some(most) = field.max else {
                return self.report_fault(at, format!("{:?} has no maximum of entries", field.name), "add max = 5");
            };
            self.check_range(&key("max"), most, 1.0, ENTRIES_MAX.into())?;
            self.check_range(&key("min"), field.min.unwrap_or(1.0), 0.0, most)?;
            let are_whole = [Some(most), field.min].into_iter().flatten().all(|count| count.fract() == 0.0);
            self.check_condition(are_whole, &key("max"), "a number of entries is whole", "write 3, not 3.5")?;
        } else if let (Some(min), Some(max)) = (field.min, field.max) {
            self.check_condition(min <= max, &key("min"), format!("{min} is above {max}"), "exchange them")?;
        }
        match (kind, &field.from) {
            (FieldKind::Choice, _) => self.check_choice_words(&key("of"), &field.of),
            (FieldKind::Pick | FieldKind::Picks, None) => self.report_fault(
                at,
                format!("{:?} picks from nothing", field.name),
                "add from = \"ASK\" or \"ASK.FIELD\"",
            ),
            (FieldKind::Pick | FieldKind::Picks, Some(from)) => self.from(&key("from"), from, before),
            _ => Ok(()),
        }
    }

    /// Where things to pick come from: an earlier ask, and a list of it.
    fn from(&self, at: &str, from: &str, before: &[&Ask]) -> Checked {
        let (name, field) = from.split_once('.').map_or((from, None), |(name, field)| (name, Some(field)));
        let Some(ask) = before.iter().find(|ask| ask.name == name) else {
            let message = format!("no ask {name:?} comes before this one");
            return self.report_fault(at, message, "name an ask that comes earlier");
        };
        let message = format!("nobody need answer {name:?}, so there may be nothing to pick");
        self.check_condition(ask.quorum != Some(0), at, message, format!("give {name} a quorum of 1 or more"))?;
        let mut things = self.seats_of(ask).1;
        if let Some(field) = field {
            let Some(field) = ask.find_field(field).filter(|field| field.kind == FieldKind::List) else {
                let message = format!("{name:?} has no list {field:?}");
                return self.report_fault(at, message, "name a field of the type list");
            };
            let is_filled = field.min.is_none_or(|min| min >= 1.0);
            let message = format!("the list {from:?} may be empty, so there may be nothing to pick");
            self.check_condition(is_filled, at, message, "give that list a min of 1 or more")?;
            things = things.saturating_mul(field.max.unwrap_or(1.0) as u32);
        }
        let message = format!("up to {things} things to pick from");
        let remedy = format!("at most {PICKED_FROM_MAX} are taken; have a seat join them");
        self.check_condition(things <= PICKED_FROM_MAX, at, message, remedy)
    }
}
