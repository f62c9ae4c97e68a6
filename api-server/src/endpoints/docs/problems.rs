//! The problems section: every kind, and what to do about it.

use super::{InlineText, search};
use crate::openapi::problems::kinds;
use maud::{Markup, html};
use serde_json::Value;
use shared::problem::TYPE_PREFIX;

pub(super) fn section(contract: &Value) -> Markup {
    html! {
        section id="problems" aria-labelledby="problems-title" {
            h2 id="problems-title" { "Problems" }
            p {
                "Every failure is " code { "application/problem+json" } " ("
                a href="https://www.rfc-editor.org/rfc/rfc9457" { "RFC 9457" }
                "). " code { "type" } " identifies its kind: " code { (TYPE_PREFIX) }
                " and the name below. It is a URN, not a URL: compare it as a string, and look it
                 up here. Every problem has " code { "title" } ", " code { "status" }
                ", " code { "instance" } " and " code { "requestId" } "; many have "
                code { "detail" } ". If fields are at fault, " code { "errors" }
                " has a " code { "field" } " and a " code { "message" } " for each."
            }
            (search("search-problems", "Search problems", "Status, name or word"))
            table.problems {
                thead { tr { th scope="col" { "Problem" } th scope="col" { "What to do" } } }
                tbody {
                    @for kind in kinds(contract) {
                        tr id={ "problem-" (kind.name()) } {
                            th scope="row" {
                                span.status { (kind.status().as_str()) } " "
                                a href={ "#problem-" (kind.name()) } { (kind.name()) }
                            }
                            td {
                                p { strong { (kind.title()) "." } }
                                p { (InlineText(kind.meaning())) }
                            }
                        }
                    }
                }
            }
        }
    }
}
