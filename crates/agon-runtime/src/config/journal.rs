//! Which journal is used: `AGON_JOURNAL` over the project's `journal` over the user's, else the data directory.

use agon_journal::{JournalAddress, PasswordSource};

use super::{ConfigError, Paths, check, trust};

/// The journal of this user in this project.
///
/// # Errors
///
/// Where a file or an address cannot be used.
pub fn journal_place(places: &Paths) -> Result<JournalAddress, ConfigError> {
    if let Some(address) = &places.journal {
        return JournalAddress::parse_database(address, PasswordSource::Environment).map_err(|why| ConfigError {
            path: "AGON_JOURNAL".into(),
            line: None,
            why,
        });
    }
    let user = check::read_user_config(places)?;
    let project = trust::read_project(places, &user)?;
    let of_project = project.as_ref().and_then(|project| project.config.journal.as_deref());
    // A project may come from anyone: it must not choose where debates and the user's password are sent.
    if let (Some(project), Some(_)) = (&project, of_project) {
        project.check_trust()?;
    }
    let layers = [
        (&places.project_config, of_project, PasswordSource::PasswordFile),
        (&places.user_config, user.journal.as_deref(), PasswordSource::Environment),
    ];
    for (path, address, passwords) in layers {
        let (Some(path), Some(address)) = (path, address) else { continue };
        return JournalAddress::parse_database(address, passwords).map_err(|why| ConfigError {
            path: path.clone(),
            line: check::line_of_key(path, "journal"),
            why: format!("journal: {why}"),
        });
    }
    Ok(JournalAddress::Directory(places.home.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompts::Layers;

    fn places(home: &std::path::Path, journal: Option<&str>) -> Paths {
        Paths {
            home: home.to_owned(),
            models: home.join("models"),
            user_config: Some(home.join("config.toml")),
            project_config: Some(home.join("agon.toml")),
            project: Some(home.to_owned()),
            trust: crate::config::ProcessTrust { folders: Vec::new(), is_given: true },
            prompts: Layers { user: None, project: None },
            protocols: Layers { user: None, project: None },
            journal: journal.map(str::to_owned),
        }
    }

    #[test]
    fn the_environment_stands_over_the_project_and_the_project_over_the_user() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let place = |journal| journal_place(&places(home, journal));
        assert!(matches!(place(None).unwrap(), JournalAddress::Directory(found) if found == home));
        let told = place(Some("/a/folder")).unwrap_err().to_string();
        assert!(told.starts_with("AGON_JOURNAL: ") && told.contains("AGON_HOME"), "{told}");
        let told = place(Some("postgres://ann:s3cret@db/team")).unwrap_err().to_string();
        assert!(!told.contains("s3cret"), "{told}");
        std::fs::write(home.join("config.toml"), "journal = \"/a/folder\"\n").unwrap();
        let told = place(None).unwrap_err().to_string();
        assert!(told.contains("config.toml:1: journal: "), "{told}");
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn a_project_names_a_database_but_not_a_secret() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let shown = |journal| format!("{:?}", journal_place(&places(home, journal)).unwrap());
        std::fs::write(home.join("config.toml"), "journal = \"postgres://ann@mine/a\"\n").unwrap();
        assert!(shown(None).contains("ann@mine"));
        std::fs::write(home.join("agon.toml"), "# x\njournal = \"postgres://ann@team/a\"\n").unwrap();
        assert!(shown(None).contains("ann@team"));
        assert!(shown(Some("postgres://ann@now/a")).contains("ann@now"));
        let secret = "# x\njournal = \"postgres://ann@team/a?password_env=OTHER_KEY\"\n";
        std::fs::write(home.join("agon.toml"), secret).unwrap();
        let told = journal_place(&places(home, None)).unwrap_err().to_string();
        assert!(told.contains("agon.toml:2: journal: password_env"), "{told}");
    }
}
