//! Documents in a bucket: set by flags or by answers, and tested before anything is done.

use super::wizard::{answer_up_to_certificates, start};
use super::{TestMachine, error_line, printed};
use acceptance::Database;
use acceptance::installed_clients::skip;
use acceptance::moto::{BUCKET, Moto, MotoProgram, PREFIX};
use acceptance::servers::free_port;
use acceptance::terminal::keys;
use api_server::documents::store::Location;

const SECRET: &str = "a secret of the tests";

/// A machine, an object store, and the store's URL.
async fn machine() -> Option<(TestMachine, Moto, String)> {
    let program = match MotoProgram::find() {
        Ok(program) => program,
        Err(missing) => {
            skip(&missing);
            return None;
        }
    };
    let machine = TestMachine::new(&Database::Sqlite).await;
    let moto = Moto::start(&program, machine.folder.path()).await;
    let Location::Bucket(bucket) = moto.location() else { panic!("a bucket") };
    Some((machine, moto, bucket.endpoint.expect("a URL")))
}

#[tokio::test]
async fn the_api_server_gets_the_buckets_settings() {
    let Some((machine, _moto, url)) = machine().await else { return };
    let file = machine.path("secret");
    std::fs::write(&file, format!("{SECRET}\n")).expect("a file");
    let documents_flag = format!("--documents=s3://{BUCKET}/{PREFIX}");
    let (endpoint, secret) = (format!("--s3-endpoint={url}"), file.display().to_string());
    let key = ["--s3-access-key-id=test", "--s3-secret-file", &secret];
    let unreachable = format!("--s3-endpoint=http://127.0.0.1:{}", free_port());
    let output = machine.install(&[&[&*documents_flag, &*unreachable], &key[..]].concat()).await;
    let refused = error_line(&output);
    for message in [&format!("cannot use s3://{BUCKET}/{PREFIX}"), "pass the --s3-endpoint"] {
        assert!(refused.contains(message), "no {message:?} in {refused}");
    }
    let partial = error_line(&machine.install(&[&*documents_flag, &*endpoint, key[0]]).await);
    assert!(partial.contains("one is set and the other is not"), "{partial}");
    assert_eq!(machine.leftovers().await, [""; 0]);

    let first =
        printed(&machine.install(&[&[&*documents_flag, &*endpoint], &key[..]].concat()).await);
    assert!(first.contains("Installed.") && !first.contains(SECRET), "{first}");
    let settings = machine.text("etc/api-server.env");
    for line in [
        format!("API_DOCUMENTS=s3://{BUCKET}/{PREFIX}"),
        format!("API_S3_ENDPOINT={url}"),
        "API_S3_ACCESS_KEY_ID=test".to_owned(),
        format!("API_S3_SECRET_ACCESS_KEY={SECRET}"),
    ] {
        assert!(settings.lines().any(|it| it == line), "no {line} in {settings}");
    }
    // The settings are remembered for the next run, which tests the bucket again.
    let repeated = printed(&machine.install(&["--s3-region=eu-west-1"]).await);
    assert!(repeated.contains("Installed."), "{repeated}");
    let changed = machine.text("etc/api-server.env");
    for line in ["API_S3_REGION=eu-west-1", "API_S3_ACCESS_KEY_ID=test"] {
        assert!(changed.lines().any(|it| it == line), "no {line} in {changed}");
    }
}

#[tokio::test]
async fn bucket_options_are_refused_for_a_folder() {
    let machine = TestMachine::new(&Database::Sqlite).await;
    let refused = error_line(&machine.install(&["--s3-region=eu-west-1"]).await);
    let folder = machine.path("data/documents").display().to_string();
    assert!(refused.contains(&format!("documents are in {folder}: pass --documents s3:")));
    assert_eq!(machine.leftovers().await, [""; 0]);
}

#[tokio::test]
async fn an_unreachable_bucket_is_asked_for_again() {
    let Some((machine, _moto, url)) = machine().await else { return };
    let mut terminal = start(&machine);
    answer_up_to_certificates(&mut terminal, &machine);
    terminal.answer("Where should documents be stored?", keys::DOWN);
    let closed = format!("http://127.0.0.1:{}", free_port());
    terminal.answer("Bucket:", &format!("s3://{BUCKET}"));
    terminal.answer("URL of the service:", &closed);
    terminal.answer("File with the authorities of its certificate:", "");
    terminal.answer("Region:", "");
    terminal.answer("Access key ID:", "test");
    terminal.answer("Secret access key:", SECRET);
    terminal.wait_for(&format!("cannot use s3://{BUCKET}"));
    terminal.answer("Answer again?", "y");
    terminal.answer("Bucket:", "");
    terminal.answer("URL of the service:", &url);
    terminal.answer("File with the authorities of its certificate:", "");
    terminal.answer("Region:", "");
    terminal.answer("Access key ID:", "");
    terminal.answer("Secret access key:", SECRET);
    terminal.answer("Name of the admin account:", "");
    terminal.answer("Register a client for programs", "n");
    terminal.wait_for("10 of 10 checks passed");
    terminal.press(keys::CTRL_C);
    let (_, screen) = terminal.wait_for_end();
    assert!(!screen.contains(SECRET), "no secret is shown\n{screen}");
    assert_eq!(machine.leftovers().await, [""; 0]);
}
