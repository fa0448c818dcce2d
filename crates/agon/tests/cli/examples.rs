//! The debates under `examples/`: records of real models that every later version must be able to
//! follow.

use std::path::Path;

use crate::room::Room;

#[test]
fn kept_debates_are_followed_for_ever() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut followed = 0;
    for example in std::fs::read_dir(examples).unwrap() {
        let record = example.unwrap().path().join("record.jsonl");
        if !record.is_file() {
            continue;
        }
        let room = Room::new();
        let name = record.display().to_string();
        assert_eq!(room.json(&["check", &name])["sound"], true, "{name}");
        // Its files are what this version draws from it.
        let imported = room.json(&["import", "record", &name]);
        let id = imported["debate"].as_str().unwrap();
        assert_eq!(room.agon(&["export", id, "--out", "again"]).code, 0);
        for (file, content) in room.files("again") {
            let kept = std::fs::read_to_string(record.with_file_name(&file)).unwrap();
            assert_eq!(kept, content, "{name}: {file}");
        }
        followed += 1;
    }
    assert!(followed > 0, "there is at least one kept debate");
}
