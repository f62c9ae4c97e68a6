//! A new password: read from a file, typed twice, or generated. Never from the command line, which
//! every process of the machine can read.

use crate::installation::cli_error::{CliError, refuse};
use crate::installation::credentials::random_password;
use crate::installation::files::read;
use console::Term;
use shared::user_names::check_password;
use std::path::{Path, PathBuf};

/// Source of the password; without either option it is prompted for.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct NewPassword {
    /// Read the password from a file
    #[arg(long, value_name = "FILE", conflicts_with = "generate")]
    password_file: Option<PathBuf>,
    /// Generate a password and print it once
    #[arg(long)]
    generate: bool,
}

/// A valid new password.
pub struct Password {
    /// The password itself.
    pub text: String,
    generated: bool,
}

impl NewPassword {
    /// The source given by other options.
    pub fn given(password_file: Option<PathBuf>, generate: bool) -> Self {
        Self { password_file, generate }
    }

    /// Returns the password if it is valid for this user.
    pub fn read(&self, user_name: &str) -> Result<Password, CliError> {
        let text = match &self.password_file {
            _ if self.generate => random_password(),
            Some(path) => from_file(path)?,
            None => prompt()?,
        };
        check(&text, user_name)?;
        Ok(Password { text, generated: self.generate })
    }
}

impl Password {
    /// A password that was typed.
    pub fn typed(text: String) -> Self {
        Self { text, generated: false }
    }

    /// True if it was generated, so that no one knows it yet.
    pub fn generated(&self) -> bool {
        self.generated
    }

    /// The message after it was set, with the password if it was generated.
    pub fn message(&self, message: &str) -> String {
        match self.generated {
            true => format!("{message}\npassword  {}\nShown only once.", self.text),
            false => message.to_owned(),
        }
    }
}

/// Reads the only line of a file, whatever its line ending.
fn from_file(path: &Path) -> Result<String, CliError> {
    let text = read(path).map_err(CliError)?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    match line.contains('\n') {
        true => refuse(format!("{} has more than one line", path.display())),
        false => Ok(line.to_owned()),
    }
}

fn prompt() -> Result<String, CliError> {
    let terminal = Term::stderr();
    if !terminal.is_term() {
        return refuse(
            "there is no terminal to prompt for the password: pass --password-file or --generate",
        );
    }
    let line = |prompt: &str| {
        let read = terminal.write_str(prompt).and_then(|()| terminal.read_secure_line());
        read.map_err(|error| CliError(format!("cannot prompt for the password: {error}")))
    };
    let first = line("New password: ")?;
    match first == line("Repeat the password: ")? {
        true => Ok(first),
        false => refuse("the passwords do not match; nothing was changed"),
    }
}

/// Refuses a password that is too short, too long, or contains the user name.
pub fn check(password: &str, user_name: &str) -> Result<(), CliError> {
    check_password(password, user_name).map_err(|fault| CliError(format!("the password {fault}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_one_line_however_it_ends() {
        let folder = std::env::temp_dir().join(random_password());
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("word");
        for text in ["two words ", "two words \n", "two words \r\n", "\u{feff}two words "] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(from_file(&path).as_deref(), Ok("two words "));
        }
        std::fs::write(&path, "one\ntwo\n").unwrap();
        assert!(from_file(&path).expect_err("two lines").to_string().contains("one line"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(from_file(&path).expect_err("gone").to_string().contains("cannot read"));
    }

    #[test]
    fn a_password_that_was_made_up_is_fit_and_shown() {
        let generated =
            NewPassword { generate: true, ..NewPassword::default() }.read("jo").unwrap();
        assert!(generated.message("done").contains(&generated.text));
        let typed = Password { text: "correct horse".to_owned(), generated: false };
        assert_eq!(typed.message("done"), "done");
    }
}
