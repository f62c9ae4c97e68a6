//! `installer audit`

use super::{audit, command, installer, run};
use crate::PROGRAM;
use acceptance::installed_clients::{faketime, skip};
use acceptance::{World, on_each_database};
use serde_json::Value;

/// Inserts an event that happened this many seconds ago by the database's clock.
async fn add_event(world: &World, event: &str, seconds_ago: i64, user: (&str, &str), client: &str) {
    let date = match world.database.name() {
        "sqlite" => format!("strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now', '-{seconds_ago} seconds')"),
        "mysql" => format!("utc_timestamp(6) - interval {seconds_ago} second"),
        _ => format!("clock_timestamp() - interval '{seconds_ago} seconds'"),
    };
    let (kind, name) = user;
    world
        .sql(&format!(
            "INSERT INTO auth_events (event_date, event, user_kind, user_id, user_name, client_id, \
             source, request_id, token_hash_prefix) VALUES ({date}, '{event}', '{kind}', 7, \
             '{name}', '{client}', '192.0.2.1', 'abc', 'k1:0123456789ab')"
        ))
        .await;
}

/// Four events, the oldest written last: two days, three hours, an hour and zero seconds ago.
async fn fill(world: &World) {
    add_event(world, "log_in", 0, ("core", "jo"), "browser").await;
    add_event(world, "locked", 3600, ("web", "jo"), "browser").await;
    add_event(world, "log_in_failed", 3 * 3600, ("core", "al"), "integration").await;
    add_event(world, "token_issued", 2 * 86_400, ("core", "jo"), "integration").await;
}

#[tokio::test]
async fn events_are_listed_oldest_first_and_can_be_filtered() {
    on_each_database(PROGRAM, |world| async move {
        fill(&world).await;
        for (extra, expected) in [
            (&[][..], &["token_issued", "log_in_failed", "locked", "log_in"][..]),
            (&["--last", "2"], &["locked", "log_in"]),
            (&["--user", "jo"], &["token_issued", "log_in"]),
            (&["--user", "jo", "--web"], &["locked"]),
            (&["--client", "integration"], &["token_issued", "log_in_failed"]),
            (&["--event", "log_in", "--event", "locked"], &["locked", "log_in"]),
            (&["--event", "log_in", "locked", "--client", "browser"], &["locked", "log_in"]),
            (&["--since", "2h"], &["locked", "log_in"]),
            (&["--since", "90m"], &["locked", "log_in"]),
            (&["--since", "7d"], &["token_issued", "log_in_failed", "locked", "log_in"]),
            (&["--since", "600s", "--user", "jo"], &["log_in"]),
            (&["--since", "2020-01-01T00:00:00+01:00", "--last", "1"], &["log_in"]),
            (&["--since", "2999-01-01T00:00:00Z"], &[]),
        ] {
            let expected: Vec<_> = expected.iter().map(|event| format!("{event} -")).collect();
            assert_eq!(audit(&world, extra).await, expected, "{extra:?}");
        }
        for (who, why) in [
            (&["--user", "nobody"][..], "no such user: nobody (for a web user, pass --web)"),
            (&["--user", "nobody", "--web"], "no such web user: nobody"),
            (&["--client", "nobody"], "no such client: nobody"),
        ] {
            installer(&world, &[&["audit"], who].concat()).await.expect_refusal(why);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn events_are_printed_as_columns_or_as_json_lines() {
    on_each_database(PROGRAM, |world| async move {
        fill(&world).await;
        let text = installer(&world, &["audit"]).await.expect_success();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert!(lines[0].starts_with("time  "), "{text}");
        let column = lines[0].find("client").expect("a heading");
        assert_eq!(&lines[1][column..column + 11], "integration", "{text}");
        assert_eq!(&lines[4][column..column + 7], "browser", "{text}");
        assert!(lines[3].contains("web:jo") && lines[4].contains("core:jo"), "{text}");
        let json = installer(&world, &["audit", "--json", "--last", "1"]).await.expect_success();
        let event: Value = serde_json::from_str(json.trim_end()).expect("JSON");
        assert!(event["event_date"].as_str().is_some_and(|date| date.ends_with('Z')), "{event}");
        for (name, value) in [
            ("event", "log_in"),
            ("user_kind", "core"),
            ("user_name", "jo"),
            ("client_id", "browser"),
            ("source", "192.0.2.1"),
            ("request_id", "abc"),
            ("token_hash_prefix", "k1:0123456789ab"),
        ] {
            assert_eq!(event[name], value);
        }
        assert_eq!((&event["user_id"], &event["reason"]), (&7.into(), &Value::Null));
        for wrong in [&["--since", "yesterday"][..], &["--event", "x"], &["--last", "0"]] {
            let output = installer(&world, &[&["audit"], wrong].concat()).await;
            assert_eq!(output.code, Some(2), "{}", output.stderr);
        }
        world
    })
    .await;
}

/// SQLite has no clock but the process's, so only database servers can be right when it is wrong.
#[tokio::test]
async fn relative_times_use_the_database_clock() {
    let library = match faketime() {
        Ok(library) => library,
        Err(missing) => return skip(&missing),
    };
    on_each_database(PROGRAM, |world| async move {
        fill(&world).await;
        if world.database.name() != "sqlite" {
            let mut elsewhen = command(&["audit", "--json", "--since", "2h"]);
            elsewhen.args(["--database-url", &world.database_url]).envs([
                ("LD_PRELOAD", library),
                ("FAKETIME", "+10d"),
                ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            ]);
            assert_eq!(run(elsewhen).await.expect_success().lines().count(), 2);
        }
        world
    })
    .await;
}
