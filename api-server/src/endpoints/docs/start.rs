//! The getting-started section: what every client needs, each topic with an example. The topics are
//! in `start.md`.

use super::{InlineText, THIS_SERVER, lines};
use maud::{Markup, html};

const TOPICS: &str = include_str!("start.md");

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

/// Returns the section.
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
                a href="#problems" { "Problems" } " explains what to do when one is refused."
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
                    (lines(topic.example))
                }
            }
        }
    }
}
