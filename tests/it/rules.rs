//! Rules about the product as a whole.

mod access;
mod amounts;
mod background_tasks;
mod bulk_writes;
mod container_images;
mod contract;
mod contract_examples;
mod database_gate;
mod error_messages;
mod errors;
mod extensions;
mod former_paths;
mod fuzz_contract;
mod galera;
mod generated_clients;
mod http_edge_cases;
mod input_mistakes;
mod layering;
mod loan_books;
mod loan_foresight;
mod malformed_input;
mod operation_samples;
mod paging;
mod rate_limits;

mod replicas;
mod service_units;
mod shutdown;
mod source_layout;
mod stalled_readers;
mod statement_counts;
mod tls;
mod unread_log;
mod visibility;
mod web_servers;
mod words;
