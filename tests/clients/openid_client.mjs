// openid-client, as an application would use it: discovery, the code flow with PKCE, state, nonce
// and `iss`, refreshing, userinfo, introspection, logging out and revocation, with whichever way of
// client authentication the test asks for.

import { createPrivateKey } from 'node:crypto';
import * as oidc from 'openid-client';
import { Agent, fetch } from 'undici';
import { finish, open, parameters } from './conversation.mjs';

const { issuer, client_id, redirect_uri, scope, authentication, resource_server } = parameters;

async function privateKey({ private_key, algorithm }) {
  const der = createPrivateKey(private_key).export({ type: 'pkcs8', format: 'der' });
  const name = algorithm === 'ES256' ? { name: 'ECDSA', namedCurve: 'P-256' } : 'Ed25519';
  return crypto.subtle.importKey('pkcs8', der, name, false, ['sign']);
}

/** By itself the library knows Ed25519 by that name alone (RFC 9864). */
const named = {
  [oidc.modifyAssertion](header) {
    header.alg = authentication.algorithm;
  },
};

async function clientAuthentication() {
  switch (authentication.method) {
    case 'none':
      return oidc.None();
    case 'client_secret_basic':
      return oidc.ClientSecretBasic(authentication.secret);
    case 'client_secret_post':
      return oidc.ClientSecretPost(authentication.secret);
    case 'private_key_jwt':
      return oidc.PrivateKeyJwt(await privateKey(authentication), named);
    case 'self_signed_tls_client_auth':
      return oidc.TlsClientAuth();
    default:
      throw new Error(`no such method: ${authentication.method}`);
  }
}

/** With a certificate, every connection shows it; the server asks for it at its aliases alone. */
function options() {
  const { certificate, private_key } = authentication;
  if (!certificate) return {};
  const dispatcher = new Agent({ connect: { cert: certificate, key: private_key } });
  return { [oidc.customFetch]: (url, request) => fetch(url, { ...request, dispatcher }) };
}

const metadata = { use_mtls_endpoint_aliases: Boolean(authentication.certificate) };
const config = await oidc.discovery(
  new URL(issuer), client_id, metadata, await clientAuthentication(), options());
// Over TLS the signature of an ID token need not be checked; this asks for it all the same.
oidc.enableNonRepudiationChecks(config);
const asResourceServer = new oidc.Configuration(
  config.serverMetadata(), resource_server.client_id, undefined,
  oidc.ClientSecretBasic(resource_server.secret));
const introspect = (token) => oidc.tokenIntrospection(asResourceServer, token);

async function logIn() {
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const arrived = await open(oidc.buildAuthorizationUrl(config, {
    redirect_uri,
    scope,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }));
  const tokens = await oidc.authorizationCodeGrant(config, arrived, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  return { arrived, tokens };
}

const first = await logIn();
const claims = first.tokens.claims();
const userinfo = await oidc.fetchUserInfo(config, first.tokens.access_token, claims.sub);
const introspected = await introspect(first.tokens.access_token);
const refreshed = await oidc.refreshTokenGrant(config, first.tokens.refresh_token);
const again = await introspect(refreshed.access_token);

const logOutState = oidc.randomState();
const loggedOutAt = await open(oidc.buildEndSessionUrl(config, {
  post_logout_redirect_uri: redirect_uri,
  id_token_hint: refreshed.id_token,
  state: logOutState,
}));
const afterLogOut = await introspect(refreshed.access_token);

const second = await logIn();
await oidc.tokenRevocation(config, second.tokens.refresh_token);
const afterRevocation = await introspect(second.tokens.access_token);

finish({
  token_endpoint: metadata.use_mtls_endpoint_aliases
    ? config.serverMetadata().mtls_endpoint_aliases.token_endpoint
    : config.serverMetadata().token_endpoint,
  iss: first.arrived.searchParams.get('iss'),
  token_type: first.tokens.token_type,
  scope: first.tokens.scope,
  expires_in: first.tokens.expiresIn(),
  claims,
  userinfo,
  introspected,
  refreshed_claims: refreshed.claims(),
  refresh_token_rotated: refreshed.refresh_token !== first.tokens.refresh_token,
  refreshed_active: again.active,
  logged_out_at: loggedOutAt.origin + loggedOutAt.pathname,
  log_out_state_kept: loggedOutAt.searchParams.get('state') === logOutState,
  active_after_log_out: afterLogOut.active,
  active_after_revocation: afterRevocation.active,
});
