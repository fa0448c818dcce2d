//! Tables as sentences: each row is a line in which every cell stands behind the heading of its column, so
//! that a figure is read with what it is about.

use serde_json::Value;

/// Maximum number of rows, columns and characters of what is read as a table; what is beyond is left as it is.
const ROWS_MAX: usize = 20_000;
const COLUMNS_MAX: usize = 200;
const CHARS_MAX: usize = 4_000_000;
/// Longest cell of a table of data; a page that is laid out by a table has longer ones.
const CELL_CHARS_MAX: usize = 300;

/// A cell.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// Its words.
    pub text: String,
    /// Whether it is a heading.
    pub is_heading: bool,
    /// Columns and rows that it takes.
    pub columns: usize,
    /// See `columns`.
    pub rows: usize,
}

/// A table, row by row.
#[derive(Debug, Clone, Default)]
pub struct PageTable {
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

impl PageTable {
    /// The table as lines, one for each row of a table of data.
    pub fn render_lines(self) -> String {
        let cells = self.rows.iter().flatten();
        let is_short = cells.clone().all(|cell| cell.text.chars().take(CELL_CHARS_MAX + 1).count() <= CELL_CHARS_MAX);
        let grid = expand_grid(self.rows);
        let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
        if !is_short || columns < 2 || grid.is_empty() {
            return grid.iter().flatten().map(|cell| format!("\n{}\n", cell.text)).collect();
        }
        let head = find_heading(&grid, columns);
        let mut lines = String::new();
        if let Some(head) = head {
            lines.push_str(&format!("\n{}\n", clean_cell_words(head).collect::<Vec<_>>().join(" | ")));
        }
        for row in grid.iter().skip(usize::from(head.is_some())) {
            let parts: Vec<String> = match head {
                // A row that does not fit says nothing of columns.
                Some(head) if head.len() == row.len() => clean_cell_words(head)
                    .zip(clean_cell_words(row))
                    .filter(|(_, cell)| !cell.is_empty())
                    .map(|(head, cell)| if head.is_empty() { cell } else { format!("{head}: {cell}") })
                    .collect(),
                None if columns == 2 && row.len() == 2 => vec![clean_cell_words(row).collect::<Vec<_>>().join(": ")],
                _ => clean_cell_words(row).filter(|cell| !cell.is_empty()).collect(),
            };
            if !parts.is_empty() {
                lines.push_str(&format!("\n{}\n", parts.join("; ")));
            }
        }
        lines
    }
}

/// The words of cells, with nothing in them that parts cells.
fn clean_cell_words(row: &[Cell]) -> impl Iterator<Item = String> + '_ {
    row.iter().map(|cell| {
        let narrow = |c: char| matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2007}');
        let words = cell.text.split(|c: char| c.is_whitespace() && !narrow(c)).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ").replace(';', ",").trim_end_matches(':').to_owned()
    })
}

/// Every cell at each place that it takes, while there is room for copies.
fn expand_grid(rows: Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
    // Cells that reach down: column, rows left, cell.
    let mut hanging: Vec<(usize, usize, Cell)> = Vec::new();
    let mut grid = Vec::new();
    let mut room = CHARS_MAX;
    for row in rows.into_iter().take(ROWS_MAX) {
        let mut made: Vec<Cell> = Vec::new();
        let mut next: Vec<(usize, usize, Cell)> = Vec::new();
        let mut hang = |made: &mut Vec<Cell>, next: &mut Vec<(usize, usize, Cell)>, room: &mut usize| {
            while let Some(at) = hanging.iter().position(|(column, ..)| *column == made.len()) {
                let (column, left, cell) = hanging.remove(at);
                let Some(copy) = copy_cell(&cell, room) else { break };
                made.push(copy);
                if left > 1 {
                    next.push((column, left - 1, cell));
                }
            }
        };
        for cell in row {
            hang(&mut made, &mut next, &mut room);
            let places = cell.columns.clamp(1, COLUMNS_MAX).min(COLUMNS_MAX.saturating_sub(made.len()));
            let copies: Vec<Cell> = (1..places).map_while(|_| copy_cell(&cell, &mut room)).collect();
            let rows_left = cell.rows.min(ROWS_MAX).saturating_sub(1);
            for placed in (places > 0).then_some(cell).into_iter().chain(copies) {
                if rows_left > 0 {
                    next.extend(copy_cell(&placed, &mut room).map(|copy| (made.len(), rows_left, copy)));
                }
                made.push(placed);
            }
        }
        hang(&mut made, &mut next, &mut room);
        hanging = next;
        if made.iter().any(|cell| !cell.text.trim().is_empty()) {
            grid.push(made);
        }
    }
    grid
}

/// A copy of `cell` for a further place that it takes; none where there is no `room`. A long text stands once: tables
/// within tables would grow by each of their columns.
fn copy_cell(cell: &Cell, room: &mut usize) -> Option<Cell> {
    let is_short = cell.text.chars().take(CELL_CHARS_MAX + 1).count() <= CELL_CHARS_MAX;
    let text = if is_short { cell.text.clone() } else { String::new() };
    *room = room.checked_sub(text.len() + size_of::<Cell>())?;
    Some(Cell { text, is_heading: cell.is_heading, columns: cell.columns, rows: cell.rows })
}

/// The first row, where it names the columns.
fn find_heading(grid: &[Vec<Cell>], columns: usize) -> Option<&[Cell]> {
    let (first, rest) = grid.split_first()?;
    let has_digits = |cell: &Cell| cell.text.contains(|c: char| c.is_numeric());
    let is_marked = first.iter().all(|cell| cell.is_heading || cell.text.trim().is_empty());
    let is_plain = !first.iter().any(has_digits) && rest.iter().flatten().any(has_digits);
    (!rest.is_empty() && first.len() == columns && (is_marked || is_plain)).then_some(first)
}

/// Comma-separated values and their like; `None` where `text` is none.
pub fn read_separated_values(text: &str, is_declared: bool) -> Option<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(10).collect();
    let first = lines.first()?;
    let count = |line: &str, mark: char| line.matches(mark).count();
    let mark = ['\t', ';', ','].into_iter().find(|mark| {
        let wanted = count(first, *mark);
        // Commas of prose have blanks behind them.
        let is_prose = *mark != '\t' && lines.iter().any(|line| line.contains(&format!("{mark} ")));
        wanted > 0
            && (is_declared || lines.len() > 1 && !is_prose && lines.iter().all(|line| count(line, *mark) == wanted))
    })?;
    Some(join_lines(&PageTable { rows: split_records(text, mark) }.render_lines()))
}

/// Lines of fields, quotation marks observed.
fn split_records(text: &str, mark: char) -> Vec<Vec<Cell>> {
    let (mut rows, mut row, mut field, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    let cell = |field: &mut String| Cell { text: std::mem::take(field), ..Cell::default() };
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            '"' if is_quoted || field.trim().is_empty() => is_quoted = !is_quoted,
            c if c == mark && !is_quoted => row.push(cell(&mut field)),
            '\n' if !is_quoted => {
                row.push(cell(&mut field));
                rows.push(std::mem::take(&mut row));
                if rows.len() >= ROWS_MAX {
                    return rows;
                }
            }
            '\r' if !is_quoted => {}
            c => field.push(c),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(cell(&mut field));
        rows.push(row);
    }
    rows
}

/// JSON: each innermost object is a row; `None` where `text` is not JSON.
pub fn read_json(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let mut lines = String::new();
    collect_object_rows(&value, &mut Vec::new(), &mut lines);
    Some(join_lines(&lines))
}

fn collect_object_rows(value: &Value, path: &mut Vec<String>, lines: &mut String) {
    if lines.len() > CHARS_MAX {
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_object_rows(item, path, lines)),
        Value::Object(fields) => {
            let name = |key: &str| key.replace(['_', '-'], " ").replace(['\n', ';'], " ");
            let plain = fields.iter().filter_map(|(key, value)| {
                let shown = match value {
                    Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" ").replace(';', ","),
                    Value::Number(number) => number.to_string(),
                    Value::Bool(is) => is.to_string(),
                    _ => return None,
                };
                Some(format!("{}: {shown}", name(key)))
            });
            let parts: Vec<String> = path.iter().cloned().chain(plain).collect();
            if parts.len() > path.len() {
                lines.push_str(&format!("\n{}\n", parts.join("; ")));
            }
            for (key, value) in fields.iter().filter(|(_, value)| value.is_object() || value.is_array()) {
                path.push(name(key));
                collect_object_rows(value, path, lines);
                path.pop();
            }
        }
        Value::Null => {}
        other => lines.push_str(&format!("\n{}; {other}\n", path.join("; "))),
    }
}

fn join_lines(lines: &str) -> String {
    let mut text = lines.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n\n");
    if let Some((end, _)) = text.char_indices().nth(CHARS_MAX) {
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_with_the_headings_of_their_columns() {
        for (page, wanted) in [
            (read_separated_values("year,n\n2021,6573\n", true), Some("year | n\n\nyear: 2021; n: 6573")),
            (
                read_separated_values("Jahr;Anteil\n2021;\"12,5\"\n", false),
                Some("Jahr | Anteil\n\nJahr: 2021; Anteil: 12,5"),
            ),
            (read_separated_values("a\tb\n\"x; y\"\t3\n", false), Some("a | b\n\na: x, y; b: 3")),
            (read_separated_values("It rained, then it stopped.\nIt snowed, too, all day.\n", false), None),
            (read_json("{\"rows\":[{\"city\":\"Halden\",\"rain_mm\":3}]}"), Some("rows; city: Halden; rain mm: 3")),
        ] {
            assert_eq!(page.as_deref(), wanted);
        }
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert!(read_json(&deep).is_some());
    }

    #[test]
    fn cells_that_take_several_places_stand_at_each() {
        let cell = |text: &str, columns, rows| Cell { text: text.into(), is_heading: false, columns, rows };
        let table = PageTable {
            rows: vec![
                vec![cell("Land", 1, 1), cell("Jahr", 1, 1), cell("Wert", 1, 1)],
                vec![cell("Norge", 1, 2), cell("2020", 1, 1), cell("3", 1, 1)],
                vec![cell("2021", 1, 1), cell("4", 1, 1)],
            ],
        };
        assert!(table.render_lines().contains("Land: Norge; Jahr: 2021; Wert: 4"));
    }

    #[test]
    fn wide_cells_within_wide_cells_do_not_multiply() {
        let mut text = "x".to_owned();
        for _ in 0..8 {
            let cell = |rows| Cell { text: text.clone(), is_heading: false, columns: 65_535, rows };
            let rows = std::iter::repeat_with(Vec::new).take(1_000);
            let table = PageTable { rows: std::iter::once(vec![cell(1), cell(65_535)]).chain(rows).collect() };
            text = table.render_lines();
            assert!(text.len() < CHARS_MAX, "{}", text.len());
        }
    }
}
