"""Evaluates the Python samples of all operations with the package: `samples.json quickstart.json`.

Prints those that the server or the package takes for wrong, whatever the state of a row, then their
number."""

import json
import sys

import loan_servicing
from loan_servicing.session import Session

WRONG = {400, 401, 405, 406, 413, 415, 429, 500}

with open(sys.argv[1], encoding="utf-8") as file:
    samples = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    quickstart = json.load(file)
client, admin = quickstart["clients"]["integration"], quickstart["users"]["admin"]
session = Session(
    quickstart["api_url"],
    quickstart["auth_url"],
    client["client_id"],
    client["client_secret"],
    quickstart["ca_certificate"],
)
session.log_in(admin["username"], admin["password"])
names = vars(loan_servicing) | {
    "session": session,
    "content": b"\x89PNG\r\n\x1a\n\x00",
    "xml": b"<Core/>",
    "version_hash": "0" * 64,
}
for operation, sample in samples.items():
    try:
        eval(sample, names)
    except loan_servicing.ApiException as refused:
        if refused.status in WRONG:
            print("wrong:", operation, refused.status, refused.body)
print("evaluated", len(samples))
