//! `installer completions` and `installer man-pages`

use super::{command, run};
use std::process::Command;

/// Sources a completion script in bash, and returns what it offers for the last of these words.
fn offered(script: &str, words: &str) -> Vec<String> {
    let ask = format!(
        "source {script}; COMP_WORDS=(installer {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _installer installer \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let output = Command::new("bash").args(["-c", &ask]).output().expect("bash");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let offered = String::from_utf8(output.stdout).expect("text");
    offered.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn bash_completes_commands_options_and_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("installer.bash");
    let text = run(command(&["completions", "bash"])).await.expect_success();
    std::fs::write(&script, text).expect("a script");
    let script = script.display().to_string();
    assert_eq!(offered(&script, "verify"), ["verify-auth-server"]);
    assert_eq!(offered(&script, "client ch"), ["change"]);
    assert_eq!(offered(&script, "client change app --red"), ["--redirect-uri"]);
    assert_eq!(offered(&script, "client add app --user-kind w"), ["web"]);
    let commands = offered(&script, "''");
    assert!(commands.iter().any(|command| command == "client"), "{commands:?}");
    assert!(!commands.iter().any(|command| command == "serve-api"), "{commands:?}");
}

#[tokio::test]
async fn every_shell_has_a_completion_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(command(&["completions", shell])).await.expect_success();
        assert!(script.contains("verify-auth-server"), "{shell}");
    }
    let unknown = run(command(&["completions", "csh"])).await;
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
}

#[tokio::test]
async fn each_command_and_both_servers_have_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().display().to_string();
    run(command(&["man-pages", &dir])).await.expect_success();
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    let change = page("installer-client-change.1");
    assert!(change.contains("installer client change") || change.contains("installer\\-client"));
    assert!(change.contains("\\-\\-redirect\\-uri"), "{change}");
    for (name, setting) in [("api-server.1", "API_LISTEN"), ("auth-server.1", "AUTH_LISTEN")] {
        assert!(page(name).contains(setting), "{name}");
    }
    let count = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert!(count > 40, "{count} pages");
    assert!(!folder.path().join("installer-serve-api.1").exists());
    let missing = run(command(&["man-pages", "/no/such/folder"])).await;
    missing.expect_refusal("is not a directory");
}
