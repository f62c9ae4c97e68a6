"""What a session does when servers refuse, stall or disappear: `python -m pytest test_session.py`, with
the package installed. The servers here answer from a script and record what they were sent."""

import datetime
import http.server
import json
import logging
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import urllib3
from loan_servicing import ApiException, CommentsApi, LoansApi, NewPayment
from loan_servicing.session import LogInRefused, LogInRequired, Session, idempotency_key, problem_kind

TOKEN = {"access_token": "first", "refresh_token": "r1", "expires_in": 600}
ROWS = "[]"
BAD_GATEWAY = (502, {"Content-Type": "text/html"}, "<html>")
TIMED_OUT = (504, {"Content-Type": "text/html"}, "<html>")


class Server(http.server.ThreadingHTTPServer):
    """Both servers: answers each request to the API with the next line of the script."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.requests, self.tokens, self.forms = [], [], [TOKEN], []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def next_step(self, headers):
        return self.script.pop(0)

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
        self.server.requests.append((self.command, self.path, dict(self.headers), body))
        step = self.server.next_step(self.headers)
        if step == "hang up":
            self.close_connection = True
            return self.connection.close()
        self.answer(*step)

    do_GET = do_PUT = do_DELETE = do_POST

    def answer(self, status, headers, body, pace=None, cut=None):
        """Sends a character every `pace` seconds, and only `cut` of them."""
        self.send_response(status)
        content_type = "application/json" if status < 300 else "application/problem+json"
        for name, value in {"Content-Type": content_type, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if pace is None:
            return self.wfile.write(body.encode())
        for character in body[:cut]:
            time.sleep(pace)
            self.wfile.write(character.encode())
            self.wfile.flush()
        if cut is not None:
            self.close_connection = True
            self.connection.close()

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
    session = Session(server.url, server.url, "client", "secret", timeout=2.0, delay=0.001)
    session.log_in("jo", "password")
    return session


def pay(session):
    return LoansApi(session).post_payment(1, NewPayment(Amount="1.00"))


def test_a_post_is_repeated_with_its_key_until_it_is_answered(server, caplog):
    server.script = [
        "hang up",
        problem("database-unavailable", 503),
        problem("idempotency-in-progress", 409),
        problem("loan-locked", 423),
        problem("rate-limited", 429),
        BAD_GATEWAY,
        TIMED_OUT,
        (201, {}, ROWS, 0, 1),
        (201, {}, ROWS),
    ]
    sent = len(server.script)
    session = Session(server.url, server.url, "client", attempts=sent, delay=0.001)
    server.tokens = [TOKEN]
    session.log_in("jo", "password")
    with caplog.at_level(logging.WARNING, "loan_servicing"):
        assert pay(session) == []
    keys = {headers["Idempotency-Key"] for _, _, headers, _ in server.requests}
    assert len(server.requests) == sent and len(keys) == 1
    assert len(caplog.records) == sent - 1 and keys.pop() in caplog.text
    assert "status 502" in caplog.text
    keys = {headers["Idempotency-Key"] for _, _, headers, _ in server.requests}
    server.script = [(201, {}, ROWS)]
    pay(session)
    assert server.requests[-1][2]["Idempotency-Key"] not in keys


def test_whatever_fails_at_last_has_the_key(server, session):
    session = Session(server.url, server.url, "client", attempts=2)
    server.tokens = [TOKEN]
    session.log_in("jo", "password")
    ends = [BAD_GATEWAY, "hang up", problem("overpayment", 422), problem("token-invalid", 401)]
    for end in ends + [(201, {}, "not JSON")]:
        server.requests.clear()
        server.script = [BAD_GATEWAY, end, end]
        server.tokens = [{"error": "invalid_grant"}]
        with pytest.raises(Exception) as failed:
            pay(session)
        server.tokens = [TOKEN]
        session.log_in("jo", "password")
        server.script = [(201, {}, ROWS)]
        key = idempotency_key(failed.value)
        LoansApi(session).post_payment(1, NewPayment(Amount="1.00"), idempotency_key=key)
        assert {headers["Idempotency-Key"] for _, _, headers, _ in server.requests} == {key}, end


def test_a_get_is_repeated_after_an_error_of_a_proxy(server, session):
    server.script = [BAD_GATEWAY, TIMED_OUT, (200, {}, ROWS)]
    assert LoansApi(session).list_transactions(1) == []


def test_the_time_limit_counts_silence(server):
    session = Session(server.url, server.url, "client", timeout=0.3, attempts=2, delay=0.001)
    session.log_in("jo", "password")
    server.script = [(200, {}, "[     ]", 0.1), (200, {}, ROWS, 1.0), (200, {}, ROWS)]
    assert LoansApi(session).list_transactions(1) == []
    assert LoansApi(session).list_transactions(1) == []
    server.script = [(200, {}, ROWS, 0.4)]
    assert LoansApi(session).list_transactions(1, _request_timeout=2.0) == []
    assert len(server.requests) == 4


def test_a_date_is_the_day_that_it_names_wherever_the_program_runs(server, session):
    server.script = [(201, {}, ROWS)]
    payment = NewPayment(Amount="1.00", Effective_Date=datetime.date(2026, 11, 29))
    LoansApi(session).post_payment(1, payment)
    assert json.loads(server.requests[0][3])["Effective_Date"] == "2026-11-29"
    server.script = [(200, {}, '{"Loan_ID": 1, "As_Of_Date": "2026-11-29", "Quotes": []}')]
    quotes = LoansApi(session).get_payoff_quote(1)
    assert quotes.as_of_date == datetime.date(2026, 11, 29)


def test_each_payment_is_posted_once_whatever_happens_on_the_way(server):
    count = int(os.environ.get("PAYMENTS", "100"))
    session = Session(server.url, server.url, "client", timeout=0.25, attempts=60, delay=0.001)
    session.log_in("jo", "password")
    entries = set()
    faults = [BAD_GATEWAY, TIMED_OUT, "hang up"]
    done = (201, {}, ROWS)
    afterwards = faults + [(*done, 0, 1), (*done, 0.6), (*done, 0.02)] + [done] * 4

    # Half of the faults come before the effect, the others after it.
    def next_step(headers):
        if random.random() < 0.25:
            return random.choice(faults)
        entries.add(headers["Idempotency-Key"])
        return random.choice(afterwards)

    server.next_step = next_step
    with ThreadPoolExecutor(50) as threads:
        assert list(threads.map(lambda _: pay(session), range(count))) == [[]] * count
    assert len(entries) == count


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
    sent = [headers["Authorization"] for _, _, headers, _ in server.requests]
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
