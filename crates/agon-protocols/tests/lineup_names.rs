//! Names of members, as people of any script write them.

use agon_protocols::common::lineup::check_name;

#[test]
fn names_of_every_script_are_names() {
    let names = ["市の担当者・小野寺", "Gal·la", "O'Neill", "Jean‑Luc", "ד״ר כהן", "Śrī Lāl", "นายสม", "Dr. Ada 2"];
    for name in names {
        assert_eq!(check_name(name, [], &[]), Ok(()), "{name}");
    }
    for name in ["", "2 Ada", "Ada, the second", "Ada:", "A(b)", "<b>", "Ada\n", "host"] {
        assert!(check_name(name, [], &[]).is_err(), "{name}");
    }
}
