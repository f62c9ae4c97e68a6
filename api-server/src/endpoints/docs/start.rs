//! The getting-started section: what every client needs, each topic with an example. The topics and
//! their curl commands are in `start.md`; the samples in other languages are parts of programs that the
//! tests run.

use super::{InlineText, THIS_SERVER, lines};
use maud::{Markup, html};

const TOPICS: &str = include_str!("start.md");

/// Languages of the samples, each with its program and how a comment begins there. Topics without a
/// sample in a language show the curl commands.
const LANGUAGES: [(&str, &str, &str); 6] = [
    ("curl", "", ""),
    ("Python", include_str!("../../../clients/python/example.py"), "#"),
    ("TypeScript", include_str!("../../../clients/typescript/example.ts"), "//"),
    ("Java", include_str!("../../../../tests/generators/java/MainJob.java"), "//"),
    ("C#", include_str!("../../../../tests/generators/csharp/MainJob.cs"), "//"),
    ("Go", include_str!("../../../../tests/generators/go/main_job.go"), "//"),
];

/// The topic that shows the whole programs.
const WHOLE_PROGRAMS: &str = "program";

/// The installer runs this very file, so the sample works.
const OAUTH_CLIENT: &str = include_str!("../../../../installer/src/verification/oauth_client.rs");

/// A topic: `## name: Title`, paragraphs with code between backticks, and an example.
struct Topic<'a> {
    /// Last part of its anchor.
    name: &'a str,
    title: &'a str,
    paragraphs: Vec<String>,
    /// An example to type or to read.
    example: &'a str,
}

impl<'a> Topic<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (heading, text) = text.split_once("\n\n")?;
        let (name, title) = heading.split_once(": ")?;
        let (text, example) = text.split_once("\n\n```\n")?;
        let paragraphs = text.split("\n\n").map(|lines| lines.replace('\n', " ")).collect();
        Some(Self { name, title, paragraphs, example: example.split_once("\n```\n")?.0 })
    }
}

/// Returns the sample of a topic in a program: the lines between `sample: NAME` and `end`, in comments.
/// It may have several parts; each loses its indentation.
fn sample(program: &str, comment: &str, name: &str) -> Option<String> {
    let begin = format!("{comment} sample: {name}");
    let end = format!("{comment} end");
    let mut program = program.lines();
    let mut sample = Vec::new();
    while program.by_ref().any(|line| line.trim() == begin) {
        let part: Vec<&str> = program.by_ref().take_while(|line| line.trim() != end).collect();
        let written = part.iter().filter(|line| !line.trim().is_empty());
        let common = written.map(|line| line.len() - line.trim_start().len()).min()?;
        sample.extend(part.iter().map(|line| line.get(common..).unwrap_or_default()));
    }
    (!sample.is_empty()).then(|| sample.join("\n").trim().to_owned())
}

/// Returns a program without the comments around its samples.
fn without_markers(program: &str, comment: &str) -> String {
    let is_marker = |line: &&str| {
        let line = line.trim();
        let text = line.strip_prefix(comment).unwrap_or_default();
        text == " end" || text.starts_with(" sample: ")
    };
    program.lines().filter(|line| !is_marker(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the CSS class of a language's samples, which is also its radio button's id.
fn class(language: &str) -> String {
    format!("in-{}", language.to_lowercase().replace('#', "sharp"))
}

/// Returns the samples of a topic, each with the CSS classes of the languages for which it is shown.
fn samples(topic: &Topic) -> Vec<(String, String)> {
    let (mut samples, mut curl_for) = (Vec::new(), Vec::new());
    for (language, program, comment) in LANGUAGES {
        let class = class(language);
        let text = match topic.name {
            WHOLE_PROGRAMS if !program.is_empty() => Some(without_markers(program, comment)),
            name => sample(program, comment, name),
        };
        match text {
            Some(text) => samples.push((class, text)),
            None => curl_for.push(class),
        }
    }
    samples.insert(0, (curl_for.join(" "), topic.example.to_owned()));
    samples
}

/// Radio buttons for the language, which style sheets follow.
pub(super) fn languages() -> Markup {
    html! {
        fieldset.languages {
            legend { "Samples in" }
            @for (index, (language, ..)) in LANGUAGES.iter().enumerate() {
                label {
                    input type="radio" name="language" id=(class(language)) checked[index == 0];
                    (language)
                }
            }
        }
    }
}

pub(super) fn section(auth_url: &str, client_id: &str) -> Markup {
    let text = TOPICS
        .replace("{this_server}", THIS_SERVER)
        .replace("{auth_url}", auth_url)
        .replace("{client_id}", client_id)
        .replace("{oauth_client.rs}", OAUTH_CLIENT);
    let topics: Vec<Topic> = text.split("\n## ").skip(1).filter_map(Topic::read).collect();
    html! {
        section id="start" aria-labelledby="start-title" {
            h2 id="start-title" { "Getting started" }
            p {
                "This is the HTTP API for the core system's loan servicing database. It uses JSON,
                 and every operation requires a token from the auth server. "
                a href="#operations" { "Operations" } " lists them all, to read and try out; "
                a href="#problems" { "Problems" } " explains what to do when one is refused. "
                "Operations that are extensions are absent where the installation has turned them
                 off (" code { "API_EXTENSIONS=off" } ")."
            }
            ul.topics {
                @for topic in &topics {
                    li { a href={ "#start-" (topic.name) } { (topic.title) } }
                }
            }
            @for topic in &topics {
                article id={ "start-" (topic.name) } {
                    h3 { (topic.title) }
                    @for paragraph in &topic.paragraphs { p { (InlineText(paragraph)) } }
                    @for (classes, text) in samples(topic) {
                        div class={ "sample " (classes) } { (lines(&text)) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_put_together_from_the_parts_of_a_program() {
        let program = "import a\n# sample: x\nimport b\n# end\ndef f():\n    # sample: x\n    b()\n\n    \
                       c()\n    # end\n    # sample: y\n    if d:\n        e()\n    # end\n";
        assert_eq!(sample(program, "#", "x").unwrap(), "import b\nb()\n\nc()");
        assert_eq!(sample(program, "#", "y").unwrap(), "if d:\n    e()");
        let whole = "import a\nimport b\ndef f():\n    b()\n\n    c()\n    if d:\n        e()";
        assert_eq!(without_markers(program, "#"), whole);
        assert_eq!(sample(program, "#", "z"), None);
    }

    #[test]
    fn every_sample_belongs_to_a_topic() {
        let topics: Vec<Topic> = TOPICS.split("\n## ").skip(1).filter_map(Topic::read).collect();
        for (language, program, comment) in LANGUAGES.iter().skip(1) {
            let begin = format!("{comment} sample: ");
            let names = program.lines().filter_map(|line| line.trim().strip_prefix(&begin));
            let names: Vec<&str> = names.collect();
            assert!(names.len() > 8, "{language}: {names:?}");
            for name in names {
                assert!(topics.iter().any(|topic| topic.name == name), "{language}: {name}");
            }
        }
    }
}
