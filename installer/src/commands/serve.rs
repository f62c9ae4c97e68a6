//! The hidden commands that run a server as a child process of the installer, until standard input
//! ends.

use std::path::PathBuf;

/// The commands' arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct ServeArgs {
    /// The server's settings file
    #[arg(long)]
    env_file: PathBuf,
}

/// Runs the auth server.
pub async fn auth(arguments: &ServeArgs) -> Result<(), String> {
    auth_server::run(Some(&arguments.env_file), stop_signal()).await
}

/// Runs the api-server.
pub async fn api(arguments: &ServeArgs) -> Result<(), String> {
    api_server::run(Some(&arguments.env_file), stop_signal()).await
}

/// Resolves when the process receives a stop signal or its standard input ends.
async fn stop_signal() {
    let (sender, input_ended) = tokio::sync::oneshot::channel();
    // A plain thread: the runtime would wait at its end for a blocked read of its own.
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        sender.send(())
    });
    tokio::select! {
        () = shared::shutdown::stop_signal() => {}
        _ = input_ended => {}
    }
}
