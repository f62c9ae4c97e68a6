"""Authlib as an application in Python would use it: discovery, the code flow with PKCE, an ID token
checked with the server's key set, refreshing, userinfo, introspection and revocation.

It talks with the test that runs it as conversation.mjs does."""

import json
import secrets
import sys

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oauth2.rfc8414 import get_well_known_url
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet


def read():
    return json.loads(sys.stdin.readline())


def open_in_browser(url):
    print(json.dumps({"open": url}), flush=True)
    return read()["arrived"]


def session_of(parameters, server):
    """A session of the client that the test wants, authenticated as it wants."""
    authentication = parameters["authentication"]
    method = authentication["method"]
    proof = authentication.get("secret")
    if method == "private_key_jwt":
        proof = ECKey.import_key(authentication["private_key"])
    session = OAuth2Session(
        parameters["client_id"],
        proof,
        scope=parameters["scope"],
        redirect_uri=parameters["redirect_uri"],
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        code_challenge_method="S256",
    )
    if method == "private_key_jwt":
        # What the library calls its `token_endpoint` is the audience, which is the issuer here.
        session.register_client_auth_method(
            PrivateKeyJWT(server["issuer"], alg=authentication["algorithm"])
        )
    return session


def discover(issuer):
    """The server's metadata, judged by the library too."""
    url = get_well_known_url(issuer, external=True, suffix="openid-configuration")
    server = OpenIDProviderMetadata(OAuth2Session().get(url, withhold_token=True).json())
    assert server["issuer"] == issuer
    # ID tokens are signed with ES256 alone, as FAPI 2.0 wants it. OpenID Connect Discovery (3) would
    # have RS256 in the list, too; every other word of the document is judged as it is.
    algorithms = server["id_token_signing_alg_values_supported"]
    assert algorithms == ["ES256"]
    OpenIDProviderMetadata(
        server, id_token_signing_alg_values_supported=[*algorithms, "RS256"]
    ).validate()
    return server


def check_id_token(tokens, server, client_id, nonce):
    """The claims, once signature, issuer, audience, times, nonce and at_hash are right."""
    key_set = OAuth2Session().get(server["jwks_uri"], withhold_token=True).json()
    keys = KeySet.import_key_set(key_set)
    decoded = jwt.decode(tokens["id_token"], keys, algorithms=["ES256"])
    options = {
        "iss": {"essential": True, "value": server["issuer"]},
        "aud": {"essential": True, "value": client_id},
    }
    expected = {"client_id": client_id, "access_token": tokens["access_token"]}
    if nonce:
        expected["nonce"] = nonce
    claims = CodeIDToken(decoded.claims, decoded.header, options, expected)
    claims.validate(leeway=5)
    return dict(claims)


def main():
    parameters = read()
    server = discover(parameters["issuer"])
    session = session_of(parameters, server)
    introspecting = OAuth2Session(
        parameters["resource_server"]["client_id"], parameters["resource_server"]["secret"]
    )

    def active(token):
        answer = introspecting.introspect_token(server["introspection_endpoint"], token=token)
        answer.raise_for_status()
        return answer.json()["active"]

    verifier, nonce = generate_token(64), secrets.token_urlsafe()
    url, state = session.create_authorization_url(
        server["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    arrived = open_in_browser(url)
    tokens = session.fetch_token(
        server["token_endpoint"],
        authorization_response=arrived,
        state=state,
        code_verifier=verifier,
    )
    claims = check_id_token(tokens, server, parameters["client_id"], nonce)
    userinfo = session.get(server["userinfo_endpoint"]).json()
    first = dict(tokens)
    refreshed = session.refresh_token(server["token_endpoint"])
    refreshed_claims = check_id_token(refreshed, server, parameters["client_id"], None)
    both_active = [active(first["access_token"]), active(refreshed["access_token"])]
    revoked = session.revoke_token(
        server["revocation_endpoint"],
        token=refreshed["refresh_token"],
        token_type_hint="refresh_token",
    )
    result = {
        "claims": claims,
        "userinfo": userinfo,
        "refresh_token_rotated": refreshed["refresh_token"] != first["refresh_token"],
        "refreshed_sub": refreshed_claims["sub"],
        "active": both_active,
        "revocation_status": revoked.status_code,
        "active_after_revocation": active(refreshed["access_token"]),
    }
    print(json.dumps({"result": result}), flush=True)


if __name__ == "__main__":
    main()
