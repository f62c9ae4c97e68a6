//! Clients generated from the contract, and the programs of `tests/generators/` that use them. A
//! client is generated and compiled anew when the contract, its program or its generator changes;
//! otherwise it stays in place.

use crate::installed_clients::{installed, not_installed, python_program, skip};
use aws_lc_rs::digest::{SHA256, digest};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Messages of package managers whose registry is unreachable.
const REGISTRY_UNREACHABLE: [&str; 8] = [
    "Could not transfer",
    "Could not resolve",
    "Cannot access",
    "Could not find artifact",
    "failed to download",
    "failed to get",
    "download of",
    "NU1301",
];
/// Warnings about renamed things, with nothing left out. The last one is about answers without a
/// body.
const HARMLESS: [&str; 3] = [
    "Renamed to ",
    "Failed to get the schema name: null",
    // The document contains more than the Java client shows.
    "Ignoring complex example on request body",
];
/// Messages of generators about things they leave out.
const OMISSIONS: [&str; 5] =
    ["unsupported", "not supported", "unable to", "will not be generated", "removal of"];

/// A generated client, next to the program that uses it.
#[derive(Debug)]
pub struct GeneratedClient {
    tool: &'static str,
    /// The directory of the program, the client and what they are compiled to.
    pub folder: PathBuf,
}

/// The reason why a test cannot run here.
pub type MissingProgram = String;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("generators")
}

impl GeneratedClient {
    /// Generates this tool's client below `place`, and compiles it with its program.
    pub fn open(
        tool: &'static str,
        parent: &Path,
        compile: impl FnOnce(&Self) -> Result<(), MissingProgram>,
    ) -> Result<Self, MissingProgram> {
        python_program("openapi-generator-cli")?;
        let node_tool = installed().join("node_modules/.bin/openapi-typescript");
        if !node_tool.is_file() {
            return Err(not_installed(&node_tool));
        }
        let client = Self { tool, folder: parent.join(tool) };
        // Several tests use one tool's client.
        std::fs::create_dir_all(parent).expect("a folder");
        let lock = File::create(parent.join(format!("{tool}.lock"))).expect("a file");
        lock.lock().expect("a lock");
        let stamp = client.folder.join("stamp");
        let expected_hash = client.hash();
        if std::fs::read_to_string(&stamp).ok().as_ref() != Some(&expected_hash) {
            client.generate();
            compile(&client)?;
            std::fs::write(&stamp, expected_hash).expect("a stamp");
        }
        Ok(client)
    }

    /// The generated code.
    pub fn client(&self) -> PathBuf {
        self.folder.join("client")
    }

    /// A hash over everything the client depends on.
    fn hash(&self) -> String {
        let mut hashed = api_server::router::document().as_bytes().to_vec();
        let programs = files(&sources().join(self.tool));
        let tools = ["requirements.txt.installed", "package-lock.json.installed"];
        let tools = tools.map(|name| installed().join(name));
        for file in programs.into_iter().chain(tools).chain([sources().join("generate.sh")]) {
            hashed.extend(std::fs::read(&file).unwrap_or_default());
        }
        hex::encode(digest(&SHA256, &hashed))
    }

    fn generate(&self) {
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder).expect("the old client is removed");
        }
        std::fs::create_dir_all(self.client()).expect("a folder");
        for file in files(&sources().join(self.tool)) {
            std::fs::copy(&file, self.folder.join(file.file_name().expect("a name")))
                .expect("a copy");
        }
        let modules = installed().join("node_modules");
        std::os::unix::fs::symlink(modules, self.folder.join("node_modules")).expect("a link");
        let document = self.folder.join("openapi.json");
        std::fs::write(&document, api_server::router::document()).expect("the contract");
        let mut generate = self.command(&sources().join("generate.sh"));
        let output = generate.arg(self.tool).arg(document).arg(self.client()).output();
        let output = output.expect("a process");
        let printed = output_of(&output);
        assert!(output.status.success(), "{}: {printed}", self.tool);
        for line in printed.lines() {
            let warning = line.contains("WARN") || line.contains("ERROR");
            let harmless_warning = HARMLESS.iter().any(|harmless| line.contains(harmless));
            assert!(!warning || harmless_warning, "{}: {line}", self.tool);
            let lower_case = line.to_ascii_lowercase();
            assert!(
                harmless_warning || !OMISSIONS.iter().any(|word| lower_case.contains(word)),
                "{}: {printed}",
                self.tool
            );
        }
    }

    /// A command in the directory that finds the generators.
    pub fn command(&self, program: &Path) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let installed_folders =
            ["venv/bin", "node_modules/.bin"].map(|folder| installed().join(folder));
        let path = installed_folders.into_iter().chain(std::env::split_paths(&path));
        let mut command = Command::new(program);
        command
            .current_dir(&self.folder)
            .env("PATH", std::env::join_paths(path).expect("a path"))
            // Generated code is not checked as this workspace is.
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .stdin(std::process::Stdio::null());
        command
    }

    /// Runs a program, which must succeed. Returns its output.
    pub fn run(&self, program: &str, arguments: &[&str]) -> String {
        self.finish(self.command(Path::new(program)).args(arguments))
    }

    /// Runs a command, which must succeed. Returns its output.
    pub fn finish(&self, command: &mut Command) -> String {
        let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        assert!(output.status.success(), "{}: {command:?}: {}", self.tool, output_of(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs a package manager, which must succeed unless its registry is unreachable.
    pub fn fetch(&self, program: &str, arguments: &[&str]) -> Result<(), MissingProgram> {
        let output = self.command(Path::new(program)).args(arguments).output();
        let output = output.map_err(|error| format!("{program} does not run: {error}"))?;
        let printed = output_of(&output);
        match output.status.success() {
            true => Ok(()),
            false if REGISTRY_UNREACHABLE.iter().any(|words| printed.contains(words)) => {
                Err(format!("the registry of {program} cannot be reached"))
            }
            false => panic!("{}: {program}: {printed}", self.tool),
        }
    }

    /// Fails the test unless the code in this part of the client has all operations. `text` gives
    /// the text to look for, from an operation's id.
    pub fn expect_operations(&self, part: &str, expected_text: impl Fn(&str) -> String) {
        let source = source_text(&self.client().join(part));
        let document: Value = serde_json::from_str(api_server::router::document()).expect("JSON");
        let paths = document["paths"].as_object().expect("paths").values();
        let mut found = 0;
        for operation in paths.flat_map(|path| path.as_object().expect("operations").values()) {
            let id = operation["operationId"].as_str().expect("an id");
            assert!(source.contains(&expected_text(id)), "{}: {id} is missing", self.tool);
            found += 1;
        }
        assert!(found > 80, "{found} operations");
    }

    /// Fails the test if the models in this part of the client use one of these types: amounts are
    /// texts, and nothing else has a fraction.
    pub fn expect_no_fractions(&self, part: &str, types: &[&str]) {
        let source = source_text(&self.client().join(part));
        assert!(source.lines().count() > 1000, "{}: no models in {part}", self.tool);
        // The document's description explains why amounts are texts, and Python's client has it as
        // unmarked text.
        let comment =
            |line: &str| line.starts_with(['*', '/', '#']) || line.contains("**Amounts**");
        for line in source.lines().map(str::trim).filter(|line| !comment(line)) {
            let mut words = line.split(|letter: char| !letter.is_alphanumeric());
            let found = words.find(|word| types.contains(word));
            assert_eq!(found, None, "{}: {line}", self.tool);
        }
    }
}

fn output_of(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).concat()
}

/// The files of a directory; none if it does not exist.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// The text of a file, or of all files below a directory, each after a line with its path.
fn source_text(path: &Path) -> String {
    if path.is_dir() {
        return files(path).iter().map(|file| source_text(file)).collect();
    }
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    format!("{}\n{}\n", path.display(), String::from_utf8_lossy(&text))
}

/// The workshop, or `None` after printing what is missing.
pub fn or_skip(client: Result<GeneratedClient, MissingProgram>) -> Option<GeneratedClient> {
    client.map_err(|missing| skip(&missing)).ok()
}
