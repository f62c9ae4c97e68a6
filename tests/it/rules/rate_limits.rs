//! Rate limits on the requests of a caller, if the installation sets them.

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file, web_access};
use acceptance::world::{Environment, on_each_database_with};
use futures_util::future::join_all;
use std::time::Duration;

#[tokio::test]
async fn a_caller_over_the_limit_is_told_when_to_retry_and_others_are_not_delayed() {
    let limit = ("API_REQUESTS_PER_SECOND".to_owned(), "1".to_owned());
    let environment = Environment { api: [limit].into(), ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let records = borrower_with_loan(1, OPEN_TERMS) + web_access(1).as_str();
        world.import(&admin, &file(&records)).await;
        let contact = world.count("SELECT contact_id FROM contacts").await;
        let (viewer, teller) = (world.token("viewer").await, world.token("teller").await);
        let web = world.web_token(1).await;
        let detail = format!("/contacts/{contact}/detail");
        for (token, path) in [(&viewer, "/setup/loan/interest-plans"), (&web, &detail)] {
            let responses = join_all((0..12).map(|_| world.client.get(token, path))).await;
            let (refused, admitted): (Vec<_>, Vec<_>) =
                responses.into_iter().partition(|response| response.status == 429);
            assert!((2..=6).contains(&admitted.len()), "{} of 12 came in", admitted.len());
            for response in admitted {
                response.expect(200);
            }
            let mut wait = 0;
            for response in refused {
                let response = response.expect_problem(429, "too-many-requests");
                wait = response.header("retry-after").parse().expect("seconds");
                assert!((1..=2).contains(&wait), "{wait}");
            }
            world.client.get(&teller, "/setup/loan/interest-plans").await.expect(200);
            tokio::time::sleep(Duration::from_secs(wait)).await;
            world.client.get(token, path).await.expect(200);
        }
        // A second token does not make a second caller.
        let second_token = world.token("viewer").await;
        let path = "/setup/loan/interest-plans";
        let tokens = (0..6).flat_map(|_| [&viewer, &second_token]);
        let responses = join_all(tokens.map(|token| world.client.get(token, path))).await;
        assert!(responses.iter().filter(|response| response.status == 200).count() <= 6);
        world
    })
    .await;
}
