//! Each package has a budget of lines: a feature that needs more raises it in the commit that needs
//! it, and says why; what makes the package lighter lowers it.
//!
//! All lines of `*.rs` and `*.sql` count, unit tests included. Documentation pages, styles and the
//! demo portfolio do not.

use crate::rules::source_layout::root;
use std::path::Path;

const BUDGETS: [(&str, usize); 5] = [
    ("shared", 15_140),
    ("auth-server", 6_880),
    ("api-server", 43_170),
    ("installer", 15_080),
    ("tests", 62_680),
];
/// What a package may be below its budget, before the budget is lowered.
const SLACK: usize = 300;

#[test]
fn packages_are_within_their_budgets_of_lines() {
    let mut wrong = Vec::new();
    for (package, budget) in BUDGETS {
        let lines = lines(&root().join(package));
        println!("{package}: {lines} lines of {budget}");
        if lines > budget || lines + SLACK < budget {
            wrong.push((package, lines, budget));
        }
    }
    assert!(wrong.is_empty(), "package, lines, budget: {wrong:?}");
}

fn lines(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .map(|path| match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => lines(&path),
            Some("rs" | "sql") => std::fs::read_to_string(&path).expect("text").lines().count(),
            _ => 0,
        })
        .sum()
}
