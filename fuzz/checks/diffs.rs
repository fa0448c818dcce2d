//! What must hold of every text that is read as a diff: each file of it, printed as a text of its own, is read as the same file,
//! and the numbers of its lines follow each other.

use agon_material::diff::{as_diff, read_diff};

/// Reads `bytes` as a diff, and panics where that does not hold.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let plain = as_diff(&text);
    for text in [Some(&*text), plain.as_deref()].into_iter().flatten() {
        let Ok(files) = read_diff(text) else { continue };
        for file in &files {
            let printed = file.to_string();
            let again = read_diff(&printed);
            assert_eq!(again.as_deref(), Ok(std::slice::from_ref(file)), "{printed:?}");
            for hunk in &file.hunks {
                let old: Vec<u32> = hunk.lines.iter().filter_map(|line| line.old).collect();
                let new: Vec<u32> = hunk.lines.iter().filter_map(|line| line.new).collect();
                assert!(old.iter().zip(hunk.old_first..).all(|(number, wanted)| *number == wanted), "{old:?}");
                assert!(new.iter().zip(hunk.new_first..).all(|(number, wanted)| *number == wanted), "{new:?}");
            }
        }
    }
}
