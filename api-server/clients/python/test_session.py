"""What a session does when servers refuse, stall or disappear: `python -m pytest test_session.py`, with
the package installed. The servers here answer from a script and record what they were sent."""

import http.server
import json
import threading
import time

import pytest
import urllib3
from loan_servicing import ApiException, CommentsApi, LoansApi, NewPayment
from loan_servicing.session import LogInRefused, LogInRequired, Session, problem_kind

TOKEN = {"access_token": "first", "refresh_token": "r1", "expires_in": 600}
ROWS = "[]"


class Server(http.server.ThreadingHTTPServer):
    """Both servers: answers each request to the API with the next line of the script."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.requests, self.tokens, self.forms = [], [], [TOKEN], []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if self.path == "/oauth2/token":
            self.server.forms.append(body)
            token = self.server.tokens.pop(0)
            status = 400 if "error" in token else 200
            return self.answer(status, {}, json.dumps(token))
        if self.path == "/logout":
            return self.answer(204, {}, "")
        self.server.requests.append((self.command, self.path, dict(self.headers)))
        step = self.server.script.pop(0)
        if step == "hang up":
            self.close_connection = True
            return self.connection.close()
        self.answer(*step)

    do_GET = do_PUT = do_DELETE = do_POST

    def answer(self, status, headers, body):
        self.send_response(status)
        content_type = "application/json" if status < 300 else "application/problem+json"
        for name, value in {"Content-Type": content_type, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def problem(kind, status, headers=None):
    document = {
        "type": f"urn:problem-type:core:{kind}",
        "title": kind,
        "status": status,
        "instance": "/",
        "requestId": "1",
    }
    return status, headers or {}, json.dumps(document)


@pytest.fixture
def server():
    server = Server()
    yield server
    server.shutdown()


@pytest.fixture
def session(server):
    session = Session(server.url, server.url, "client", "secret", timeout=2.0, patience=10.0)
    session.log_in("jo", "password")
    return session


def pay(session):
    return LoansApi(session).post_payment(1, NewPayment(Amount="1.00"))


def test_a_post_is_repeated_with_its_key_until_it_is_answered(server, session):
    server.script = [
        "hang up",
        problem("database-unavailable", 503),
        problem("idempotency-in-progress", 409),
        problem("loan-locked", 423),
        problem("rate-limited", 429),
        (201, {}, ROWS),
    ]
    assert pay(session) == []
    keys = {headers["Idempotency-Key"] for _, _, headers in server.requests}
    assert len(server.requests) == 6 and len(keys) == 1
    server.script = [(201, {}, ROWS)]
    pay(session)
    assert server.requests[-1][2]["Idempotency-Key"] not in keys


def test_a_chosen_key_is_sent(server, session):
    server.script = [(201, {}, ROWS)]
    LoansApi(session).post_payment(1, NewPayment(Amount="1.00"), idempotency_key="mine")
    assert server.requests[0][2]["Idempotency-Key"] == "mine"


def test_what_cannot_succeed_is_not_repeated(server, session):
    for kind, status in [("overpayment", 422), ("idempotency-mismatch", 422), ("not-found", 404)]:
        server.requests.clear()
        server.script = [problem(kind, status)]
        with pytest.raises(ApiException) as refused:
            pay(session)
        assert problem_kind(refused.value) == kind and len(server.requests) == 1


def test_a_delete_is_repeated_only_if_nothing_was_done(server, session):
    comments = CommentsApi(session)

    def delete():
        comments.remove_collateral_comment(1, version_hash="x")

    server.script = [problem("loan-locked", 423), (204, {}, "")]
    delete()
    server.requests.clear()
    server.script = [problem("database-unavailable", 503), (204, {}, "")]
    with pytest.raises(ApiException):
        delete()
    server.script = ["hang up", (204, {}, "")]
    with pytest.raises(urllib3.exceptions.HTTPError):
        delete()
    assert len(server.requests) == 2


def test_repetitions_wait_as_long_as_the_server_asks(server, session):
    server.script = [problem("rate-limited", 429, {"Retry-After": "1"}), (200, {}, ROWS)]
    began = time.monotonic()
    LoansApi(session).list_transactions(1)
    assert time.monotonic() - began >= 1.0


def test_repetitions_end(server):
    session = Session(server.url, server.url, "client", "secret", attempts=3)
    session.log_in("jo", "password")
    server.script = [problem("database-unavailable", 503)] * 5
    with pytest.raises(ApiException) as refused:
        LoansApi(session).list_transactions(1)
    assert refused.value.status == 503 and len(server.requests) == 3


def test_a_refused_token_is_refreshed_once(server, session):
    server.tokens = [{**TOKEN, "access_token": "second", "refresh_token": "r2"}]
    server.script = [problem("token-invalid", 401), (200, {}, ROWS)]
    LoansApi(session).list_transactions(1)
    sent = [headers["Authorization"] for _, _, headers in server.requests]
    assert sent == ["Bearer first", "Bearer second"] and session.refresh_token == "r2"
    server.tokens = [{**TOKEN, "access_token": "third"}]
    server.script = [problem("token-invalid", 401)] * 2
    with pytest.raises(ApiException) as refused:
        LoansApi(session).list_transactions(1)
    assert refused.value.status == 401


def test_a_token_is_refreshed_before_it_expires(server):
    session = Session(server.url, server.url, "client", "secret")
    server.tokens = [{**TOKEN, "expires_in": 10}, {**TOKEN, "access_token": "second"}]
    session.log_in("jo", "password")
    server.script = [(200, {}, ROWS)]
    LoansApi(session).list_transactions(1)
    assert server.requests[0][2]["Authorization"] == "Bearer second"
    assert "refresh_token=r1" in server.forms[1]


def test_a_session_that_has_ended_asks_for_a_log_in(server, session):
    server.tokens = [{"error": "invalid_grant"}]
    server.script = [problem("token-invalid", 401)]
    for _ in range(2):
        with pytest.raises(LogInRequired):
            LoansApi(session).list_transactions(1)
    server.tokens = [{"error": "invalid_grant", "error_description": "wrong"}]
    with pytest.raises(LogInRefused) as refused:
        session.log_in("jo", "wrong")
    assert refused.value.error == "invalid_grant" and str(refused.value) == "invalid_grant: wrong"


def test_threads_share_one_refresh(server):
    session = Session(server.url, server.url, "client", "secret")
    server.tokens = [{**TOKEN, "expires_in": 10}, {**TOKEN, "access_token": "second"}]
    session.log_in("jo", "password")
    server.script = [(200, {}, ROWS)] * 8
    threads = [
        threading.Thread(target=LoansApi(session).list_transactions, args=(1,)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.forms) == 2 and len(server.requests) == 8


def test_pages_are_followed_to_the_last(server, session):
    link = {"Link": '</loans/1/transactions?limit=2&after=a%2Bb>; rel="next"'}
    server.script = [(200, link, ROWS), (200, {}, ROWS)]
    assert list(session.pages(LoansApi(session).list_transactions, 1, limit=2)) == []
    assert server.requests[1][1] == "/loans/1/transactions?limit=2&after=a%2Bb"
