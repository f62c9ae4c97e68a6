//! Two independent scanners on the listeners: TLS 1.2 and 1.3 with forward secrecy and
//! authenticated encryption, a certificate that verifies, and none of the known vulnerabilities.

use crate::PROGRAM;
use acceptance::installed_clients::{python_program, skip, system_program};
use acceptance::servers::free_port;
use acceptance::world::Environment;
use acceptance::{Database, World};
use futures_util::future::join_all;
use serde_json::Value;
use std::path::Path;
use tokio::process::Command;

const SCANS: [&str; 14] = [
    "--certinfo",
    "--sslv2",
    "--sslv3",
    "--tlsv1",
    "--tlsv1_1",
    "--tlsv1_2",
    "--tlsv1_3",
    "--compression",
    "--early_data",
    "--fallback",
    "--heartbleed",
    "--openssl_ccs",
    "--reneg",
    "--robot",
];

/// A world, and the ports of all its listeners. One database is enough, because TLS does not depend
/// on it.
async fn world() -> (World, [u16; 3]) {
    let mutual = free_port();
    let settings = [
        ("AUTH_MTLS_LISTEN", format!("127.0.0.1:{mutual}")),
        ("AUTH_MTLS_URL", format!("https://localhost:{mutual}")),
    ];
    let auth = settings.map(|(name, value)| (name.to_owned(), value)).into();
    let environment = Environment { auth, ..Environment::default() };
    let world = World::new(PROGRAM, Database::Sqlite, environment).await;
    let port = |url: &str| url.rsplit(':').next().and_then(|port| port.parse().ok());
    let [auth, api] = [&world.client.auth_url, &world.client.api_url].map(|url| port(url));
    let ports = [auth.expect("a port"), mutual, api.expect("a port")];
    (world, ports)
}

async fn output(program: &Path, arguments: &[String]) -> String {
    let output = Command::new(program).args(arguments).output().await.expect("a process");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text} {}", String::from_utf8_lossy(&output.stderr));
    text
}

#[tokio::test]
async fn sslyze_finds_no_fault_with_any_listener() {
    let program = match python_program("sslyze") {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    let (world, ports) = world().await;
    let mut arguments = SCANS.map(str::to_owned).to_vec();
    let authority = world.tls.authority.display();
    arguments.extend([
        "--mozilla_config=disable".to_owned(),
        "--json_out=-".to_owned(),
        format!("--certinfo_ca_file={authority}"),
    ]);
    arguments.extend(ports.map(|port| format!("localhost:{port}{{127.0.0.1}}")));
    let report: Value = serde_json::from_str(&output(&program, &arguments).await).expect("JSON");
    let results = report["server_scan_results"].as_array().expect("results");
    assert_eq!(results.len(), ports.len());
    for listener in results {
        println!("{}", listener["server_location"]);
        let found = &listener["scan_result"];
        check_versions(found);
        check_vulnerabilities(found);
        check_certificate(&found["certificate_info"]["result"], &authority.to_string());
    }
    world.close().await;
}

fn check_versions(found: &Value) {
    for version in ["ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1", "tls_1_2", "tls_1_3"] {
        let result = &found[format!("{version}_cipher_suites")]["result"];
        let is_supported = matches!(version, "tls_1_2" | "tls_1_3");
        assert_eq!(result["is_tls_version_supported"], is_supported, "{version}");
        let suites = result["accepted_cipher_suites"].as_array().expect("a list");
        assert_eq!(!suites.is_empty(), is_supported, "{version}");
        for suite in suites {
            let name = suite["cipher_suite"]["name"].as_str().expect("a name");
            assert!(version == "tls_1_3" || name.starts_with("TLS_ECDHE_"), "{name}");
            assert!(name.contains("_GCM_") || name.contains("_CHACHA20_POLY1305_"), "{name}");
        }
    }
}

fn check_vulnerabilities(found: &Value) {
    for (scan, member, is_supported) in [
        ("heartbleed", "is_vulnerable_to_heartbleed", false),
        ("openssl_ccs_injection", "is_vulnerable_to_ccs_injection", false),
        ("tls_compression", "supports_compression", false),
        ("tls_1_3_early_data", "supports_early_data", false),
        ("tls_fallback_scsv", "supports_fallback_scsv", true),
        ("session_renegotiation", "is_vulnerable_to_client_renegotiation_dos", false),
        ("session_renegotiation", "supports_secure_renegotiation", true),
    ] {
        assert_eq!(found[scan]["status"], "COMPLETED", "{scan} {}", found[scan]);
        assert_eq!(found[scan]["result"][member], is_supported, "{scan} {member}");
    }
    let robot = &found["robot"]["result"]["robot_result"];
    assert!(robot.as_str().is_some_and(|text| text.starts_with("NOT_VULNERABLE")), "{robot}");
}

fn check_certificate(found: &Value, authority: &str) {
    let chains = found["certificate_deployments"].as_array().expect("chains");
    assert!(!chains.is_empty());
    for chain in chains {
        assert_eq!(chain["received_chain_has_valid_order"], true);
        let paths = chain["path_validation_results"].as_array().expect("paths");
        let trusted_path = paths.iter().find(|path| path["trust_store"]["path"] == authority);
        let trusted_path = trusted_path.expect("a path to the world's authority");
        assert_eq!(
            trusted_path["was_validation_successful"], true,
            "{}",
            trusted_path["validation_error"]
        );
    }
}

#[tokio::test]
async fn sslscan_finds_no_fault_with_any_listener() {
    let program = match system_program("sslscan", "sslscan") {
        Ok(program) => program,
        Err(missing) => return skip(&missing),
    };
    let (world, ports) = world().await;
    let scans = ports.map(async |port| {
        let arguments = ["--ipv4".to_owned(), "--xml=-".to_owned(), format!("localhost:{port}")];
        output(&program, &arguments).await
    });
    for report in join_all(scans).await {
        println!("{report}");
        check_report(&report);
    }
    world.close().await;
}

fn check_report(report: &str) {
    let value = |line: &str, name: &str| {
        let rest = line.split_once(&format!(" {name}=\""))?.1;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let lines = |tag: &str| {
        let start = format!("<{tag} ");
        report.lines().map(str::trim).filter(move |line| line.starts_with(&start))
    };
    let enabled: Vec<_> = lines("protocol")
        .filter(|line| value(line, "enabled").as_deref() == Some("1"))
        .map(|line| (value(line, "type"), value(line, "version")))
        .map(|(kind, version)| {
            format!("{} {}", kind.unwrap_or_default(), version.unwrap_or_default())
        })
        .collect();
    assert_eq!(enabled, ["tls 1.2", "tls 1.3"]);
    let mut ciphers = 0;
    for line in lines("cipher") {
        ciphers += 1;
        let name = value(line, "cipher").expect("a name");
        let version = value(line, "sslversion").expect("a version");
        assert!(version == "TLSv1.3" || name.starts_with("ECDHE-"), "{line}");
        assert!(name.contains("GCM") || name.contains("CHACHA20"), "{line}");
    }
    assert!(ciphers >= 2, "{report}");
    for line in lines("heartbleed") {
        assert_eq!(value(line, "vulnerable").as_deref(), Some("0"), "{line}");
    }
    for line in lines("compression") {
        assert_eq!(value(line, "supported").as_deref(), Some("0"), "{line}");
    }
    for line in lines("renegotiation") {
        let insecure = value(line, "supported").as_deref() == Some("1")
            && value(line, "secure").as_deref() != Some("1");
        assert!(!insecure, "{line}");
    }
    for line in lines("fallback") {
        assert_eq!(value(line, "supported").as_deref(), Some("1"), "{line}");
    }
}
