//! `argument-graph.mmd`: the attacks and defences of a debate, as a Mermaid diagram.

use agon_protocols::exchange::argument::{Engagement, Side};

use super::{argument::ArgumentFile, frontmatter::Document};

const HEAD: [&str; 8] =
    ["---", "config:", "  layout: elk", "  elk:", "    nodePlacementStrategy: NETWORK_SIMPLEX", "---", "graph TD", ""];
/// From this score on an argument's border is thick.
const STRONG: f64 = 0.75;
/// Characters of the claim that stand for a missing title.
const CLAIM_CHARS: usize = 50;

/// An argument as the diagram shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// For example `prop_000a`.
    pub id: String,
    /// Whose.
    pub side: Side,
    /// Which exchange it is from, where its file says so.
    pub exchange: Option<u64>,
    /// What stands in the box.
    pub title: String,
    /// Target and type of each attack.
    pub attacks: Vec<(String, String)>,
    /// Target and type of each defence.
    pub defends: Vec<(String, String)>,
}

impl Node {
    /// Out of the frontmatter of an argument file; what is missing there is empty, but the claim's beginning
    /// stands for a title.
    pub fn from_frontmatter(file: &Document) -> Self {
        let text = |key: &str| file.find_text(key).unwrap_or_default().to_owned();
        let edges = |key: &str| {
            let listed = file.front.get(key).and_then(|list| list.as_array()).into_iter().flatten();
            let edge = listed.map(|edge| ["target_id", "type"].map(|key| edge[key].as_str().unwrap_or_default()));
            edge.map(|[target, kind]| (target.to_owned(), kind.to_owned())).collect()
        };
        Self {
            id: text("id"),
            side: if text("side") == Side::Opposition.prefix() { Side::Opposition } else { Side::Proposition },
            exchange: file.find_number("exchange"),
            title: match file.front.contains_key("title") {
                true => text("title"),
                false => text("claim").chars().take(CLAIM_CHARS).chain("...".chars()).collect(),
            },
            attacks: edges("attacks"),
            defends: edges("defends"),
        }
    }

    /// The same with its texts guarded: no title can end its box, open another or change how the
    /// diagram is drawn; nor can what an edge is called or where it goes, which files of other programs
    /// are free to say.
    pub fn escape_texts(self) -> Self {
        let edges = |edges: Vec<(String, String)>| {
            let edge =
                |(target, kind): (String, String)| (escape_name(&target), escape_label(&kind).replace('|', "#124;"));
            edges.into_iter().map(edge).collect()
        };
        Self { title: escape_label(&self.title), attacks: edges(self.attacks), defends: edges(self.defends), ..self }
    }
}

impl From<&ArgumentFile> for Node {
    fn from(file: &ArgumentFile) -> Self {
        let argument = &file.argument;
        let edges = |engagements: &[Engagement]| {
            let named = engagements.iter().filter(|e| !e.target_id.is_empty());
            named.map(|e| (e.target_id.clone(), e.kind.clone())).collect()
        };
        Self {
            id: file.id.clone(),
            side: file.side,
            exchange: Some(file.exchange.into()),
            title: argument.title.clone(),
            attacks: edges(&argument.attacks),
            defends: edges(&argument.defends),
        }
    }
}

/// The diagram of `nodes`, in the order of their ids; `score` gives current scores.
pub fn render_diagram(mut nodes: Vec<Node>, score: impl Fn(&str) -> Option<f64>) -> String {
    nodes.sort_by(|a, b| a.id.cmp(&b.id));
    let mut lines: Vec<String> = HEAD.map(str::to_owned).into();
    let mut edges: Vec<(String, &str)> = Vec::new();
    for node in &nodes {
        let Node { id, side, title, attacks, defends, .. } = node;
        let score = score(id).unwrap_or(0.0);
        let (fill, stroke) = side.pick([("#1B5E20", "#4CAF50"), ("#B71C1C", "#F44336")]);
        let width = if score >= STRONG { "3px" } else { "2px" };
        lines.push(format!(r#"    {id}["{id}<br/>{title}<br/>⭐ {score:.2}"]"#));
        lines.push(format!("    style {id} fill:{fill},stroke:{stroke},stroke-width:{width},color:#FFFFFF"));
        for (target, kind) in attacks {
            let kind = kind.strip_suffix("_attack").unwrap_or(kind);
            edges.push((format!("    {id} -->|⚔️ {kind}| {target}"), "#ff9800"));
        }
        for (target, kind) in defends {
            let arrow = if kind == "concede_and_pivot" { "-.->|↩️" } else { "-->|🛡️" };
            edges.push((format!("    {id} {arrow} {kind}| {target}"), "#2196F3"));
        }
    }
    let (drawn, colors): (Vec<String>, Vec<&str>) = edges.into_iter().unzip();
    let gap = (!drawn.is_empty()).then(String::new);
    let styles = colors.into_iter().enumerate();
    let styles = styles.map(|(i, color)| format!("    linkStyle {i} stroke:{color},stroke-width:2px"));
    lines.extend([String::new()].into_iter().chain(drawn).chain(gap).chain(styles));
    lines.join("\n") + "\n"
}

/// A node that is named without quotes.
fn escape_name(target: &str) -> String {
    target.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

/// A text within a quoted label, on one line.
fn escape_label(text: &str) -> String {
    let text = text.lines().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().filter(|c| !agon_text::is_unprintable(*c)).collect();
    let text = text.replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;");
    // A page that does not draw the diagram shows no picture of a title's choosing either.
    text.replace("%%{", "%%#123;").replace('`', "#96;").replace("](", "]#40;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_an_argument_says_leaves_its_place_in_the_diagram() {
        let evil = "x\"]\n```\n# Heading\n%%{init: {}}%%".to_owned();
        let node = Node {
            id: "prop_000a".into(),
            side: Side::Proposition,
            exchange: None,
            title: evil.clone(),
            attacks: vec![(evil.clone(), "a| b\n```\nclick".into()), ("opp_000a".into(), "claim_attack".into())],
            defends: vec![("prop_000b; style x".into(), "reinforce".into())],
        };
        let drawn = render_diagram(vec![node.escape_texts()], |_| None);
        assert!(!drawn.contains('`') && !drawn.contains("%%{"), "{drawn}");
        let body: Vec<&str> = drawn.lines().skip(HEAD.len()).filter(|line| !line.is_empty()).collect();
        assert_eq!(body.len(), 2 + 3 + 3, "a node, three edges, and their styles: {drawn}");
        assert!(body.iter().all(|line| line.starts_with("    ")), "{drawn}");
        assert!(drawn.contains("    prop_000a -->|⚔️ claim| opp_000a\n"), "{drawn}");
        assert!(drawn.contains("| prop_000b__style_x\n"), "{drawn}");
    }
}
