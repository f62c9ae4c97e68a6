//! Documents of a hidden field: absent from every list, and not found by id.

use super::owners;
use crate::PROGRAM;
use acceptance::forms::Form;
use acceptance::on_each_database;

#[tokio::test]
async fn documents_of_a_hidden_field_are_not_found() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        for (kind, list) in owners(&rows) {
            let form = Form::file("a.txt", b"words");
            let document = world.client.upload(&admin, &list, form, None).await.expect(201).json();
            let file = document["Files"][0]["Download_Path"].as_str().expect("a path").to_owned();
            let mut paths = vec![list.clone(), file];
            if let Some(row) = document["Row_ID"].as_i64() {
                paths.push(format!("/user-defined-fields/documents/{row}"));
                paths.push(format!("/user-defined-fields/documents/{row}/files"));
            }
            let expect_status = async |status: u16| {
                for path in &paths {
                    let response = world.client.get(&admin, path).await;
                    assert_eq!(response.status, status, "{kind} {path}: {}", response.text);
                }
            };
            expect_status(200).await;
            let hidden = match world.database.name() {
                "postgres" => ["true", "false"],
                _ => ["1", "0"],
            };
            let hide = async |flag: &str| {
                world.sql(&format!("UPDATE user_defined_fields SET hidden_flag = {flag}")).await;
            };
            hide(hidden[0]).await;
            expect_status(if document["Row_ID"].is_null() { 200 } else { 404 }).await;
            hide(hidden[1]).await;
            expect_status(200).await;
        }
        world
    })
    .await;
}
