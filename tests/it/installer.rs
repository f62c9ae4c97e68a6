//! The installer's commands.

mod quickstart;
mod verify_auth_server;
