//! The tables of a report, each described once: which figures it has, and how the page and the terminal head and write
//! them. A terminal has room for fewer.

use super::{
    EvaluationReport,
    list::{FigureGroup, figures},
    words::FigureForm::{
        self, BriefShare, Digits, Ends, Hits, Money, N, Note, P, Percent, Points, Quantity, Share, Yes,
    },
};
use crate::figures::cost::CostUnit;

/// Where a table is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Medium {
    Page,
    Terminal,
}

/// A column: a figure, with its head and form on the page and in the terminal, where it stands there.
struct FigureColumn {
    figure: String,
    /// A count that stands behind it: `b:c`.
    against: Option<String>,
    page: Option<(&'static str, FigureForm)>,
    terminal: Option<(&'static str, FigureForm)>,
}

/// Tables under one heading of the page.
pub(super) struct FigureSection {
    pub id: &'static str,
    pub heading: &'static str,
    pub tables: Vec<FigureTable>,
}

/// A table with a row for each group of figures.
pub(super) struct FigureTable {
    pub title: String,
    /// What the first column holds: the names of the rows.
    head: &'static str,
    columns: Vec<FigureColumn>,
    pub rows: Vec<FigureGroup>,
    /// What a reader of the page must know of its rows.
    pub notes: Vec<String>,
}

impl FigureTable {
    /// The heads of the columns.
    pub fn heads(&self, medium: Medium) -> Vec<&'static str> {
        let heads = self.columns.iter().filter_map(|column| Some(column.of(medium)?.0));
        std::iter::once(self.head).chain(heads).collect()
    }

    /// The cells of a row behind its name.
    pub fn cells(&self, row: &FigureGroup, medium: Medium) -> Vec<String> {
        self.columns.iter().filter_map(|column| Some(column.write(row, column.of(medium)?.1))).collect()
    }

    /// Without the rows of which nothing is known.
    fn known(mut self) -> Self {
        let is_known = |row: &FigureGroup| {
            self.columns.iter().any(|column| {
                let figure = row.get(&column.figure);
                figure.value.is_some_and(|value| value != 0.0 || figure.n.is_some())
            })
        };
        self.rows.retain(is_known);
        self
    }
}

impl FigureColumn {
    fn of(&self, medium: Medium) -> Option<(&'static str, FigureForm)> {
        match medium {
            Medium::Page => self.page,
            Medium::Terminal => self.terminal,
        }
    }

    fn write(&self, row: &FigureGroup, form: FigureForm) -> String {
        let figure = row.get(&self.figure);
        match &self.against {
            Some(against) if figure.value.is_some() => {
                format!("{}:{}", form.write(figure), form.write(row.get(against)))
            }
            _ => form.write(figure),
        }
    }
}

fn both(
    figure: &str,
    page: (&'static str, FigureForm),
    terminal: (&'static str, FigureForm),
) -> FigureColumn {
    FigureColumn { figure: figure.to_owned(), against: None, page: Some(page), terminal: Some(terminal) }
}

fn same(figure: &str, head: &'static str, form: FigureForm) -> FigureColumn {
    both(figure, (head, form), (head, form))
}

fn page(figure: &str, head: &'static str, form: FigureForm) -> FigureColumn {
    FigureColumn { terminal: None, ..same(figure, head, form) }
}

fn terminal(figure: &str, head: &'static str, form: FigureForm) -> FigureColumn {
    FigureColumn { page: None, ..same(figure, head, form) }
}

fn against(figure: &str, other: &str, head: &'static str) -> FigureColumn {
    FigureColumn { against: Some(other.to_owned()), ..same(figure, head, Digits(0)) }
}

/// The sections of `report` that have something to show, in the order of the page.
pub(super) fn sections(report: &EvaluationReport) -> Vec<FigureSection> {
    let groups = figures(report);
    let rows = |of: &str| groups.iter().filter(|group| group.of == of).cloned().collect::<Vec<_>>();
    let section = |id, heading, tables: Vec<FigureTable>| {
        let tables = tables.into_iter().filter(|table| !table.rows.is_empty()).collect();
        FigureSection { id, heading, tables }
    };
    let mut sections = vec![
        section("accuracy", "Accuracy", vec![accuracy(report, rows("arm"))]),
        section("differences", "Differences on the same items", differences(report, &rows("comparison"))),
        section("cost", "Accuracy against cost", vec![cost(report, rows("arm"))]),
        section("probabilities", "Probabilities", vec![probabilities(rows("arm"))]),
        section("change", "Answers before and after", vec![change(rows("arm"))]),
        section("judges", "Judges, places and orders", vec![orders(rows("arm")), judges(rows("arm"))]),
        section("ratings", "Ratings of arms", vec![ratings("arm", rows("rating"))]),
        section("debaters", "Ratings of models as debaters", vec![ratings("model", rows("debater"))]),
    ];
    sections.retain(|section| !section.tables.is_empty());
    sections
}

fn table(title: &str, columns: Vec<FigureColumn>, rows: Vec<FigureGroup>) -> FigureTable {
    FigureTable { title: title.to_owned(), head: "arm", columns, rows, notes: Vec::new() }
}

/// The interval that holds comes first: over clusters, where items share some.
fn accuracy(report: &EvaluationReport, rows: Vec<FigureGroup>) -> FigureTable {
    let ended = both("ended_well", ("availability", Share), ("ended", Hits));
    let undecided = page("undecided", "no answer", Digits(0));
    if report.is_clustered() {
        let columns = vec![
            both("accuracy_all_clustered", ("all (clusters)", Percent), ("all", Percent)),
            both("accuracy_all", ("all (Wilson)", Share), ("Wilson", Ends)),
            terminal("accuracy_all", "right", Hits),
            both("accuracy_ended_clustered", ("ended well (clusters)", Percent), ("ended well", Percent)),
            ended,
            undecided,
        ];
        return table("Accuracy over clusters (others wrong; Wilson; others missing)", columns, rows);
    }
    let columns = vec![
        both("accuracy_all", ("all (Wilson)", Share), ("all", Share)),
        both("accuracy_all_clustered", ("all (clusters)", Percent), ("clusters", Ends)),
        both("accuracy_ended", ("ended well (Wilson)", Share), ("ended well", Share)),
        ended,
        undecided,
    ];
    table("Accuracy (others wrong; over clusters; others missing)", columns, rows)
}

/// One table, or one for each way of counting observations that did not end well, where these differ.
fn differences(report: &EvaluationReport, rows: &[FigureGroup]) -> Vec<FigureTable> {
    let of = |part: &str, title: &str| {
        let figure = |name: &str| format!("{name}_{part}");
        let columns = vec![
            same(&figure("difference"), "points", Points),
            against(&figure("mcnemar_b"), &figure("mcnemar_c"), "b:c"),
            same(&figure("mcnemar_p"), "p", P),
            same(&figure("holm_p"), "Holm", P),
            page("token_ratio", "tokens", Digits(2)),
            page(&figure("items_needed"), "items needed", Quantity),
        ];
        FigureTable { head: "arms", ..table(title, columns, rows.to_vec()) }
    };
    if report.comparisons.iter().all(|comparison| comparison.ended.pairs == comparison.all.pairs) {
        return vec![of("all", "Differences on the same items")];
    }
    vec![
        of("all", "Differences on the same items (others wrong)"),
        of("ended", "Differences on the same items (others missing)"),
    ]
}

fn cost(report: &EvaluationReport, mut rows: Vec<FigureGroup>) -> FigureTable {
    let points = || report.front.iter().flat_map(|front| &front.points);
    for row in &mut rows {
        let is_on_front = points().any(|point| point.arm == row.name && point.on_front);
        row.add("front", u64::from(is_on_front));
    }
    let title = match report.front.as_ref().map(|front| front.unit) {
        Some(CostUnit::Money) => "Cost, mean of an observation (front: accuracy against money)",
        Some(CostUnit::Tokens) => "Cost, mean of an observation (front: accuracy against tokens)",
        None => "Cost, mean of an observation",
    };
    let columns = vec![
        same("calls_mean", "calls", Quantity),
        page("input_tokens_mean", "read", Quantity),
        terminal("tokens_mean", "tokens", Quantity),
        same("cached_tokens_mean", "cached", Quantity),
        page("output_tokens_mean", "written", Quantity),
        same("money_mean", "money", Money),
        page("money_sum", "in all", Money),
        both("money_per_right", ("a right answer", Money), ("a right one", Money)),
        same("seconds_mean", "seconds", Quantity),
        terminal("front", "front", Yes),
    ];
    table(title, columns, rows)
}

fn probabilities(rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        page("calibration_error", "n", N),
        same("brier", "Brier (0 to 2)", Digits(3)),
        both("log_score", ("log score (nats)", Digits(3)), ("log score", Digits(3))),
        page("clipped", "clipped", Digits(0)),
        both("calibration_error", ("calibration error", Digits(3)), ("ECE", Digits(3))),
        same("overconfidence", "too sure by", Points),
    ];
    let mut table = table("Probabilities", columns, rows).known();
    let note = |row: &FigureGroup| {
        let note = row.get("calibration_error").note;
        (!note.is_empty()).then(|| format!("{}: {note}", row.name))
    };
    table.notes = table.rows.iter().filter_map(note).collect();
    table
}

fn change(rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        same("rescued", "rescued of the wrong", Share),
        same("destroyed", "destroyed of the right", Share),
        page("net_change", "net points", Points),
        same("change_p", "p", P),
    ];
    table("Answers before and after", columns, rows).known()
}

fn orders(rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        both("side_prior", ("opener won", Share), ("opener won", BriefShare)),
        page("gold_first", "gold opened", Share),
        both("followed_side", ("mirrors: same side won", Share), ("mirrors: side", BriefShare)),
        both("first_shown", ("first shown won", Share), ("first shown won", BriefShare)),
        both("flips", ("flips", Share), ("flips", BriefShare)),
    ];
    table("Places and orders", columns, rows).known()
}

fn judges(rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        same("judges", "judges", Digits(0)),
        page("unanimous", "unanimous", Share),
        same("alpha", "alpha", Digits(2)),
        both("effective_votes", ("effective votes", Digits(2)), ("effective", Digits(2))),
        page("own_family_margin", "own family", Digits(2)),
        both("own_family_beyond_others", ("beyond others", Digits(2)), ("own family", Digits(2))),
        both("verified", ("quote checked", Share), ("checked", BriefShare)),
    ];
    table("Judges", columns, rows).known()
}

fn ratings(head: &'static str, rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        same("bradley_terry", "log strength", Digits(2)),
        against("wins", "losses", "won:lost"),
        page("bradley_terry", "", Note),
    ];
    // Other tables count what did not end well as wrong, too; so this one says that it does not.
    let (title, note) = match head {
        "arm" => (
            "Bradley-Terry, arms (items that both ended well)",
            "Items of which both observations ended well.",
        ),
        _ => ("Bradley-Terry, debaters (debates that ended well)", "Debates that ended well."),
    };
    FigureTable { head, notes: vec![note.to_owned()], ..table(title, columns, rows) }
}
