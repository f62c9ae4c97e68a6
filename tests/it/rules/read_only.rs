//! A read-only database: readiness keeps load balancers from sending requests to a server on it.

use crate::PROGRAM;
use acceptance::{World, on_each_database};

/// The URL at which this database refuses writes.
async fn read_only_url(world: &World) -> String {
    let url = &world.database_url;
    match world.database.name() {
        "sqlite" => format!("{url}?mode=ro"),
        "postgres" => format!("{url}?options[default_transaction_read_only]=on"),
        _ => {
            let name = url.rsplit('/').next().expect("a name");
            let reader = format!("reader_{}", &name[name.len().saturating_sub(20)..]);
            world.sql(&format!("CREATE USER {reader}@'%' IDENTIFIED BY 'words'")).await;
            world.sql(&format!("GRANT SELECT ON {name}.* TO {reader}@'%'")).await;
            url.replace("loans:loans@", &format!("{reader}:words@"))
        }
    }
}

#[tokio::test]
async fn a_server_whose_database_cannot_be_written_is_not_ready() {
    on_each_database(PROGRAM, |mut world| async move {
        let read_only = read_only_url(&world).await;
        let (http, writable) = (world.client.http.clone(), world.database_url.clone());
        let client = world.client.clone();
        let servers = [
            (&mut world.auth, "AUTH_DATABASE_URL", &client.auth_url),
            (&mut world.api, "API_DATABASE_URL", &client.api_url),
        ];
        for (process, setting, url) in servers {
            let ready = async || {
                let request = http.get(format!("{url}/health/ready"));
                client.send(request).await.expect("a response")
            };
            assert_eq!(ready().await.expect(200).json()["status"], "ready");
            process.kill().await;
            process.set(setting, &read_only);
            process.restart_unready(&http).await;
            let refused = ready().await.expect(503);
            let text = "the database can be read, but not written";
            assert!(refused.text.contains(text), "{}", refused.text);
            assert!(!refused.header("retry-after").is_empty());
            process.kill().await;
            process.set(setting, &writable);
            process.restart(&http).await;
        }
        if read_only.contains("reader_") {
            let reader = read_only.split("//").nth(1).and_then(|rest| rest.split(':').next());
            world.sql(&format!("DROP USER {}@'%'", reader.expect("a name"))).await;
        }
        world
    })
    .await;
}
