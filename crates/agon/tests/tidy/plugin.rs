//! The manifests of the plugin agree with each other, with their formats, and with the version of agon.

use std::{collections::BTreeMap, fs};

use agon_core::Protocol;
use agon_protocols::{ALL, common::skill::draw_skill};
use serde_json::Value;

use crate::tidy::root;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The keys of an object are among `known`.
fn closed(path: &str, object: &Value, known: &[&str]) {
    for key in object.as_object().unwrap().keys() {
        assert!(known.contains(&key.as_str()), "{path}: the format has no field {key:?}");
    }
}

#[test]
fn the_manifests_have_the_fields_of_their_formats() {
    // Source: the schemas of Agent Plugins 1.0.0, which permit no other field.
    let own = ["$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"];
    let plugin = json("plugin/plugin.json");
    closed("plugin.json", &plugin, &own);
    closed("plugin.json", &plugin["author"], &["name", "email", "url"]);
    assert_eq!(plugin["$schema"], "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json");
    let servers = json("plugin/mcp.json");
    closed("mcp.json", &servers, &["$schema", "mcpServers"]);
    assert_eq!(servers["$schema"], "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json");
    for server in servers["mcpServers"].as_object().unwrap().values() {
        closed("mcp.json", server, &["type", "command", "args", "env", "cwd"]);
        assert_eq!(server["type"], "stdio");
    }
    closed("claude", &json("plugin/.claude-plugin/plugin.json"), &own[1..]);
    let codex = json("plugin/.codex-plugin/plugin.json");
    for key in ["skills", "mcpServers"] {
        let path = codex[key].as_str().unwrap();
        assert!(path.starts_with("./") && root().join("plugin").join(path).exists(), "{key}: {path}");
    }
    let market = json(".claude-plugin/marketplace.json");
    let source = market["plugins"][0]["source"].as_str().unwrap();
    assert!(market["owner"]["name"].is_string() && source.starts_with("./"), "{market}");
    assert!(root().join(source).join(".claude-plugin/plugin.json").is_file(), "{source}");
}

#[test]
fn the_manifests_say_the_same_and_name_this_version() {
    let all = ["plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json"];
    let first = json("plugin/plugin.json");
    for path in all {
        let one = json(&format!("plugin/{path}"));
        assert_eq!((&one["version"], &one["name"]), (&VERSION.into(), &"agon".into()), "{path}");
        assert_eq!(one["description"], first["description"], "{path}");
    }
    let start = |server: &Value| (server["command"].clone(), server["args"].clone());
    let first = start(&json("plugin/mcp.json")["mcpServers"]["agon"]);
    assert_eq!(first, ("agon".into(), serde_json::json!(["mcp"])));
    for path in [".mcp.json", "gemini-extension.json"] {
        assert_eq!(start(&json(&format!("plugin/{path}"))["mcpServers"]["agon"]), first, "{path}");
    }
}

#[test]
fn the_citation_names_this_version() {
    let citation = text("CITATION.cff");
    assert!(citation.contains(&format!("\nversion: {VERSION}\n")), "{citation}");
    let (repository, licence) = (env!("CARGO_PKG_REPOSITORY"), env!("CARGO_PKG_LICENSE"));
    assert!(citation.contains(&format!("repository-code: {repository}\n")), "{citation}");
    assert!(licence.split(" OR ").all(|one| citation.contains(&format!("  - {one}\n"))), "{citation}");
}

/// `AGON_UPDATE=1` writes the copies.
#[test]
fn the_plugin_has_the_skill_of_every_protocol() {
    let skill = |protocol: &&dyn Protocol| (format!("agon-{}", protocol.name()), draw_skill(*protocol, VERSION));
    let skills: BTreeMap<String, String> = ALL.iter().map(skill).collect();
    let folder = root().join("plugin/skills");
    for (name, text) in &skills {
        let path = folder.join(name).join("SKILL.md");
        if std::env::var_os("AGON_UPDATE").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        }
        let there = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            &there, text,
            "{name}: write it with AGON_UPDATE=1 cargo test --package agon --test integration tidy::plugin"
        );
    }
    let router = text("plugin/skills/agon/SKILL.md");
    for protocol in ALL {
        assert!(router.contains(&format!("`{}`", protocol.name())), "the skill agon does not name {}", protocol.name());
    }
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(name == "agon" || skills.contains_key(&name), "{name} is not a skill of a protocol");
    }
}
