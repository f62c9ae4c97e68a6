//! Settings, read from environment variables, optionally on top of a file, and from nowhere else.
//! Everything that is missing or wrong is reported together, before anything starts.

use crate::database;
use crate::text_file;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Suffix of a setting's name: the value is in this file.
const FROM_FILE: &str = "_FILE";

/// A setting, as `--help` lists it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The environment variable.
    pub name: &'static str,
    /// Default value; `None` if the setting is required.
    pub default: Option<&'static str>,
    /// What it does, with units.
    pub help: &'static str,
}

/// Lists settings like constants: the doc comment is the help, and a setting without a value is
/// required.
#[macro_export]
macro_rules! define_settings {
    ($($(#[doc = $help:literal])* $name:ident $(= $default:literal)?;)*) => {
        &[$($crate::settings::Setting {
            name: stringify!($name),
            default: $crate::define_settings!(@default $($default)?),
            help: concat!($($help),*).trim_ascii_start(),
        }),*]
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

/// The settings of one server, and everything found wrong with them.
#[derive(Debug)]
pub struct Settings {
    definitions: &'static [Setting],
    values: BTreeMap<String, String>,
    faults: Vec<String>,
}

impl Settings {
    /// Reads the environment, on top of the `NAME=value` lines of the file, if given.
    pub fn read(definitions: &'static [Setting], env_file: Option<&Path>) -> Self {
        let mut settings = Self { definitions, values: BTreeMap::new(), faults: Vec::new() };
        if let Some(path) = env_file {
            settings.read_file(path);
        }
        for setting in definitions {
            let file = format!("{}{FROM_FILE}", setting.name);
            if let Ok(path) = std::env::var(&file) {
                settings.read_value(setting.name, &file, Path::new(&path));
            }
            if let Ok(value) = std::env::var(setting.name) {
                settings.values.insert(setting.name.to_owned(), value);
            }
        }
        settings
    }

    /// Reads a value from a file: secrets are often passed as files, and `NAME_FILE` names the one
    /// with the value.
    fn read_value(&mut self, name: &str, setting: &str, path: &Path) {
        match text_file::read(path) {
            Ok(text) => drop(self.values.insert(name.to_owned(), text.trim().to_owned())),
            Err(error) => self.faults.push(format!("{setting}={}: {error}", path.display())),
        }
    }

    fn read_file(&mut self, path: &Path) {
        let text = match text_file::read(path) {
            Ok(text) => text,
            Err(error) => {
                return self.faults.push(format!("cannot read {}: {error}", path.display()));
            }
        };
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let is_known = |name: &str| self.definitions.iter().any(|setting| setting.name == name);
            match line.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
                Some((name, value)) if is_known(name) => {
                    self.values.insert(name.to_owned(), value.to_owned());
                }
                Some((name, value)) if name.strip_suffix(FROM_FILE).is_some_and(is_known) => {
                    self.read_value(name.trim_end_matches(FROM_FILE), name, Path::new(value));
                }
                Some((name, _)) => self.faults.push(format!(
                    "{} line {}: unknown setting {}",
                    path.display(),
                    number + 1,
                    name
                )),
                None => self.faults.push(format!(
                    "{} line {}: expected NAME=value",
                    path.display(),
                    number + 1
                )),
            }
        }
    }

    /// Sets a value, whatever the file and the environment say.
    pub fn set(&mut self, name: &str, value: &str) {
        self.values.insert(name.to_owned(), value.to_owned());
    }

    /// Returns the value of a setting, or its default.
    pub fn text(&mut self, name: &'static str) -> String {
        self.optional(name).unwrap_or_else(|| {
            self.faults.push(format!("{name} is not set"));
            String::new()
        })
    }

    /// Returns the value of an optional setting.
    pub fn optional(&self, name: &'static str) -> Option<String> {
        let default = || self.definitions.iter().find(|setting| setting.name == name)?.default;
        let value = self.values.get(name).map(String::as_str).or_else(default)?;
        if value.is_empty() { None } else { Some(value.to_owned()) }
    }

    /// Returns a setting with a parsed value: a number, an address, or anything else with a text
    /// form.
    pub fn parsed<T: FromStr<Err: Display> + Default>(&mut self, name: &'static str) -> T {
        let text = self.text(name);
        if text.is_empty() {
            return T::default();
        }
        text.parse().unwrap_or_else(|error| {
            self.faults.push(format!("{name}={text}: {error}"));
            T::default()
        })
    }

    /// Returns a whole number within limits.
    pub fn within(&mut self, name: &'static str, range: std::ops::RangeInclusive<u64>) -> u64 {
        let number: u64 = self.parsed(name);
        if !range.contains(&number) {
            let (min, max) = (range.start(), range.end());
            self.faults.push(format!("{name}={number}: must be {min} to {max}"));
        }
        number
    }

    /// Returns a duration in seconds, within limits.
    pub fn seconds(
        &mut self,
        name: &'static str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Duration {
        Duration::from_secs(self.within(name, range))
    }

    /// Returns a database URL.
    pub fn database_url(&mut self, name: &'static str) -> String {
        let url = self.text(name);
        if !url.is_empty()
            && let Err(why) = database::url::check(&url)
        {
            self.faults.push(format!("{name}: {why}"));
        }
        url
    }

    /// Returns a listen address.
    pub fn address(&mut self, name: &'static str) -> std::net::SocketAddr {
        let text = self.text(name);
        text.parse().unwrap_or_else(|error| {
            if !text.is_empty() {
                self.faults.push(format!("{name}={text}: {error}"));
            }
            std::net::SocketAddr::from(([127, 0, 0, 1], 0))
        })
    }

    /// Returns the path of a file, which must be readable.
    pub fn file(&mut self, name: &'static str) -> PathBuf {
        let path = PathBuf::from(self.text(name));
        if path.as_os_str().is_empty() {
            return path;
        }
        if let Err(error) = std::fs::File::open(&path) {
            self.faults.push(format!("{name}={}: {error}", path.display()));
        }
        path
    }

    /// Adds a fault that only the server itself can detect.
    pub fn fault(&mut self, text: String) {
        self.faults.push(text);
    }

    /// Returns the configuration, or everything that is wrong, one line each.
    pub fn finish<T>(self, config: T) -> Result<T, String> {
        if self.faults.is_empty() { Ok(config) } else { Err(self.faults.join("\n")) }
    }
}

/// Returns the settings as `--help` lists them.
pub fn list(settings: &[Setting]) -> String {
    let mut text = String::from(
        "Settings (environment variables; NAME_FILE=PATH reads the value of NAME from a file):\n",
    );
    for setting in settings {
        let default = match setting.default {
            Some("") => "optional".to_owned(),
            Some(default) => format!("default {default}"),
            None => "required".to_owned(),
        };
        text.push_str(&format!("  {}  [{default}]\n      {}\n", setting.name, setting.help));
    }
    text
}

/// Returns a settings file with every setting, its help and its default: the sample in `deploy/`.
pub fn sample(settings: &[Setting]) -> String {
    let mut text = String::new();
    for Setting { name, default, help } in settings {
        let line = match default {
            Some(default) => format!("#{name}={default}"),
            None => format!("{name}="),
        };
        text.push_str(&format!("# {help}\n{line}\n\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Setting] = &[
        Setting { name: "TEST_SETTING_PORT", default: Some("1"), help: "a number" },
        Setting { name: "TEST_SETTING_URL", default: None, help: "a text" },
        Setting { name: "TEST_SETTING_FILE", default: None, help: "a file" },
    ];

    #[test]
    fn a_byte_order_mark_and_line_endings_of_windows_do_not_matter() {
        let folder = std::env::temp_dir().join(format!("settings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (file, secret) = (folder.join("env"), folder.join("secret"));
        std::fs::write(&secret, b"\xef\xbb\xbfs3cret\r\n").unwrap();
        let lines = format!(
            "\u{feff}TEST_SETTING_PORT=7\r\nTEST_SETTING_URL_FILE={}\r\n",
            secret.display()
        );
        std::fs::write(&file, lines).unwrap();
        let mut settings = Settings::read(KNOWN, Some(&file));
        assert_eq!(settings.within("TEST_SETTING_PORT", 1..=10), 7);
        assert_eq!(settings.text("TEST_SETTING_URL"), "s3cret");
        settings.finish(()).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn all_invalid_settings_are_named_together() {
        let mut settings = Settings::read(KNOWN, None);
        settings.values.insert("TEST_SETTING_PORT".to_owned(), "99".to_owned());
        settings.values.insert("TEST_SETTING_FILE".to_owned(), "/no/such/file".to_owned());
        settings.within("TEST_SETTING_PORT", 1..=10);
        settings.text("TEST_SETTING_URL");
        settings.file("TEST_SETTING_FILE");
        let faults = settings.finish(()).unwrap_err();
        assert_eq!(faults.lines().count(), 3, "{faults}");
        assert!(faults.contains("TEST_SETTING_PORT=99: must be 1 to 10"));
        assert!(faults.contains("TEST_SETTING_URL is not set"));
    }
}
