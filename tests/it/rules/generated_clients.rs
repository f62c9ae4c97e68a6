//! Clients generated from the contract: nothing is left out, amounts stay texts, and each program
//! of `tests/generators/` works with its client against a running quickstart.

use super::operation_samples;
use crate::PROGRAM;
use acceptance::Client;
use acceptance::generators::{GeneratedClient, MissingProgram, or_skip};
use acceptance::installed_clients::{clients_folder, python_program, skip, system_program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// Kept between runs.
const PLACE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/generated_clients");
/// The version required by the generated go.mod.
const GO_NEEDED: u32 = 23;
/// The version required by the generated LoanServicing.csproj.
const DOTNET_NEEDED: u32 = 10;
/// Zones in which midnight UTC is on the day before, the same day, and well into it.
const TIME_ZONES: [&str; 3] = ["America/New_York", "UTC", "Asia/Tokyo"];
/// Runs a quickstart until its input is closed, that is, as long as this process lives.
const WHILE_INPUT_IS_OPEN: &str = r#"
    "$1" quickstart --dir "$2" --auth-port 0 --api-port 0 --loans 3 >"$2/output" 2>&1 &
    cat >/dev/null
    kill -TERM $!
    wait $!
    rm -rf "$2"
"#;

/// A quickstart shared by all tests of clients and samples, which take turns.
pub(super) struct Quickstart {
    _process: Child,
    /// The path of quickstart.json.
    file: PathBuf,
    pub(super) lock: tokio::sync::Mutex<()>,
}

impl Quickstart {
    pub(super) async fn running() -> &'static Self {
        static RUNNING: OnceCell<Quickstart> = OnceCell::const_new();
        RUNNING.get_or_init(Self::start).await
    }

    async fn start() -> Self {
        shared::tls::install_provider();
        let folder = tempfile::tempdir().expect("a folder").keep();
        let process = Command::new("sh")
            .args(["-c", WHILE_INPUT_IS_OPEN, "sh", PROGRAM])
            .arg(&folder)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a process");
        let begin = Instant::now();
        let output = || std::fs::read_to_string(folder.join("output")).unwrap_or_default();
        while !output().ends_with("\nready\n") {
            assert!(begin.elapsed() < Duration::from_secs(120), "{}", output());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let file = folder.join("quickstart.json");
        Self { _process: process, file, lock: tokio::sync::Mutex::new(()) }
    }

    /// Lets a program carry out its steps. Returns its output.
    async fn run_against_quickstart(client: &GeneratedClient, command: &mut Command) -> String {
        let quickstart = Self::running().await;
        // A program compares lists with each other, and all programs post to the same loan.
        let _turn = quickstart.lock.lock().await;
        client.finish(command.arg(&quickstart.file))
    }

    /// Lets a program carry out its main job to the end.
    async fn check_main_job(client: &GeneratedClient, command: &mut Command) {
        let steps = Self::run_against_quickstart(client, command).await;
        assert!(steps.contains("posted 10.07\n"), "{steps}");
        assert!(steps.contains("downloaded the same bytes\n"), "{steps}");
        assert!(steps.ends_with("logged out\n"), "{steps}");
    }

    /// Lets a program read a loan and a problem with a token.
    async fn check_read(workshop: &GeneratedClient, command: &mut Command) {
        let token = Self::running().await.log_in().await;
        let steps = Self::run_against_quickstart(workshop, command.env("TOKEN", token)).await;
        assert!(steps.starts_with("read loan L-000001: "), "{steps}");
        assert!(steps.ends_with("read urn:problem-type:core:not-found\n"), "{steps}");
    }

    /// The content of quickstart.json.
    pub(super) fn report(&self) -> Value {
        let report = std::fs::read_to_string(&self.file).expect("a report");
        serde_json::from_str(&report).expect("JSON")
    }

    /// Logs in as the admin account.
    pub(super) async fn log_in(&self) -> String {
        let report = self.report();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let client = Client::new(
            &text(&report["auth_url"]),
            &text(&report["api_url"]),
            Path::new(&text(&report["ca_certificate"])),
            &text(&report["clients"]["integration"]["client_secret"]),
        );
        let admin = &report["users"]["admin"];
        let (name, password) = (text(&admin["username"]), text(&admin["password"]));
        client.log_in("core", &name, &password).await.expect("a token")
    }
}

fn open(
    tool: &'static str,
    compile: impl FnOnce(&GeneratedClient) -> Result<(), MissingProgram>,
) -> Option<GeneratedClient> {
    or_skip(GeneratedClient::open(tool, Path::new(PLACE), compile))
}

/// `get_loan` as `GetLoan`.
fn pascal(id: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    id.split('_').map(capital).collect()
}

/// `get_loan` as `getLoan`.
fn camel(id: &str) -> String {
    let pascal = pascal(id);
    pascal[..1].to_lowercase() + &pascal[1..]
}

#[tokio::test]
async fn python() {
    let Some(client) = open("python", |_| Ok(())) else { return };
    client.expect_operations("loan_servicing/api", |id| format!("    def {id}(\n"));
    let fractions = ["float", "Decimal", "StrictFloat"];
    client.expect_no_fractions("loan_servicing/models", &fractions);
    let python = python_program("python").expect("it has generated");
    let mut program = client.command(&python);
    program.arg("main_job.py").env("PYTHONPATH", client.client());
    Quickstart::check_main_job(&client, &mut program).await;
}

#[tokio::test]
async fn the_python_package() {
    let Some(client) = open("python", |_| Ok(())) else { return };
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api-server/clients/python");
    let folder = tempfile::tempdir().expect("a folder");
    let (wheels, site) = (folder.path().join("wheels"), folder.path().join("site"));
    client.finish(client.command(&package.join("build.sh")).arg(&wheels));
    let wheel = std::fs::read_dir(&wheels).expect("wheels").next().expect("a wheel");
    let python = || {
        let mut python = client.command(Path::new("python"));
        python.env("PYTHONPATH", &site).env("PYTHONDONTWRITEBYTECODE", "1");
        python
    };
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"];
    let wheel = wheel.expect("a wheel").path();
    client.finish(python().args(install).arg(&site).arg(wheel));
    let test = ["-m", "pytest", "--quiet", "-p", "no:cacheprovider"];
    for zone in TIME_ZONES {
        let mut tests = python();
        client.finish(tests.args(test).arg(package.join("test_session.py")).env("TZ", zone));
    }
    let mut example = python();
    let steps =
        Quickstart::run_against_quickstart(&client, example.arg(package.join("example.py")));
    let steps = steps.await;
    assert!(steps.contains("posted a payment once\n"), "{steps}");
    assert!(steps.ends_with("logged out\n"), "{steps}");
    let samples = operation_samples::in_python();
    let file = folder.path().join("samples.json");
    std::fs::write(&file, serde_json::to_string(&samples).expect("JSON")).expect("a file");
    let mut program = python();
    program.arg(clients_folder().join("operation_samples.py")).arg(file);
    let evaluated = Quickstart::run_against_quickstart(&client, &mut program).await;
    assert_eq!(evaluated, format!("evaluated {}\n", samples.len()));
}

fn compile_typescript(client: &GeneratedClient) -> Result<(), MissingProgram> {
    system_program("node", "nodejs npm")?;
    client.run("tsc", &["-p", "."]);
    Ok(())
}

#[tokio::test]
async fn typescript() {
    let Some(client) = open("typescript", compile_typescript) else { return };
    client.expect_operations("apis", |id| format!("    async {}(", camel(id)));
    let mut program = client.command(Path::new("node"));
    Quickstart::check_main_job(&client, program.arg("out/main_job.js")).await;
}

#[tokio::test]
async fn the_typescript_package() {
    let Some(client) = open("typescript", compile_typescript) else { return };
    if let Err(missing) = system_program("npm", "npm") {
        return skip(&missing);
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api-server/clients/typescript");
    let folder = tempfile::tempdir().expect("a folder");
    let samples = operation_samples::typescript_module();
    std::fs::write(folder.path().join("samples.ts"), samples).expect("a module");
    let script = r#"
        set -e
        "$1/build.sh" "$2/packages"
        mkdir -p "$2/node_modules/loan-servicing"
        tar -xzf "$2"/packages/*.tgz -C "$2/node_modules/loan-servicing" --strip-components 1
        ln -s "$PWD/node_modules/@types" "$PWD/node_modules/undici-types" "$2/node_modules"
        cp "$1/example.ts" "$1/session.test.ts" "$2"
        cd "$2"
        echo '{"type": "module"}' >package.json
        tsc --target es2022 --module nodenext --lib es2022,dom,dom.iterable --types node --strict \
            --skipLibCheck --outDir out example.ts session.test.ts samples.ts
        for zone in $3; do TZ=$zone node --test out/session.test.js; done
    "#;
    let mut test = client.command(Path::new("sh"));
    test.args(["-c", script, "sh"]).arg(&source).arg(folder.path()).arg(TIME_ZONES.join(" "));
    client.finish(&mut test);
    let quickstart = Quickstart::running().await;
    let mut example = client.command(Path::new("node"));
    let authority = quickstart.file.with_file_name("tls").join("ca.pem");
    example.arg(folder.path().join("out/example.js")).env("NODE_EXTRA_CA_CERTS", authority);
    let steps = Quickstart::run_against_quickstart(&client, &mut example).await;
    assert!(steps.contains("posted a payment once\n"), "{steps}");
    assert!(steps.ends_with("logged out\n"), "{steps}");
}

#[tokio::test]
async fn openapi_typescript() {
    let Some(client) = open("openapi-typescript", compile_typescript) else { return };
    client.expect_operations("schema.d.ts", |id| format!("operations[\"{id}\"]"));
    let mut program = client.command(Path::new("node"));
    Quickstart::check_read(&client, program.arg("out/read_loan.js")).await;
}

#[tokio::test]
async fn openapi_python_client() {
    let Some(client) = open("openapi-python-client", |client| {
        client.run("python", &["-m", "compileall", "-q", "client"]);
        Ok(())
    }) else {
        return;
    };
    client.expect_operations("loan_servicing/api", |id| format!("/{id}.py\n"));
    client.expect_no_fractions("loan_servicing/models", &["float", "Decimal"]);
    let mut program = client.command(Path::new("python"));
    program.arg("read_loan.py").env("PYTHONPATH", client.client());
    Quickstart::check_read(&client, &mut program).await;
}

fn compile_java(client: &GeneratedClient) -> Result<(), MissingProgram> {
    system_program("javac", "default-jdk-headless")?;
    system_program("mvn", "maven")?;
    let lib = format!("-DoutputDirectory={}", client.folder.join("lib").display());
    let goal = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies";
    client.fetch(
        "mvn",
        &["-B", "-ntp", "-q", "-f", "client/pom.xml", goal, "-DincludeScope=compile", &lib],
    )?;
    let javac = "javac -proc:none -nowarn -d classes -cp 'lib/*' \
                 $(find client/src/main -name '*.java') MainJob.java";
    client.run("sh", &["-c", javac]);
    Ok(())
}

#[tokio::test]
async fn java() {
    let Some(client) = open("java", compile_java) else { return };
    let package = "src/main/java/org/openapitools/client";
    let operation = |id: &str| format!(" {}WithHttpInfo(", camel(id));
    client.expect_operations(&format!("{package}/api"), operation);
    let fractions = ["double", "Double", "float", "Float", "BigDecimal"];
    client.expect_no_fractions(&format!("{package}/model"), &fractions);
    let mut program = client.command(Path::new("java"));
    program.args(["-cp", "classes:lib/*", "MainJob"]);
    Quickstart::check_main_job(&client, &mut program).await;
}

/// Outside the client's folder, so that compiled dependencies are kept.
fn rust_target() -> String {
    format!("--target-dir={PLACE}/rust-target")
}

#[tokio::test]
async fn rust() {
    let Some(client) = open("rust", |client| {
        client.fetch("cargo", &["fetch", "--quiet"])?;
        client.run("cargo", &["build", "--quiet", "--offline", &rust_target()]);
        Ok(())
    }) else {
        return;
    };
    client.expect_operations("src/apis", |id| format!("pub async fn {id}("));
    client.expect_no_fractions("src/models", &["f32", "f64"]);
    let program = Path::new(PLACE).join("rust-target/debug/main_job");
    Quickstart::check_main_job(&client, &mut client.command(&program)).await;
}

#[tokio::test]
async fn csharp() {
    let Some(client) = open("csharp", |_| Ok(())) else { return };
    let operation = |id: &str| format!("ApiResponse> {}Async(", pascal(id));
    client.expect_operations("src/LoanServicing/Api", operation);
    let fractions = ["double", "Double", "float", "Single", "decimal", "Decimal"];
    client.expect_no_fractions("src/LoanServicing/Model", &fractions);
    let version = version(&client, "dotnet", "--version").unwrap_or("there is none".to_owned());
    if major_of_dotnet(&version).is_none_or(|major| major < DOTNET_NEEDED) {
        let needed = format!(".NET {DOTNET_NEEDED} is missing ({version})");
        return skip(&format!("{needed}: the C# client is generated, and not compiled"));
    }
    if let Err(missing) = client.fetch("dotnet", &["restore"]) {
        return skip(&missing);
    }
    client.run("dotnet", &["build", "--no-restore"]);
    let mut program = client.command(Path::new("dotnet"));
    program.args(["run", "--no-build", "--"]);
    Quickstart::check_main_job(&client, &mut program).await;
}

/// What a program prints as its version, if it is installed.
fn version(client: &GeneratedClient, program: &str, argument: &str) -> Option<String> {
    let output = client.command(Path::new(program)).arg(argument).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The major version of .NET's SDK, from `10.0.100`.
fn major_of_dotnet(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// The minor version of Go, from `go version go1.26.8 linux/amd64`.
fn minor_of_go(version: &str) -> Option<u32> {
    version.split("go1.").nth(1)?.split(['.', ' ']).next()?.parse().ok()
}

#[tokio::test]
async fn go() {
    let Some(client) = open("go", |_| Ok(())) else { return };
    client.expect_operations("", |id| format!(") {}Execute(", pascal(id)));
    client.expect_no_fractions("docs", &["float32", "float64"]);
    let version = version(&client, "go", "version").unwrap_or("there is none".to_owned());
    if minor_of_go(&version).is_none_or(|minor| minor < GO_NEEDED) {
        let needed = format!("Go 1.{GO_NEEDED} is missing ({version})");
        return skip(&format!("{needed}: the Go client is generated, and not compiled"));
    }
    client.run("go", &["-C", "client", "build", "."]);
    client.run("go", &["-C", "client", "vet", "."]);
    client.run("go", &["vet", "."]);
    client.run("go", &["build", "-buildvcs=false", "."]);
    assert_eq!(client.run("gofmt", &["-l", "main_job.go"]), "");
    let program = client.folder.join("main_job");
    Quickstart::check_main_job(&client, &mut client.command(&program)).await;
}

#[tokio::test]
async fn oapi_codegen() {
    let version = Command::new("go").arg("version").output().ok();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    if version.as_deref().and_then(minor_of_go).is_none_or(|minor| minor < GO_NEEDED) {
        return skip(&format!("Go 1.{GO_NEEDED} is missing"));
    }
    let compile = |client: &GeneratedClient| {
        client.fetch("go", &["mod", "tidy"])?;
        client.run("go", &["build", "-buildvcs=false", "."]);
        Ok(())
    };
    let Some(client) = open("oapi-codegen", compile) else { return };
    // Those whose body is not JSON are called `…WithBodyWithResponse`.
    client.expect_operations("client.go", |id| format!(" {}With", pascal(id)));
    let program = client.folder.join("read_loan");
    Quickstart::check_read(&client, &mut client.command(&program)).await;
}
