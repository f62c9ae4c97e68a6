//! Shared handling of requests and responses.
//!
//! | Module | Purpose |
//! |---|---|
//! | `admission` | admits requests: token, rate limit per caller, privilege, media types, card numbers, query |
//! | `operations` | the table of operations, and paths outside the API |
//! | `request_schemas` | describes in plain words what the contract expects of a request |
//! | `json_body`, `bounded_string` | JSON bodies, and bounded strings |
//! | `json_text` | JSON in responses as it was stored or rendered |
//! | `pagination`, `keyset`, `business_day_filter` | lists |
//! | `etag`, `range_header`, `fixed_body` | ETags of rows, byte ranges, bodies that never change |
//! | `concurrency_limit`, `import_gate` | concurrency limits, and which requests wait for an import |
//! | `pan_scan` | detects card numbers where none are allowed |

pub mod admission;
pub mod bounded_string;
pub mod business_day_filter;
pub mod concurrency_limit;
pub mod etag;
pub mod fixed_body;
pub mod import_gate;
pub mod json_body;
pub mod json_text;
pub mod keyset;
pub mod operations;
pub mod pagination;
pub mod pan_scan;
pub mod range_header;
pub mod request_schemas;
