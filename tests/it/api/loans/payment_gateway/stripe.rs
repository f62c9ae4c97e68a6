//! The payment gateway with a provider that nobody here wrote.

mod books;
mod faults;
mod till;
