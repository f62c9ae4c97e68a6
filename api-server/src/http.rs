//! What requests and answers have in common, whatever they are about.
//!
//! | Module | What |
//! |---|---|
//! | `admission` | lets requests in: token, privilege, media types, query |
//! | `operations` | the table of operations, and paths beside them |
//! | `expectations` | what the contract says of requests, in plain words |
//! | `request_body`, `texts` | JSON bodies, and texts with a limit |
//! | `paging`, `business_days` | lists |
//! | `versions`, `ranges`, `fixed_body` | ETags, parts of files, bytes that never change |
//! | `at_once`, `import_gate` | how much is done at once, and who waits |
//! | `card_numbers` | finds card numbers where none may be |

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
