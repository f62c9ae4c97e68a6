//! Rules about the whole, held by tests.

mod access;
mod amounts;
mod contract;
mod contract_examples;
mod errors;
mod former_paths;
mod fuzz_contract;
mod galera;
mod generated_clients;
mod images;
mod loan_books;
mod messages;
mod oddities;
mod paging;
mod rates;
mod replicas;
mod rubbish;
mod service_units;
mod stalled_readers;
mod statements;
mod stopping;
mod tidy;
mod tls;
mod visibility;
mod web_servers;
