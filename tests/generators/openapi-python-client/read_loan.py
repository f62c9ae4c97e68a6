"""Reads a loan and what a refusal says, by the client that `openapi-python-client` makes:
`read_loan.py quickstart.json`, with a token in TOKEN."""

import json
import os
import ssl
import sys

from loan_servicing import AuthenticatedClient
from loan_servicing.api.loans import get_loan
from loan_servicing.models import Loan, Problem


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        quickstart = json.load(file)
    client = AuthenticatedClient(
        base_url=quickstart["api_url"],
        token=os.environ["TOKEN"],
        verify_ssl=ssl.create_default_context(cafile=quickstart["ca_certificate"]),
    )
    loan = get_loan.sync(1, client=client)
    assert isinstance(loan, Loan) and isinstance(loan.current_principal_balance, str), loan
    print(f"read loan {loan.loan_number}: {loan.current_principal_balance}")
    problem = get_loan.sync(999_999_999, client=client)
    assert isinstance(problem, Problem), problem
    print(f"read {problem.type_}")
    assert problem.type_ == "urn:problem-type:core:not-found"


if __name__ == "__main__":
    main()
