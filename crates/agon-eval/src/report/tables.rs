//! The tables of a report, each described once: which figures it has, and how the page and the terminal head and write
//! them. A terminal has room for fewer.

use super::{
    EvaluationReport,
    figure_text::FigureForm::{
        self, BriefShare, Digits, Ends, Hits, Money, N, Note, P, Percent, Points, Quantity, Share, Yes,
    },
    list::{FigureGroup, list_figures},
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
    /// What a reader must know of its heads and rows.
    pub notes: Vec<String>,
}

impl FigureTable {
    /// The heads of the columns.
    pub fn column_heads(&self, medium: Medium) -> Vec<&'static str> {
        let heads = self.columns.iter().filter_map(|column| Some(column.find_form(medium)?.0));
        std::iter::once(self.head).chain(heads).collect()
    }

    /// The cells of a row behind its name.
    pub fn format_cells(&self, row: &FigureGroup, medium: Medium) -> Vec<String> {
        self.columns.iter().filter_map(|column| Some(column.format_cell(row, column.find_form(medium)?.1))).collect()
    }

    /// Without the rows of which nothing is known.
    fn without_unknown_rows(mut self) -> Self {
        let is_known = |row: &FigureGroup| {
            self.columns.iter().any(|column| {
                let figure = row.figure_named(&column.figure);
                figure.value.is_some_and(|value| value != 0.0 || figure.n.is_some())
            })
        };
        self.rows.retain(is_known);
        self
    }
}

impl FigureColumn {
    fn find_form(&self, medium: Medium) -> Option<(&'static str, FigureForm)> {
        match medium {
            Medium::Page => self.page,
            Medium::Terminal => self.terminal,
        }
    }

    fn format_cell(&self, row: &FigureGroup, form: FigureForm) -> String {
        let figure = row.figure_named(&self.figure);
        match &self.against {
            Some(against) if figure.value.is_some() => {
                format!("{}:{}", form.format_figure(figure), form.format_figure(row.figure_named(against)))
            }
            _ => form.format_figure(figure),
        }
    }
}

fn column_per_medium(
    figure: &str,
    page: (&'static str, FigureForm),
    terminal: (&'static str, FigureForm),
) -> FigureColumn {
    FigureColumn { figure: figure.to_owned(), against: None, page: Some(page), terminal: Some(terminal) }
}

fn shared_column(figure: &str, head: &'static str, form: FigureForm) -> FigureColumn {
    column_per_medium(figure, (head, form), (head, form))
}

fn page_column(figure: &str, head: &'static str, form: FigureForm) -> FigureColumn {
    FigureColumn { terminal: None, ..shared_column(figure, head, form) }
}

fn terminal_column(figure: &str, head: &'static str, form: FigureForm) -> FigureColumn {
    FigureColumn { page: None, ..shared_column(figure, head, form) }
}

fn count_pair_column(figure: &str, other: &str, head: &'static str) -> FigureColumn {
    FigureColumn { against: Some(other.to_owned()), ..shared_column(figure, head, Digits(0)) }
}

/// The sections of `report` that have something to show, in the order of the page.
pub(super) fn build_sections(report: &EvaluationReport) -> Vec<FigureSection> {
    let groups = list_figures(report);
    let rows = |of: &str| groups.iter().filter(|group| group.of == of).cloned().collect::<Vec<_>>();
    let section = |id, heading, tables: Vec<FigureTable>| {
        let tables = tables.into_iter().filter(|table| !table.rows.is_empty()).collect();
        FigureSection { id, heading, tables }
    };
    let mut sections = vec![
        section("accuracy", "Accuracy", vec![accuracy_table(report, rows("arm"))]),
        section("differences", "Differences on the same items", difference_tables(report, &rows("comparison"))),
        section("cost", "Accuracy against cost", vec![cost_table(report, rows("arm"))]),
        section("probabilities", "Probabilities", vec![probability_table(rows("arm"))]),
        section("change", "Answers before and after", vec![change_table(rows("arm"))]),
        section("judges", "Judges, places and orders", vec![order_table(rows("arm")), judge_table(rows("arm"))]),
        section("ratings", "Ratings of arms", vec![rating_table("arm", rows("rating"))]),
        section("debaters", "Ratings of models as debaters", vec![rating_table("model", rows("debater"))]),
    ];
    sections.retain(|section| !section.tables.is_empty());
    sections
}

fn build_table(title: &str, columns: Vec<FigureColumn>, rows: Vec<FigureGroup>) -> FigureTable {
    FigureTable { title: title.to_owned(), head: "arm", columns, rows, notes: Vec::new() }
}

/// The interval that holds comes first: over clusters, where items share some.
fn accuracy_table(report: &EvaluationReport, rows: Vec<FigureGroup>) -> FigureTable {
    let ended = column_per_medium("ended_well", ("availability", Share), ("ended", Hits));
    let undecided = page_column("undecided", "no answer", Digits(0));
    let notes = vec![
        "Wilson: an interval of a share that takes every observation as independent. Clusters: an interval over groups \
         of items that belong together, drawn many times at random."
            .to_owned(),
    ];
    if report.is_clustered() {
        let columns = vec![
            column_per_medium("accuracy_all_clustered", ("all (clusters)", Percent), ("all", Percent)),
            column_per_medium("accuracy_all", ("all (Wilson)", Share), ("Wilson", Ends)),
            terminal_column("accuracy_all", "right", Hits),
            column_per_medium("accuracy_ended_clustered", ("ended well (clusters)", Percent), ("ended well", Percent)),
            ended,
            undecided,
        ];
        let title = "Accuracy over clusters (others wrong; Wilson; others missing)";
        return FigureTable { notes, ..build_table(title, columns, rows) };
    }
    let columns = vec![
        column_per_medium("accuracy_all", ("all (Wilson)", Share), ("all", Share)),
        column_per_medium("accuracy_all_clustered", ("all (clusters)", Percent), ("clusters", Ends)),
        column_per_medium("accuracy_ended", ("ended well (Wilson)", Share), ("ended well", Share)),
        ended,
        undecided,
    ];
    FigureTable { notes, ..build_table("Accuracy (others wrong; over clusters; others missing)", columns, rows) }
}

/// One table, or one for each way of counting observations that did not end well, where these differ.
fn difference_tables(report: &EvaluationReport, rows: &[FigureGroup]) -> Vec<FigureTable> {
    let note = "b:c: how many items the first arm alone had right, and how many the second alone. p: how probable so \
                uneven a count is by chance (McNemar). Holm: the same p, raised because several pairs are compared.";
    let of = |part: &str, title: &str| {
        let figure = |name: &str| format!("{name}_{part}");
        let columns = vec![
            shared_column(&figure("difference"), "points", Points),
            count_pair_column(&figure("mcnemar_b"), &figure("mcnemar_c"), "b:c"),
            shared_column(&figure("mcnemar_p"), "p", P),
            shared_column(&figure("holm_p"), "Holm", P),
            page_column("token_ratio", "tokens", Digits(2)),
            page_column(&figure("items_needed"), "items needed", Quantity),
        ];
        let notes = if part == "all" { vec![note.to_owned()] } else { Vec::new() };
        FigureTable { head: "arms", notes, ..build_table(title, columns, rows.to_vec()) }
    };
    if report.comparisons.iter().all(|comparison| comparison.ended.pairs == comparison.all.pairs) {
        return vec![of("all", "Differences on the same items")];
    }
    vec![
        of("all", "Differences on the same items (others wrong)"),
        of("ended", "Differences on the same items (others missing)"),
    ]
}

fn cost_table(report: &EvaluationReport, mut rows: Vec<FigureGroup>) -> FigureTable {
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
        shared_column("calls_mean", "calls", Quantity),
        page_column("input_tokens_mean", "read", Quantity),
        terminal_column("tokens_mean", "tokens", Quantity),
        shared_column("cached_tokens_mean", "cached", Quantity),
        page_column("output_tokens_mean", "written", Quantity),
        shared_column("money_mean", "money", Money),
        page_column("money_sum", "in all", Money),
        column_per_medium("money_per_right", ("a right answer", Money), ("a right one", Money)),
        shared_column("seconds_mean", "seconds", Quantity),
        terminal_column("front", "front", Yes),
    ];
    build_table(title, columns, rows)
}

fn probability_table(rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        page_column("calibration_error", "n", N),
        shared_column("brier", "Brier (0 to 2)", Digits(3)),
        column_per_medium("log_score", ("log score (nats)", Digits(3)), ("log score", Digits(3))),
        page_column("clipped", "clipped", Digits(0)),
        column_per_medium("calibration_error", ("calibration error", Digits(3)), ("ECE", Digits(3))),
        shared_column("overconfidence", "too sure by", Points),
    ];
    let mut table = build_table("Probabilities", columns, rows).without_unknown_rows();
    let note = |row: &FigureGroup| {
        let note = row.figure_named("calibration_error").note;
        (!note.is_empty()).then(|| format!("{}: {note}", row.name))
    };
    table.notes = table.rows.iter().filter_map(note).collect();
    table
}

fn change_table(rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        shared_column("rescued", "rescued of the wrong", Share),
        shared_column("destroyed", "destroyed of the right", Share),
        page_column("net_change", "net points", Points),
        shared_column("change_p", "p", P),
    ];
    build_table("Answers before and after", columns, rows).without_unknown_rows()
}

fn order_table(rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        column_per_medium("side_prior", ("opener won", Share), ("opener won", BriefShare)),
        page_column("gold_first", "gold opened", Share),
        column_per_medium("followed_side", ("mirrors: same side won", Share), ("mirrors: side", BriefShare)),
        column_per_medium("first_shown", ("first shown won", Share), ("first shown won", BriefShare)),
        column_per_medium("flips", ("flips", Share), ("flips", BriefShare)),
    ];
    build_table("Places and orders", columns, rows).without_unknown_rows()
}

fn judge_table(rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        shared_column("judges", "judges", Digits(0)),
        page_column("unanimous", "unanimous", Share),
        shared_column("alpha", "alpha", Digits(2)),
        column_per_medium("effective_votes", ("effective votes", Digits(2)), ("effective", Digits(2))),
        page_column("own_family_margin", "own family", Digits(2)),
        column_per_medium("own_family_beyond_others", ("beyond others", Digits(2)), ("own family", Digits(2))),
        column_per_medium("verified", ("quote checked", Share), ("checked", BriefShare)),
    ];
    build_table("Judges", columns, rows).without_unknown_rows()
}

fn rating_table(head: &'static str, rows: Vec<FigureGroup>) -> FigureTable {
    let columns = vec![
        shared_column("bradley_terry", "log strength", Digits(2)),
        count_pair_column("wins", "losses", "won:lost"),
        page_column("bradley_terry", "", Note),
    ];
    // Other tables count what did not end well as wrong, too; so this one says that it does not.
    let (title, note) = match head {
        "arm" => ("Bradley-Terry, arms (items that both ended well)", "Items of which both observations ended well."),
        _ => ("Bradley-Terry, debaters (debates that ended well)", "Debates that ended well."),
    };
    FigureTable { head, notes: vec![note.to_owned()], ..build_table(title, columns, rows) }
}
