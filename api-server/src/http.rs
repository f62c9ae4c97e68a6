//! Shared handling of requests and responses.
//!
//! | Module | Purpose |
//! |---|---|
//! | `admission` | admits requests: token, privilege, media types, query |
//! | `operations` | the table of operations, and paths outside the API |
//! | `expectations` | describes in plain words what the contract expects of a request |
//! | `request_body`, `texts` | JSON bodies, and bounded strings |
//! | `paging`, `business_days` | lists |
//! | `versions`, `ranges`, `fixed_body` | ETags, byte ranges, bodies that never change |
//! | `at_once`, `import_gate` | concurrency limits, and who waits for an import |
//! | `card_numbers` | finds card numbers where none are allowed |

pub mod admission;
pub mod at_once;
pub mod business_days;
pub mod card_numbers;
pub mod expectations;
pub mod fixed_body;
pub mod import_gate;
pub mod operations;
pub mod paging;
pub mod ranges;
pub mod request_body;
pub mod texts;
pub mod versions;
