//! What an integration does with the API, by the client that `openapi-generator -g rust` makes.
//!
//! Written to be read and copied: `main_job quickstart.json`. It prints a line per step and ends at
//! the first one that fails.

use loan_servicing::apis::configuration::Configuration;
use loan_servicing::apis::{Error, comments_api, files_api, loans_api, users_api};
use loan_servicing::models::{ExcessHandling, NewPayment, Problem};
use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

/// What a PNG begins with; then every byte there is, because nothing may read this as text.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Plain HTTP, as the API's client has it too, for the two things that are no part of the API.
async fn log_in(http: &reqwest::Client, quickstart: &Value, user: &str) -> Result<String, Failure> {
    let (client, user) = (&quickstart["clients"]["integration"], &quickstart["users"][user]);
    let form = [
        ("grant_type", "password"),
        ("scope", "core"),
        ("username", text(&user["username"])),
        ("password", text(&user["password"])),
    ];
    let answer = http
        .post(format!("{}/oauth2/token", text(&quickstart["auth_url"])))
        .basic_auth(text(&client["client_id"]), Some(text(&client["client_secret"])))
        .form(&form)
        .send()
        .await?
        .error_for_status()?;
    let tokens: Value = answer.json().await?;
    Ok(text(&tokens["access_token"]).to_owned())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The problem document that a call is refused with. What has another form than the call's answers
/// is read from the text.
fn problem_of<Answer, Other>(result: Result<Answer, Error<Other>>) -> Result<Problem, Failure> {
    match result {
        Err(Error::ResponseError(refused)) => Ok(serde_json::from_str(&refused.content)?),
        Err(_) => Err("there was no answer".into()),
        Ok(_) => Err("nothing was refused".into()),
    }
}

fn expect(step: &str, holds: bool) -> Result<(), Failure> {
    if !holds {
        return Err(format!("failed: {step}").into());
    }
    println!("{step}");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).ok_or("main_job quickstart.json")?;
    let quickstart: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let authority = std::fs::read(text(&quickstart["ca_certificate"]))?;
    let authority = reqwest::Certificate::from_pem(&authority)?;
    let http = reqwest::Client::builder().tls_certs_only([authority]).build()?;
    let token = log_in(&http, &quickstart, "admin").await?;
    expect("logged in", !token.is_empty())?;

    let api = Configuration {
        base_path: text(&quickstart["api_url"]).to_owned(),
        client: http.clone(),
        bearer_access_token: Some(token.clone()),
        ..Configuration::default()
    };

    let loan = loans_api::get_loan(&api, 1).await?;
    expect(&format!("read loan {}", loan.loan_number), loan.loan_id == 1)?;

    let mut payment = NewPayment::new("10.07".to_owned());
    payment.excess_handling = Some(ExcessHandling::Suspense);
    let key = uuid::Uuid::new_v4().to_string();
    let post = |payment| loans_api::post_payment(&api, 1, payment, None, Some(&key));
    let posted = post(payment.clone()).await?;
    let amount = &posted[0].transaction_amount;
    expect(&format!("posted {amount}"), amount == "10.07")?;
    expect("posted it once", post(payment).await? == posted)?;

    // This client shows no headers, so `Link` cannot be followed: a list that has more than a page
    // is asked for in parts (`from` and `to`), or by plain HTTP.
    let listed =
        loans_api::list_transactions(&api, 1, None, None, None, None, Some(1000), None, None).await?;
    let there = listed.iter().any(|row| row.transaction_id == posted[0].transaction_id);
    expect(&format!("listed {} transactions", listed.len()), there)?;
    let users = users_api::list_users(&api, Some(2), None).await?;
    expect("listed the first 2 users", users.len() == 2)?;

    let scan: Vec<u8> = PNG.iter().copied().chain(0..=255).collect();
    let path = std::env::temp_dir().join(format!("{key}.png"));
    std::fs::write(&path, &scan)?;
    let uploaded = comments_api::create_loan_comment_document(
        &api,
        1,
        path.clone(),
        None,
        Some("A scan"),
        None,
    );
    let document = uploaded.await?;
    std::fs::remove_file(&path)?;
    let file = &document.files[0];
    expect(&format!("uploaded {} bytes", file.size_bytes), file.size_bytes == scan.len() as i64)?;
    let download = files_api::download_file(&api, file.file_id, None, None, None, None).await?;
    expect("downloaded the same bytes", download.bytes().await? == scan)?;

    let problem = problem_of(loans_api::get_loan(&api, 999_999_999).await)?;
    let named = problem.r#type == "urn:problem-type:core:not-found";
    expect(&format!("read {}", problem.r#type), named)?;
    let nothing = NewPayment::new("0.00".to_owned());
    let problem = problem_of(loans_api::post_payment(&api, 1, nothing, None, None).await)?;
    let field = problem.errors.as_ref().and_then(|errors| errors.first());
    let named = field.is_some_and(|error| error.field == "Amount");
    expect(&format!("read {}", problem.r#type), problem.status == 422 && named)?;

    let url = format!("{}/logout", text(&quickstart["auth_url"]));
    http.post(url).bearer_auth(token).send().await?.error_for_status()?;
    let problem = problem_of(loans_api::get_loan(&api, 1).await)?;
    let refused = problem.r#type == "urn:problem-type:core:token-invalid";
    expect("logged out", problem.status == 401 && refused)?;
    Ok(())
}
