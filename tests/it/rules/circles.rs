//! No file of a package imports another one that, through whatever files, imports it. A module and
//! those below it in the tree count as one: a parent arranges what its children do.

use crate::rules::source_layout::files;
use std::collections::{BTreeMap, BTreeSet};

/// A module's path within its package, such as `store::keys`.
type Module = Vec<String>;

#[test]
fn files_do_not_import_each_other_in_circles() {
    for package in ["shared", "auth-server", "api-server", "installer"] {
        let imports = imports(package);
        assert!(imports.values().any(|imported| !imported.is_empty()), "{package}");
        let mut left = imports.clone();
        // A file that imports none of those left is in no circle.
        while let Some(free) = left
            .iter()
            .find(|(_, imported)| !imported.iter().any(|other| left.contains_key(other)))
            .map(|(module, _)| module.clone())
        {
            left.remove(&free);
        }
        let circle: Vec<String> = left.keys().map(|module| module.join("::")).collect();
        assert!(
            circle.is_empty(),
            "{package}: these files are in circles, or above one: {circle:?}"
        );
    }
}

/// The files of a package, and what each imports from others.
fn imports(package: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let source = format!("{package}/src/");
    let mut texts: BTreeMap<Module, String> = BTreeMap::new();
    for (name, text) in files() {
        let Some(path) = name.strip_prefix(&source).and_then(|path| path.strip_suffix(".rs"))
        else {
            continue;
        };
        let module: Module = path.split('/').map(str::to_owned).collect();
        if module.last().is_some_and(|last| !["lib", "main", "tests"].contains(&last.as_str())) {
            texts.insert(module, code(&text));
        }
    }
    let imported = |module: &Module, text: &str| {
        let mut paths = Vec::new();
        for statement in text.split("use ").skip(1) {
            let tree = statement.split(';').next().unwrap_or_default();
            expand("", &tree.split_whitespace().collect::<String>(), &mut paths);
        }
        for start in ["crate::", "super::"] {
            let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            paths.extend(text.match_indices(start).map(|(at, _)| {
                text[at..].split(|c| !is_path(c)).next().unwrap_or_default().to_owned()
            }));
        }
        let found = paths.iter().filter_map(|path| resolve(module, path, &texts));
        found.filter(|other| !other.starts_with(module) && !module.starts_with(other)).collect()
    };
    texts.iter().map(|(module, text)| (module.clone(), imported(module, text))).collect()
}

/// A file's text without comments and unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().flat_map(|line| [line.split("//").next().unwrap_or_default(), "\n"]).collect()
}

/// Adds the paths of a tree of imports: `a::{b, c::d}` has two.
fn expand(above: &str, tree: &str, paths: &mut Vec<String>) {
    let Some((before, group)) = tree.split_once('{') else {
        return paths.push(format!("{above}{tree}"));
    };
    let above = format!("{above}{before}");
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                if start < at {
                    expand(&above, &group[start..at], paths);
                }
                start = at + 1;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
}

/// The file that a path within a module leads to, if it is in the package.
fn resolve(module: &Module, path: &str, files: &BTreeMap<Module, String>) -> Option<Module> {
    let mut words = path.split("::").peekable();
    let mut found: Module = match *words.peek()? {
        "crate" => {
            words.next();
            Vec::new()
        }
        "super" | "self" => module.clone(),
        child => {
            let child = [module.as_slice(), &[child.to_owned()]].concat();
            files.contains_key(&child).then(|| module.clone())?
        }
    };
    for word in words {
        match word {
            "self" => {}
            "super" => drop(found.pop()),
            word => {
                let below = [found.as_slice(), &[word.to_owned()]].concat();
                if !files.contains_key(&below) {
                    break;
                }
                found = below;
            }
        }
    }
    Some(found).filter(|found| !found.is_empty())
}
