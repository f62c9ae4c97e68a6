"""What an integration does with the API: run it with the path of a quickstart's `quickstart.json`.

It logs in, reads a loan, lists its transactions page by page, finds a borrower, posts a payment once,
uploads and downloads a document, imports a file, refreshes, and reads problems. It prints a line per
step and ends at the first one that fails. The documentation page shows its samples."""

import json
import os
import sys
import tempfile

# sample: log-in
from pathlib import Path

from loan_servicing import (
    ApiException,
    CommentsApi,
    ExcessHandling,
    FilesApi,
    ImportApi,
    LoansApi,
    NewPayment,
)
from loan_servicing.session import Session, problem_kind

# end
from loan_servicing import ContactsApi
from loan_servicing.session import LogInRefused, LogInRequired

# What a PNG begins with, then every byte there is: nothing may read this as text.
SCAN = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
CONTACT = b"""<Core CommitBlock="1"><Contact ContactNumber="C-PY" ContactTypeCode="BORROWER"
    EntityCode="INDIVIDUAL" ShortName="PY" FirstName1="Py" LastName1="Thon"/></Core>"""


def expect(step, holds):
    if not holds:
        sys.exit(f"failed: {step}")
    print(step, flush=True)


def kind_of(call):
    """The kind of the problem that a call is refused with."""
    try:
        call()
    except ApiException as refused:
        return problem_kind(refused)
    raise AssertionError("nothing was refused")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        quickstart = json.load(file)
    client, admin = quickstart["clients"]["integration"], quickstart["users"]["admin"]
    api_url, auth_url = quickstart["api_url"], quickstart["auth_url"]
    client_id, client_secret = client["client_id"], client["client_secret"]
    ca_certificate = quickstart["ca_certificate"]
    username, password = admin["username"], admin["password"]
    # sample: log-in
    session = Session(api_url, auth_url, client_id, client_secret, ca_certificate)
    # end
    loans, contacts = LoansApi(session), ContactsApi(session)
    os.chdir(tempfile.mkdtemp())
    Path("scan.png").write_bytes(SCAN)
    Path("contact.xml").write_bytes(CONTACT)

    try:
        session.log_in(username, "wrong")
        expect("refused a wrong password", False)
    except LogInRefused as refused:
        expect("refused a wrong password", refused.error == "invalid_grant")
    try:
        loans.get_loan(1)
        expect("asked for a log-in", False)
    except LogInRequired:
        expect("asked for a log-in", True)

    # sample: log-in
    session.log_in(username, password)
    # end
    # sample: token
    loans = LoansApi(session)
    loan = loans.get_loan(1)
    # end
    expect(f"read loan {loan.loan_number}", loan.loan_id == 1)
    # sample: find
    found = loans.list_loans(loan_number="L-000001")
    # end
    expect("found it by its number", [row.loan_id for row in found] == [1])

    # sample: repeating
    # Repeats the payment by itself if no response comes. To repeat it after a restart of your program,
    # store the key with it.
    payment = NewPayment(Amount="10.07", Excess_Handling=ExcessHandling.SUSPENSE)
    posted = loans.post_payment(1, payment, idempotency_key="example-1")
    # end
    again = loans.post_payment(1, payment, idempotency_key="example-1")
    expect("posted a payment once", posted == again)

    everything = loans.list_transactions(1, limit=1000)
    by_twos = []
    # sample: paging
    for row in session.pages(loans.list_transactions, 1, limit=2):
        print(row.transaction_date, row.transaction_amount)
        # end
        by_twos.append(row)
    expect("read a list page by page", len(everything) > 2 and by_twos == everything)

    # sample: upload
    comment_id = 1
    scan = ("scan.png", Path("scan.png").read_bytes())
    document = CommentsApi(session).create_loan_comment_document(comment_id, scan, name="A scan")
    content = FilesApi(session).download_file(document.files[0].file_id)
    # end
    expect("uploaded and downloaded a document", content == SCAN)

    # sample: imports
    contact = Path("contact.xml").read_bytes()
    result = ImportApi(session).import_xml(test=False, body=contact, _request_timeout=600.0)
    for record in result.records:
        print(record.line, record.element, record.action)
    # end
    expect("imported a contact", result.committed and result.failed == 0)
    found = contacts.list_contacts(contact_number="C-PY")
    expect("found it", [row.last_name1 for row in found] == ["Thon"])

    first = session.refresh_token
    # sample: sessions
    # A session refreshes its token by itself. Another process can continue it with the refresh
    # token; this one must not use it afterwards.
    other = Session(api_url, auth_url, client_id, client_secret, ca_certificate)
    other.resume(session.refresh_token)
    # end
    session, loans = other, LoansApi(other)
    expect("refreshed", session.refresh_token != first and loans.get_loan(1) is not None)

    expect("read not-found", kind_of(lambda: loans.get_loan(999_999_999)) == "not-found")
    kind = None
    # sample: errors
    try:
        loans.post_payment(1, NewPayment(Amount="0.00"))
    except ApiException as refused:
        kind, problem = problem_kind(refused), refused.data
        print(problem.title, problem.errors, problem.request_id)
    # end
    expect("read amount-not-positive", kind == "amount-not-positive")

    # sample: sessions
    session.log_out()
    # end
    expect("logged out", session.refresh_token is None)


if __name__ == "__main__":
    main()
