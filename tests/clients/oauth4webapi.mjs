// oauth4webapi, which leaves every step to its caller: each request is made and each answer is
// validated on its own, the ID token whole (signature, nonce, auth_time, at_hash); and a code and a
// refresh token that come a second time are seen to be refused.

import * as oauth from 'oauth4webapi';
import { finish, open, parameters } from './conversation.mjs';

const { issuer, client_id, redirect_uri, scope, authentication } = parameters;
const client = { client_id };
const proof = authentication.method === 'none'
  ? oauth.None()
  : oauth.ClientSecretBasic(authentication.secret);
const issuerUrl = new URL(issuer);

async function discover(algorithm) {
  const response = await oauth.discoveryRequest(issuerUrl, { algorithm });
  return oauth.processDiscoveryResponse(issuerUrl, response);
}

const server = await discover('oidc');
const asOAuth = await discover('oauth2');

async function authorize(maxAge) {
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const url = new URL(server.authorization_endpoint);
  const query = {
    client_id,
    redirect_uri,
    response_type: 'code',
    scope,
    state,
    nonce,
    max_age: maxAge,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  url.search = new URLSearchParams(query).toString();
  const arrived = oauth.validateAuthResponse(server, client, await open(url), state);
  return { arrived, verifier, nonce, maxAge };
}

function exchangeRequest({ arrived, verifier }) {
  return oauth.authorizationCodeGrantRequest(
    server, client, proof, arrived, redirect_uri, verifier);
}

async function exchange(answered) {
  const response = await exchangeRequest(answered);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: answered.nonce,
    maxAge: answered.maxAge,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, response);
  return tokens;
}

async function refresh(token) {
  const response = await oauth.refreshTokenGrantRequest(server, client, proof, token);
  return oauth.processRefreshTokenResponse(server, client, response);
}

/** The left half of the access token's hash (OpenID Connect Core, 3.1.3.6). */
async function halfHash(text) {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Buffer.from(hash.slice(0, 16)).toString('base64url');
}

/** The OAuth error of a request that must be refused. */
async function refusal(request) {
  try {
    await request;
    return 'none';
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError)) throw error;
    return `${error.status} ${error.error}`;
  }
}

async function userInfo(tokens, subject) {
  const response = await oauth.userInfoRequest(server, client, tokens.access_token);
  return oauth.processUserInfoResponse(server, client, subject, response);
}

async function userInfoStatus(tokens) {
  try {
    await userInfo(tokens, oauth.skipSubjectCheck);
    return 200;
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
    return error.status;
  }
}

const firstTokens = await exchange(await authorize(600));
const claims = oauth.getValidatedIdTokenClaims(firstTokens);
const userinfo = await userInfo(firstTokens, claims.sub);

const secondTokens = await refresh(firstTokens.refresh_token);
const thirdTokens = await refresh(secondTokens.refresh_token);
const refreshReused = await refusal(refresh(firstTokens.refresh_token));
const afterRefreshReused = await refusal(refresh(thirdTokens.refresh_token));

// The user is logged in, but not freshly enough.
const answered = await authorize(0);
const fresh = await exchange(answered);
const freshClaims = oauth.getValidatedIdTokenClaims(fresh);
const codeReused = await refusal(exchange(answered));
const afterCodeReused = await userInfoStatus(fresh);

const last = await exchange(await authorize(600));
const revocation = await oauth.revocationRequest(server, client, proof, last.access_token);
await oauth.processRevocationResponse(revocation);

finish({
  metadata_alike: JSON.stringify(asOAuth) === JSON.stringify(server),
  claims,
  at_hash_right: claims.at_hash === await halfHash(firstTokens.access_token),
  userinfo,
  refreshed_sub: oauth.getValidatedIdTokenClaims(secondTokens).sub,
  refreshed_auth_time: oauth.getValidatedIdTokenClaims(secondTokens).auth_time,
  refresh_reused: refreshReused,
  after_refresh_reused: afterRefreshReused,
  fresh_auth_time: freshClaims.auth_time,
  code_reused: codeReused,
  after_code_reused: afterCodeReused,
  after_revocation: await userInfoStatus(last),
});
