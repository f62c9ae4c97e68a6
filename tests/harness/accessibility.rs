//! Accessibility of pages, measured in a browser: legibility, and whatever axe-core finds.

use crate::installed_clients::{installed, not_installed, skip};
use crate::web_browser::{Scripts, WebBrowser};

/// Every text of the page and its lowest contrast against the background, by the formulas of WCAG
/// 2.2; for radio buttons and fields, their labels.
const CONTRASTS: &str = r#"
    const light = ([r, g, b]) => [r, g, b]
        .map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const color = text => text.match(/[\d.]+/g).map(Number);
    const ground = element => {
        for (let e = element; e; e = e.parentElement) {
            const found = color(getComputedStyle(e).backgroundColor);
            if (found.length === 3 || found[3] === 1) return found;
        }
        return matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0] : [255, 255, 255];
    };
    const found = [];
    for (const element of document.querySelectorAll('body *')) {
        const own = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        if (!own && element.tagName !== 'INPUT') continue;
        if (!element.checkVisibility()) continue;
        const pair = [getComputedStyle(element).color, null].map((c, i) => i ? c : color(c));
        const [a, b] = [light(pair[0]), light(ground(element))].sort((x, y) => y - x);
        found.push([element.tagName + ' ' + element.textContent.trim(), (a + 0.05) / (b + 0.05)]);
    }
    return found;
"#;

/// The width of the page, and of its visible part.
const WIDTHS: &str =
    "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]";

/// Runs axe-core, whose source comes before it. Each fault has its rule and the elements at fault.
const RUN_AXE: &str = r#"
    ;const done = arguments[arguments.length - 1];
    axe.run(arguments[0], { resultTypes: ['violations'] }).then(
        found => done(found.violations.map(fault =>
            `${fault.id}: ${fault.nodes.map(node => node.target.join(' ')).join(', ')}`)),
        error => done([String(error)]));
"#;

impl WebBrowser {
    /// Fails the test if axe-core finds a fault in the part of the page that this selector finds. Does
    /// nothing if scripts are forbidden.
    pub(crate) async fn check_accessibility(&self, page: &str, part: &str) {
        let file = installed().join("node_modules/axe-core/axe.min.js");
        let Ok(axe) = std::fs::read_to_string(&file) else { return skip(&not_installed(&file)) };
        if self.scripts == Scripts::Forbidden {
            return;
        }
        let found = self.driver.execute_async(axe + RUN_AXE, vec![part.into()]).await;
        let found = found.expect("a script");
        assert_eq!(*found.json(), serde_json::json!([]), "{page}");
    }

    /// Every visible text with its contrast; 4.5 is the minimum for legibility.
    pub async fn contrasts(&self) -> Vec<(String, f64)> {
        let found = self.driver.execute(CONTRASTS, Vec::new()).await.expect("a script");
        let found = found.json().as_array().expect("a list").clone();
        let ratio = |entry: &serde_json::Value| entry[1].as_f64().expect("a figure");
        found.iter().map(|entry| (entry[0].to_string(), ratio(entry))).collect()
    }

    /// True if the page is wider than its visible part.
    pub async fn scrolls_sideways(&self) -> bool {
        let widths = self.driver.execute(WIDTHS, Vec::new()).await.expect("a script");
        widths.json()[0] != widths.json()[1]
    }
}
