//! Mistakes of integrators that are reported immediately: unknown parameters, several errors in one
//! body, and a PUT with the body of its own GET.

use crate::PROGRAM;
use crate::api::loans::import_loan;
use acceptance::on_each_database;
use acceptance::seeds::OPEN_TERMS;
use acceptance::world::{Environment, on_each_database_with};
use reqwest::Method;
use serde_json::{Value, json};

fn errors(problem: &Value) -> Vec<(&str, &str)> {
    let errors = problem["errors"].as_array().into_iter().flatten();
    let texts = errors.map(|error| (error["field"].as_str(), error["message"].as_str()));
    texts.map(|(field, message)| (field.expect("a field"), message.expect("a text"))).collect()
}

#[tokio::test]
async fn an_unknown_parameter_is_refused_and_the_nearest_one_suggested() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions");
        let payments = format!("{path}/payments?tets=true");
        let slip = world.client.post(&admin, &payments, &json!({"Amount": "10.00"}), None).await;
        let slip = slip.expect_problem(400, "bad-request").json();
        let nearest = "is not a parameter of this operation; the closest is test";
        assert_eq!(errors(&slip), [("tets", nearest)]);
        let posted = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(posted).await, 0);

        let misspelt_path =
            format!("{path}?form=2020-01-01&limits=5&limit=7&%3Cb%3E={}", "x".repeat(500));
        let problem = world
            .client
            .get(&admin, &misspelt_path)
            .await
            .expect_problem(400, "bad-request")
            .json();
        let expected = [("form", "from"), ("limits", "limit"), ("<b>", "")];
        for ((field, message), (name, nearest)) in errors(&problem).into_iter().zip(expected) {
            assert_eq!(field, name);
            assert!(message.ends_with(nearest), "{message}");
        }
        let none = world.client.get(&admin, &format!("/loans/{loan_id}?fields=all")).await;
        let none = none.expect_problem(400, "bad-request").json();
        assert_eq!(errors(&none)[0].1, "is not a parameter: this operation takes none");
        let head = world.client.request(Method::HEAD, &admin, &format!("{path}?form=1"));
        assert_eq!(world.client.send(head).await.expect("a response").status, 400);
        // A caller who may not call the operation learns nothing about its parameters.
        world.client.get("", &misspelt_path).await.expect(401);
        // Operations about cards do not repeat what was sent.
        let cards = format!("/loans/{loan_id}/payment-gateway/credit-cards?card=secret");
        let problem =
            world.client.get(&admin, &cards).await.expect_problem(400, "bad-request").json();
        assert!(errors(&problem).is_empty(), "{problem}");

        // Paths that are not operations of the contract accept any parameter.
        for path in ["/docs", "/openapi.json", "/xml-import.xsd", "/health/ready", "/health/live"] {
            world.client.get("", &format!("{path}?utm_source=mail")).await.expect(200);
        }
        let client = ("integration", world.credentials.integration.as_str());
        let form = [("grant_type", "client_credentials"), ("audience", "x")];
        let response = world.client.form(client, "/oauth2/token?tenant=1", &form).await;
        assert_eq!(response.json()["error"], "unsupported_grant_type", "{}", response.text);
        world
    })
    .await;
}

#[tokio::test]
async fn unknown_parameters_can_be_ignored_and_counted_for_older_clients() {
    let ignore = ("API_UNKNOWN_PARAMETERS".to_owned(), "ignore".to_owned());
    let environment = Environment { api: [ignore].into(), ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let counted =
            async || world.counted::<u64>(&[&world.metrics.1], "unknown_parameters").await;
        assert_eq!(counted().await, 0);
        for query in ["cacheBuster=1&limit=1", "limit=1", "a=1&b=2"] {
            world.client.get(&admin, &format!("/users?{query}")).await.expect(200);
        }
        assert_eq!(counted().await, 3);
        world
    })
    .await;
}

/// The interface writes `Test`, and .NET sends `True`.
#[tokio::test]
async fn parameters_and_truth_values_are_read_in_any_case() {
    let ignore = ("API_UNKNOWN_PARAMETERS".to_owned(), "ignore".to_owned());
    let environment = Environment { api: [ignore].into(), ..Environment::default() };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let before = world.snapshot().await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let pay = async |query: &str| {
            let payment = json!({"Amount": "10.00"});
            world.client.post(&admin, &format!("{path}?{query}"), &payment, None).await
        };
        for query in ["Test=true", "TEST=True", "test=TRUE"] {
            pay(query).await.expect(200);
            let file = "<Core><Contact/></Core>";
            let import = world.client.request(Method::POST, &admin, "/core/xml-import");
            let import = import.query(&[query.split_once('=').expect("a value")]);
            let import = import.header("content-type", "application/xml").body(file);
            world.client.send(import).await.expect("a response").expect(200);
        }
        for query in ["test=false&Test=true", "Test=true&Test=true"] {
            let refused = pay(query).await.expect_problem(400, "bad-request");
            assert!(refused.text.contains("more than once"), "{}", refused.text);
        }
        let refused = pay("Test=perhaps").await.expect_problem(400, "bad-request");
        assert!(refused.text.contains("must be true or false"), "{}", refused.text);
        assert_eq!(world.snapshot().await, before);
        let page = world.client.get(&admin, "/users?LIMIT=1").await.expect(200);
        let next = page.header("link").to_owned();
        assert!(next.starts_with("</users?limit=1&after="), "{next}");
        let all = world.client.get(&admin, "/users").await.expect(200);
        assert!(all.headers.get("link").is_none());
        world
    })
    .await;
}

#[tokio::test]
async fn all_faults_of_a_body_are_reported_together() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let body = json!({
            "Amount": 10, "Effective_Date": "2024-02-30", "Payoff": "yes", "amount": "10.00",
        });
        let problem = world.client.post(&admin, &path, &body, None).await;
        let problem = problem.expect_problem(400, "bad-request").json();
        let mut fields: Vec<_> = errors(&problem).into_iter().map(|(field, _)| field).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["Amount", "Effective_Date", "Payoff", "amount"]);

        let many: serde_json::Map<_, _> =
            (0..200).map(|number| (format!("M{number}"), json!(1))).collect();
        let problem = world.client.post(&admin, &path, &Value::Object(many), None).await;
        let problem = problem.expect_problem(400, "bad-request").json();
        assert_eq!(errors(&problem).len(), 50);
        assert_eq!(errors(&problem)[0], ("Amount", "is required"));
        world
    })
    .await;
}

#[tokio::test]
async fn a_get_response_can_be_sent_to_put_and_changes_only_writable_members() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        let document = "SELECT MIN(document_id) FROM documents WHERE owner_type = 'loan_detail1'";
        let document = format!("/user-defined-fields/documents/{}", world.count(document).await);
        let comment = format!("/loans/collateral/comments/{}", rows.comment_ids[2]);
        for (path, read_only_member, fixed) in
            [(comment, "Comment", "Entered_By_User_ID"), (document, "Name", "Owner_ID")]
        {
            let put = async |body: &Value| {
                let request = world.client.request(Method::PUT, &admin, &path).json(body);
                world.client.send(request).await.expect("a response")
            };
            let mut row = world.client.get(&admin, &path).await.expect(200).json();
            let unchanged = put(&row).await.expect(200).json();
            assert_eq!(unchanged, row, "nothing was changed");
            row[read_only_member] = json!("Other words");
            let changed = put(&row).await.expect(200).json();
            assert_eq!(changed[read_only_member], "Other words");
            // The version is checked first: a value that differs may have been right a moment ago.
            put(&row).await.expect_problem(409, "stale-version");

            let mut wrong = changed.clone();
            for (member, value) in [(fixed, json!(4711)), ("Modified_Date", json!("yesterday"))] {
                wrong[member] = value;
            }
            wrong[read_only_member] = json!("Never");
            let problem = put(&wrong).await.expect_problem(400, "bad-request").json();
            let mut fields: Vec<_> = errors(&problem).into_iter().map(|(field, _)| field).collect();
            fields.sort_unstable();
            let mut expected = [fixed, "Modified_Date"];
            expected.sort_unstable();
            assert_eq!(fields, expected);
            let mut empty = changed.clone();
            empty[fixed] = Value::Null;
            put(&empty).await.expect(200);
            assert_eq!(world.client.get(&admin, &path).await.expect(200).json(), changed);
        }
        world
    })
    .await;
}
