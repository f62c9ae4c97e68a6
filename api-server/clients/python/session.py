"""Sessions: log-in, refresh, retries, idempotency keys and pages on top of the generated client.

    from loan_servicing import LoansApi, NewPayment
    from loan_servicing.session import Session

    with Session("https://loans.example.com:9443", "https://loans.example.com:8443",
                 client_id="programs", client_secret="…") as session:
        session.log_in("jo", "…")
        loans = LoansApi(session)
        loan = loans.get_loan(1)
        loans.post_payment(1, NewPayment(Amount="652.53"))
        for row in session.pages(loans.list_transactions, 1):
            print(row.transaction_date, row.transaction_amount)

A session is an `ApiClient`: pass it to the classes of the API. It may be used by several threads.
"""

import json
import logging
import random
import re
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import urllib3
from loan_servicing.api_client import ApiClient
from loan_servicing.configuration import Configuration
from loan_servicing.exceptions import ApiException
from loan_servicing.models.problem import Problem

#: Prefix of the `type` of every problem.
PROBLEM = "urn:problem-type:core:"

#: Logs each repetition of a request, as a warning.
LOG = logging.getLogger("loan_servicing")

_KEY = "Idempotency-Key"
_IMPORT = "/core/xml-import"
#: A token with less time left is refreshed before it is used.
_EXPIRES_SOON = 30.0
#: The longest pause before a repetition, in seconds, unless the server asks for a longer one.
_DELAY_MAX = 5.0
#: Refused before anything was done.
_REFUSED = {423, 429}
#: The request may have been carried out, or may be running still. 502 and 504 are a proxy's.
_UNCERTAIN = {409, 502, 503, 504}


class LogInRequired(Exception):
    """The session has ended, or has not begun: log in."""


class LogInRefused(Exception):
    """The auth server refused the log-in. `error` is its OAuth error code (RFC 6749, 5.2)."""

    def __init__(self, error: str, description: str | None):
        super().__init__(f"{error}: {description}" if description else error)
        self.error = error


def problem_kind(refused: ApiException) -> str:
    """Returns the kind of a refused request's problem, such as `not-found`; '' if it has none."""
    problem = refused.data
    return problem.type.removeprefix(PROBLEM) if isinstance(problem, Problem) else ""


def idempotency_key(failed: BaseException) -> str | None:
    """Returns the key of the POST that failed at last, whatever the error: pass it as
    `idempotency_key` to the same call, and what may have been done is not done twice."""
    return getattr(failed, "idempotency_key", None)


class Session(ApiClient):
    """The API as one user.

    api_url, auth_url: URLs of the two servers, without a path.
    client_id, client_secret: a client of the auth server that may use the password grant; not needed
        for `resume` with a public client.
    ca_certificate: path of the authority that signed the servers' certificates; by default the
        authorities that this machine trusts.
    timeout: seconds without a byte from a server after which a request has failed. Pass another
        `_request_timeout` to a call.
    import_timeout: the same for imports, whose response follows their last record.
    attempts: how often a request is sent at most, if it is safe to repeat it.
    delay: seconds before the first repetition, doubled for each further one.
    patience: seconds after which a request is not repeated any more.
    """

    def __init__(
        self,
        api_url: str,
        auth_url: str,
        client_id: str,
        client_secret: str | None = None,
        ca_certificate: str | None = None,
        timeout: float = 60.0,
        import_timeout: float = 3600.0,
        attempts: int = 6,
        delay: float = 0.25,
        patience: float = 150.0,
    ):
        # The pool does not repeat requests by itself.
        configuration = Configuration(
            host=api_url.rstrip("/"), ssl_ca_cert=ca_certificate, retries=False
        )
        super().__init__(configuration)
        self.user_agent = "loan-servicing-python"
        self._auth_url = auth_url.rstrip("/")
        self._client = (client_id, client_secret)
        self._timeout = timeout
        self._import_timeout = import_timeout
        self._attempts = attempts
        self._delay = delay
        self._patience = patience
        self._lock = threading.Lock()
        self._access_token: str | None = None
        self._refresh_token: str | None = None
        self._expires = 0.0

    def __exit__(self, exc_type, exc_value, traceback):
        self.log_out()

    # Log-in

    def log_in(self, username: str, password: str, scope: str = "core") -> None:
        """Logs a user in: of the core system (scope `core`), or a borrower (scope `web`)."""
        form = {
            "grant_type": "password",
            "username": username,
            "password": password,
            "scope": scope,
        }
        with self._lock:
            self._request_token(form)

    def resume(self, refresh_token: str) -> None:
        """Continues a session that a log-in page has begun, by its refresh token."""
        with self._lock:
            self._refresh_token = refresh_token
            self._refresh()

    def log_out(self) -> None:
        """Ends the session on every server. Does nothing without one."""
        with self._lock:
            token, self._access_token, self._refresh_token = self._access_token, None, None
        if token is not None:
            self._send("POST", f"{self._auth_url}/logout", {"Authorization": f"Bearer {token}"})

    @property
    def refresh_token(self) -> str | None:
        """The refresh token, with which another process can `resume` the session. Each works once."""
        return self._refresh_token

    def _request_token(self, form: dict) -> None:
        client_id, secret = self._client
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if secret is None:
            form = {**form, "client_id": client_id}
        else:
            quoted = ":".join(urllib.parse.quote(part, safe="") for part in (client_id, secret))
            headers.update(urllib3.make_headers(basic_auth=quoted))
        body = urllib.parse.urlencode(form)
        response = self._send("POST", f"{self._auth_url}/oauth2/token", headers, body)
        answer = json.loads(response.data or b"{}")
        if response.status != 200:
            raise LogInRefused(
                answer.get("error", f"status {response.status}"), answer.get("error_description")
            )
        self._access_token = answer["access_token"]
        self._refresh_token = answer.get("refresh_token")
        self._expires = time.monotonic() + answer["expires_in"]

    def _refresh(self) -> None:
        if self._refresh_token is None:
            raise LogInRequired("the session has no refresh token")
        try:
            self._request_token(
                {"grant_type": "refresh_token", "refresh_token": self._refresh_token}
            )
        except LogInRefused as refused:
            if refused.error == "invalid_grant":
                self._access_token = self._refresh_token = None
                raise LogInRequired("the session has ended") from refused
            raise

    def _token(self, refused: str | None = None) -> str:
        """Returns a live token, and not the one that the server has just refused."""
        with self._lock:
            if self._access_token is None:
                raise LogInRequired("log in first")
            expires_soon = time.monotonic() > self._expires - _EXPIRES_SOON
            if refused == self._access_token or (expires_soon and self._refresh_token):
                self._refresh()
            return self._access_token

    # Requests

    def _send(self, method: str, url: str, headers: dict, body: str | None = None):
        """Sends a request to the auth server, which may get it twice."""
        pool = self.rest_client.pool_manager
        delays = self._delays()
        while True:
            try:
                response = pool.request(
                    method, url, headers=headers, body=body, retries=False, timeout=self._timeout
                )
                if response.status not in (429, 502, 503, 504):
                    return response
                delay = next(delays, None)
                if delay is None:
                    return response
                delay = max(delay, _retry_after(response.headers))
            except urllib3.exceptions.HTTPError:
                delay = next(delays, None)
                if delay is None:
                    raise
            time.sleep(delay)

    def param_serialize(self, method, *arguments, **parameters):
        """Gives each POST an `Idempotency-Key` of its own, unless the caller has chosen one."""
        if method == "POST":
            headers = dict(parameters.get("header_params") or {})
            headers.setdefault(_KEY, str(uuid.uuid4()))
            parameters["header_params"] = headers
        return super().param_serialize(method, *arguments, **parameters)

    def call_api(
        self, method, url, header_params=None, body=None, post_params=None, _request_timeout=None
    ):
        """Sends a request with a live token, and repeats it while that is safe and of use.

        A POST is safe to repeat because of its key: it is executed once. A PUT or a DELETE is repeated
        only if it was refused before anything was done.
        """
        headers = dict(header_params or {})
        is_import = urllib.parse.urlsplit(url).path.endswith(_IMPORT)
        timeout = _request_timeout or (self._import_timeout if is_import else self._timeout)
        try:
            response = self._call(method, url, headers, body, post_params, timeout)
        except Exception as failure:
            failure.idempotency_key = headers.get(_KEY)
            raise
        response.idempotency_key = headers.get(_KEY)
        return response

    def _call(self, method, url, headers, body, post_params, timeout):
        repeatable = method in ("GET", "HEAD", "POST")
        delays = self._delays()
        refused = None
        while True:
            token = self._token(refused)
            headers["Authorization"] = f"Bearer {token}"
            try:
                response = super().call_api(method, url, headers, body, post_params, timeout)
                response.read()
                cause = f"status {response.status}"
                again = response.status in _REFUSED or (
                    repeatable and response.status in _UNCERTAIN and _says_again(response)
                )
                asked = _retry_after(response.headers)
            except urllib3.exceptions.HTTPError as failure:
                response, cause, again, asked = failure, str(failure), repeatable, 0.0
            if cause == "status 401" and refused is None and self._refresh_token is not None:
                refused = token
                continue
            delay = next(delays, None) if again else None
            if delay is None:
                if isinstance(response, Exception):
                    raise response
                return response
            delay = max(delay, asked)
            path, key = urllib.parse.urlsplit(url).path, headers.get(_KEY)
            LOG.warning("%s %s again in %.1f s: %s (key %s)", method, path, delay, cause, key)
            time.sleep(delay)

    def response_deserialize(self, response_data, response_types_map=None):
        """Returns the response, or raises its problem with the request's key."""
        try:
            return super().response_deserialize(response_data, response_types_map)
        except Exception as refused:
            refused.idempotency_key = response_data.idempotency_key
            raise

    def _delays(self) -> Iterator[float]:
        """Yields how long to wait before each repetition: longer each time, and never alike."""
        end = time.monotonic() + self._patience
        for attempt in range(self._attempts - 1):
            delay = random.uniform(0.5, 1.0) * min(self._delay * 2**attempt, _DELAY_MAX)
            if time.monotonic() + delay > end:
                return
            yield delay

    # Lists

    def pages(self, operation: Callable[..., list], *arguments: Any, **parameters: Any) -> Iterator:
        """Yields every row of a list, page by page: `session.pages(loans.list_transactions, 1)`.

        `limit` sets the size of a page, and the other parameters are those of the operation.
        """
        with_headers = getattr(operation.__self__, f"{operation.__name__}_with_http_info")
        while True:
            page = with_headers(*arguments, **parameters)
            yield from page.data
            after = _next_cursor(page.headers)
            if after is None:
                return
            parameters["after"] = after


def _says_again(response) -> bool:
    if response.status != 409:
        return True
    try:
        return json.loads(response.data).get("type") == PROBLEM + "idempotency-in-progress"
    except ValueError:
        return False


def _retry_after(headers) -> float:
    seconds = headers.get("retry-after", "")
    return float(seconds) if seconds.isdigit() else 0.0


def _next_cursor(headers) -> str | None:
    values = (value for name, value in headers.items() if name.lower() == "link")
    link = re.search(r'<([^>]*)>;\s*rel="next"', next(values, ""))
    if link is None:
        return None
    query = urllib.parse.urlsplit(link.group(1)).query
    return urllib.parse.parse_qs(query).get("after", [None])[0]
