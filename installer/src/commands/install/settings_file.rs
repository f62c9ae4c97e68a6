//! A server's settings file, edited line by line: lines that the administrator added are preserved.

use shared::settings::{self, Setting};
use std::collections::BTreeSet;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::path::Path;

/// The text of a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingsFile(String);

impl SettingsFile {
    /// Reads the file, or starts a new one with every setting, its help and its default.
    pub(super) fn read(path: &Path, definitions: &[Setting]) -> Result<Self, String> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Self(text)),
            Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => {
                Ok(Self(settings::sample(definitions)))
            }
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        }
    }

    /// The value of a setting; the last line counts, as for the servers.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.lines().filter_map(|line| assigned(line, name));
        values.next_back().filter(|value| !value.is_empty())
    }

    /// Sets a setting: in its line, in the line that shows its default, or at the end.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let mut lines: Vec<&str> = self.0.lines().collect();
        let default = format!("#{name}=");
        let index = lines
            .iter()
            .rposition(|line| assigned(line, name).is_some())
            .or_else(|| lines.iter().position(|line| line.starts_with(&default)));
        let new = format!("{name}={value}");
        match index {
            Some(index) => lines[index] = &new,
            None => lines.push(&new),
        }
        self.0 = lines.join("\n") + "\n";
    }

    /// The settings that differ from before, with both values unless they are secret.
    pub(super) fn changes(&self, before: &Self) -> Vec<String> {
        let names = self.0.lines().filter_map(|line| line.split_once('='));
        let names: BTreeSet<&str> = names.map(|(name, _)| name.trim()).collect();
        let names = names.into_iter().filter(|name| !name.starts_with('#'));
        let changed = names.filter(|name| self.get(name) != before.get(name));
        changed.map(|name| self.change(before, name)).collect()
    }

    fn change(&self, before: &Self, name: &str) -> String {
        let secret_names = ["_KEYS", "SECRET", "KEY_ID", "_DATABASE_URL"];
        if secret_names.iter().any(|part| name.contains(part)) {
            return name.to_owned();
        }
        let (old, new) = (before.get(name), self.get(name));
        format!("{name} from {} to {}", old.unwrap_or("none"), new.unwrap_or("none"))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

/// The value that this line assigns to the setting.
fn assigned<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = line.trim().split_once('=')?;
    (key.trim() == name).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Setting] = &[
        Setting { name: "PORT", default: Some("1"), help: "A port." },
        Setting { name: "URL", default: None, help: "A URL." },
    ];

    #[test]
    fn a_new_file_lists_every_setting_and_keeps_given_values() {
        let mut file = SettingsFile::read(Path::new("/no/such/file"), KNOWN).unwrap();
        assert_eq!((file.get("PORT"), file.get("URL")), (None, None));
        file.set("PORT", "2");
        file.set("URL", "https://localhost");
        file.set("MORE", "x=y");
        assert_eq!(
            file.text(),
            "# A port.\nPORT=2\n\n# A URL.\nURL=https://localhost\n\nMORE=x=y\n"
        );
        assert_eq!((file.get("PORT"), file.get("MORE")), (Some("2"), Some("x=y")));
    }

    #[test]
    fn changes_are_listed_without_secrets() {
        let before = SettingsFile("A=1\nX_MASTER_KEYS=k\n#C=1\nD=4".to_owned());
        let mut after = before.clone();
        assert_eq!(after.changes(&before), [""; 0]);
        for (name, value) in [("A", "2"), ("X_MASTER_KEYS", "l"), ("C", "3")] {
            after.set(name, value);
        }
        let expected = ["A from 1 to 2", "C from none to 3", "X_MASTER_KEYS"];
        assert_eq!(after.changes(&before), expected);
    }

    #[test]
    fn other_lines_are_kept_and_the_last_of_a_name_applies() {
        let mut file = SettingsFile("# mine\nA = 1\n#A=0\nB=2\nA=3".to_owned());
        assert_eq!(file.get("A"), Some("3"));
        file.set("A", "4");
        assert_eq!(file.text(), "# mine\nA = 1\n#A=0\nB=2\nA=4\n");
        let before = file.clone();
        file.set("A", "4");
        assert_eq!(file, before, "the same again changes nothing");
    }
}
