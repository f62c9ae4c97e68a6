#[test]
fn each_dependency_is_used_by_its_package() {
    let files = files();
    let mut checked = 0;
    for package in
        ["shared", "shared/macros", "auth-server", "api-server", "installer", "tests", "tests/load"]
    {
        let manifest = std::fs::read_to_string(root().join(package).join("Cargo.toml"));
        let manifest = manifest.expect("a manifest");
        let code: String = files
            .iter()
            .filter(|(name, _)| name.starts_with(&format!("{package}/")))
            .map(|(_, text)| text.as_str())
            .collect();
        let mut lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        // Dependencies that are there for their features alone come last, after a comment.
        while let Some(line) = lines.next().filter(|line| !line.starts_with('[')) {
            if line.starts_with("# For their features alone") {
                break;
            }
            let Some((name, _)) = line.split_once(['.', ' ']).filter(|_| !line.starts_with('#'))
            else {
                continue;
            };
            let crate_name = name.replace('-', "_");
            let is_used = [format!("{crate_name}::"), format!("use {crate_name}")]
                .iter()
                .any(|used| code.contains(used));
            assert!(is_used, "{package} does not use {name}");
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} dependencies");
}
