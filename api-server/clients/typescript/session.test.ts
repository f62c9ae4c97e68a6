// What a session does when servers refuse, stall or disappear: `node --test session.test.js`, with the
// package installed. The server here answers from a script and records what it was sent.

import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, beforeEach, test } from "node:test";
import { CommentsApi, LoansApi, LogInRequired, problemKind, Session } from "loan-servicing";

const TOKEN = { access_token: "first", refresh_token: "r1", expires_in: 600 };
const DONE = { status: 201, body: "[]" };
const FOUND = { status: 200, body: "[]" };
const HANG_UP = { status: 0 };

interface Step {
    status: number;
    body?: string;
    headers?: Record<string, string>;
}

let script: Step[];
let tokens: object[];
let requests: { url: string; headers: IncomingHttpHeaders }[];
let forms: string[];
const server: Server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.url === "/oauth2/token") {
        forms.push(body);
        const token = tokens.shift()!;
        response.writeHead("error" in token ? 400 : 200).end(JSON.stringify(token));
        return;
    }
    requests.push({ url: request.url!, headers: request.headers });
    const step = script.shift()!;
    if (step === HANG_UP) {
        request.socket.destroy();
        return;
    }
    response.writeHead(step.status, { "Content-Type": "application/json", ...step.headers });
    response.end(step.body);
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => server.close());

function problem(kind: string, status: number, headers = {}): Step {
    const document = { type: `urn:problem-type:core:${kind}`, title: kind, status };
    return { status, headers, body: JSON.stringify(document) };
}

function open(options = {}): Session {
    const servers = { apiUrl: url, authUrl: url, clientId: "client", clientSecret: "secret" };
    return new Session({ ...servers, timeout: 2000, patience: 10_000, ...options });
}

let session: Session;
let loans: LoansApi;
beforeEach(async () => {
    [script, tokens, requests, forms] = [[], [TOKEN], [], []];
    session = open();
    loans = new LoansApi(session.configuration);
    await session.logIn("jo", "password");
});

const pay = () => loans.postPayment({ loanId: 1, newPayment: { amount: "1.00" } });
const keys = () => new Set(requests.map((request) => request.headers["idempotency-key"]));

test("a POST is repeated with its key until it is answered", async () => {
    script = [
        HANG_UP,
        problem("database-unavailable", 503),
        problem("idempotency-in-progress", 409),
        problem("loan-locked", 423),
        problem("rate-limited", 429),
        DONE,
    ];
    assert.deepEqual(await pay(), []);
    assert.equal(requests.length, 6);
    assert.equal(keys().size, 1);
    script = [DONE];
    await pay();
    assert.equal(keys().size, 2);
});

test("what cannot succeed is not repeated", async () => {
    for (const kind of ["overpayment", "idempotency-mismatch"]) {
        requests = [];
        script = [problem(kind, 422)];
        const refused = await pay().catch((error: unknown) => error);
        assert.equal(await problemKind(refused), kind);
        assert.equal(requests.length, 1);
    }
});

test("a DELETE is repeated only if nothing was done", async () => {
    const comments = new CommentsApi(session.configuration);
    const remove = () => comments.removeCollateralComment({ commentId: 1, versionHash: "x" });
    script = [problem("loan-locked", 423), { status: 204 }];
    await remove();
    for (const uncertain of [problem("database-unavailable", 503), HANG_UP]) {
        requests = [];
        script = [uncertain];
        await assert.rejects(remove());
        assert.equal(requests.length, 1);
    }
});

test("repetitions wait as long as the server asks, and end", async () => {
    script = [problem("rate-limited", 429, { "Retry-After": "1" }), FOUND];
    const began = Date.now();
    await loans.listTransactions({ loanId: 1 });
    assert.ok(Date.now() - began >= 1000);
    requests = [];
    tokens = [TOKEN];
    const hasty = open({ attempts: 3 });
    await hasty.logIn("jo", "password");
    script = Array(5).fill(problem("database-unavailable", 503));
    await assert.rejects(new LoansApi(hasty.configuration).listTransactions({ loanId: 1 }));
    assert.equal(requests.length, 3);
});

test("a refused token is refreshed once", async () => {
    tokens = [{ ...TOKEN, access_token: "second", refresh_token: "r2" }];
    script = [problem("token-invalid", 401), FOUND];
    await loans.listTransactions({ loanId: 1 });
    const sent = requests.map((request) => request.headers.authorization);
    assert.deepEqual(sent, ["Bearer first", "Bearer second"]);
    assert.equal(session.refreshToken, "r2");
    tokens = [{ ...TOKEN, access_token: "third" }];
    script = [problem("token-invalid", 401), problem("token-invalid", 401)];
    await assert.rejects(loans.listTransactions({ loanId: 1 }));
    assert.equal(requests.length, 4);
});

test("requests share one refresh before the token expires", async () => {
    tokens = [{ ...TOKEN, expires_in: 10 }];
    await session.logIn("jo", "password");
    tokens = [{ ...TOKEN, access_token: "second" }];
    script = Array(8).fill(FOUND);
    await Promise.all(Array.from({ length: 8 }, () => loans.listTransactions({ loanId: 1 })));
    assert.equal(forms.length, 3);
    assert.ok(requests.every((request) => request.headers.authorization === "Bearer second"));
});

test("a session that has ended asks for a log-in", async () => {
    tokens = [{ error: "invalid_grant" }];
    script = [problem("token-invalid", 401)];
    for (let time = 0; time < 2; time++) {
        const isRequired = (error: Error) => error.cause instanceof LogInRequired;
        await assert.rejects(loans.listTransactions({ loanId: 1 }), isRequired);
    }
});

test("pages are followed to the last", async () => {
    const Link = '</loans/1/transactions?limit=2&after=a%2Bb>; rel="next"';
    script = [{ ...FOUND, headers: { Link } }, FOUND];
    const list = session.pages((page) => loans.listTransactionsRaw(page), { loanId: 1, limit: 2 });
    for await (const _ of list);
    assert.equal(requests[1]!.url, "/loans/1/transactions?limit=2&after=a%2Bb");
});
