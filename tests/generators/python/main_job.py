"""What an integration does with the API, by the client that `openapi-generator -g python` makes.

Written to be read and copied: `main_job.py quickstart.json`, with the generated package on the
PYTHONPATH. It prints a line per step and ends at the first one that fails."""

import base64
import json
import ssl
import sys
import urllib.parse
import urllib.request
import uuid

import loan_servicing as api

# What a PNG begins with, then every byte there is: nothing may read this as text.
SCAN = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def post_to_auth_server(quickstart, path, authorization, form=None):
    """Plain HTTP of the language, for the two things that are no part of the API."""
    request = urllib.request.Request(
        quickstart["auth_url"] + path,
        data=urllib.parse.urlencode(form or {}).encode(),
        headers={"Authorization": authorization},
    )
    trust = ssl.create_default_context(cafile=quickstart["ca_certificate"])
    with urllib.request.urlopen(request, context=trust) as answer:
        return answer.read()


def log_in(quickstart, user):
    client, user = quickstart["clients"]["integration"], quickstart["users"][user]
    basic = base64.b64encode(f"{client['client_id']}:{client['client_secret']}".encode()).decode()
    form = {
        "grant_type": "password",
        "scope": "core",
        "username": user["username"],
        "password": user["password"],
    }
    answer = post_to_auth_server(quickstart, "/oauth2/token", f"Basic {basic}", form)
    return json.loads(answer)["access_token"]


def all_transactions(loans, loan_id, page_size):
    """Page by page: `Link` of each has the cursor of the next one. Names of headers are small here."""
    after, found = None, []
    while True:
        page = loans.list_transactions_with_http_info(loan_id, limit=page_size, after=after)
        found += page.data
        link = page.headers.get("link")
        if link is None:
            return found
        query = urllib.parse.urlsplit(link[link.index("<") + 1 : link.index(">")]).query
        after = urllib.parse.parse_qs(query)["after"][0]


def problem_of(call):
    """The problem document that a call is refused with."""
    try:
        call()
    except api.ApiException as refused:
        return refused.data
    raise AssertionError("nothing was refused")


def expect(step, holds):
    if not holds:
        sys.exit(f"failed: {step}")
    print(step, flush=True)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        quickstart = json.load(file)
    token = log_in(quickstart, "admin")
    expect("logged in", token)

    configuration = api.Configuration(
        host=quickstart["api_url"],
        access_token=token,
        ssl_ca_cert=quickstart["ca_certificate"],
    )
    client = api.ApiClient(configuration)
    loans, comments, files = api.LoansApi(client), api.CommentsApi(client), api.FilesApi(client)

    loan = loans.get_loan(1)
    expect(f"read loan {loan.loan_number}", loan.loan_id == 1)

    payment = api.NewPayment(Amount="10.07", Excess_Handling=api.ExcessHandling.SUSPENSE)
    key = str(uuid.uuid4())
    posted = loans.post_payment_with_http_info(1, payment, idempotency_key=key)
    amount = posted.data[0].transaction_amount
    expect(f"posted {amount}", posted.status_code == 201 and amount == "10.07")
    repeated = loans.post_payment_with_http_info(1, payment, idempotency_key=key)
    expect(
        "posted it once",
        repeated.data == posted.data and repeated.headers["idempotency-replayed"] == "true",
    )

    whole = loans.list_transactions(1, limit=1000)
    expect(
        f"listed {len(whole)} transactions in pages of 2",
        len(whole) > 2 and all_transactions(loans, 1, 2) == whole,
    )

    document = comments.create_loan_comment_document(1, ("scan.png", SCAN), name="A scan")
    file = document.files[0]
    expect(f"uploaded {file.file_name}", file.size_bytes == len(SCAN))
    expect("downloaded the same bytes", files.download_file(file.file_id) == SCAN)

    problem = problem_of(lambda: loans.get_loan(999_999_999))
    expect(f"read {problem.type}", problem.type == "urn:problem-type:core:not-found")
    nothing = api.NewPayment(Amount="0.00")
    problem = problem_of(lambda: loans.post_payment(1, nothing))
    expect(
        f"read {problem.type}",
        problem.status == 422 and problem.errors[0].var_field == "Amount",
    )

    post_to_auth_server(quickstart, "/logout", f"Bearer {token}")
    problem = problem_of(lambda: loans.get_loan(1))
    expect(
        "logged out",
        problem.status == 401 and problem.type == "urn:problem-type:core:token-invalid",
    )


if __name__ == "__main__":
    main()
