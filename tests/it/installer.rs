//! The installer's commands.

mod verify_auth_server;
