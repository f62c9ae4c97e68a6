// What a session does when servers refuse, stall or disappear: `node --test session.test.js`, with the
// package installed. The server here answers from a script and records what it was sent.

import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, beforeEach, test } from "node:test";
import {
    CommentsApi,
    FailedRequest,
    FilesApi,
    ImportApi,
    LoansApi,
    LogInRequired,
    problemKind,
    RefusedRequest,
    type Retry,
    Session,
    timeLimit,
} from "loan-servicing";

const TOKEN = { access_token: "first", refresh_token: "r1", expires_in: 600 };
const DONE = { status: 201, body: "[]" };
const FOUND = { status: 200, body: "[]" };
const HANG_UP = { status: 0 };
const BAD_GATEWAY = { status: 502, body: "<html>", headers: { "Content-Type": "text/html" } };
const PAYMENT = { loanId: 1, newPayment: { amount: "1.00" } };

interface Step {
    status: number;
    body?: string;
    headers?: Record<string, string>;
    /** Milliseconds before each of the body's characters. */
    pace?: number;
    /** Characters after which the connection is cut. */
    cut?: number;
}

let script: Step[];
let tokens: object[];
let requests: { url: string; headers: IncomingHttpHeaders; body: string }[];
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
    requests.push({ url: request.url!, headers: request.headers, body });
    const step = script.shift()!;
    if (step === HANG_UP) {
        request.socket.destroy();
        return;
    }
    response.writeHead(step.status, { "Content-Type": "application/json", ...step.headers });
    const characters = step.pace === undefined && step.cut === undefined ? [] : [...(step.body ?? "")];
    for (const [index, character] of characters.entries()) {
        if (step.cut === index) return void request.socket.destroy();
        await new Promise((done) => setTimeout(done, step.pace ?? 0));
        response.write(character);
    }
    response.end(characters.length === 0 ? step.body : undefined);
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(() => server.close());

function problem(kind: string, status: number, headers = {}): Step {
    const type = `urn:problem-type:core:${kind}`;
    const document = { type, title: kind, status, detail: "why", instance: "/", requestId: "r-1" };
    return { status, headers, body: JSON.stringify(document) };
}

function open(options = {}): Session {
    const servers = { apiUrl: url, authUrl: url, clientId: "client", clientSecret: "secret" };
    return new Session({ ...servers, timeout: 2000, patience: 10_000, delay: 1, ...options });
}

let session: Session;
let loans: LoansApi;
beforeEach(async () => {
    [script, tokens, requests, forms] = [[], [TOKEN], [], []];
    session = open();
    loans = new LoansApi(session.configuration);
    await session.logIn("jo", "password");
});

async function opened(options: object): Promise<LoansApi> {
    tokens = [TOKEN];
    session = open(options);
    await session.logIn("jo", "password");
    return new LoansApi(session.configuration);
}

const pay = () => loans.postPayment(PAYMENT);
const keys = () => new Set(requests.map((request) => request.headers["idempotency-key"]));

test("a POST is repeated with its key until it is answered", async () => {
    script = [
        HANG_UP,
        problem("database-unavailable", 503),
        problem("idempotency-in-progress", 409),
        problem("loan-locked", 423),
        problem("rate-limited", 429),
        { ...BAD_GATEWAY, status: 504 },
        BAD_GATEWAY,
        { ...DONE, cut: 1 },
        DONE,
    ];
    const sends = script.length;
    const retries: Retry[] = [];
    loans = await opened({ attempts: sends, onRetry: (retry: Retry) => retries.push(retry) });
    assert.deepEqual(await pay(), []);
    assert.equal(requests.length, sends);
    assert.equal(keys().size, 1);
    const { idempotencyKey, method } = retries[0]!;
    assert.deepEqual([new Set([idempotencyKey]), method], [keys(), "POST"]);
    const causes = ["status 503", "status 409", "status 423", "status 429", "status 504", "status 502"];
    assert.deepEqual(retries.slice(1, -1).map((retry) => retry.cause), causes);
    script = [DONE];
    await pay();
    assert.equal(keys().size, 2);
});

test("whatever fails at last has the key, and says why", async () => {
    loans = await opened({ attempts: 2 });
    for (const end of [BAD_GATEWAY, HANG_UP, problem("overpayment", 422)]) {
        script = [BAD_GATEWAY, end];
        requests = [];
        const failure = await pay().catch((error: unknown) => error);
        assert.ok(failure instanceof RefusedRequest || failure instanceof FailedRequest);
        script = [DONE];
        await loans.postPayment({ ...PAYMENT, idempotencyKey: failure.idempotencyKey! });
        assert.equal(keys().size, 1);
        if (end.status === 422) assert.equal(failure.message, "422 overpayment; why (request r-1)");
    }
});

test("a GET is repeated after a proxy's error", async () => {
    script = [BAD_GATEWAY, FOUND];
    assert.deepEqual(await loans.listTransactions({ loanId: 1 }), []);
});

test("the time limit counts silence", async () => {
    loans = await opened({ timeout: 300, attempts: 2 });
    script = [{ ...FOUND, body: "[      ]", pace: 100 }];
    assert.deepEqual(await loans.listTransactions({ loanId: 1 }), []);
    script = [{ ...FOUND, pace: 1000 }, FOUND];
    assert.deepEqual(await loans.listTransactions({ loanId: 1 }), []);
    assert.equal(requests.length, 3);
    script = [{ ...FOUND, pace: 400 }];
    assert.deepEqual(await loans.listTransactions({ loanId: 1 }, timeLimit(2000)), []);
    const files = new FilesApi(session.configuration);
    const headers = { "Content-Type": "application/octet-stream" };
    script = [{ ...FOUND, headers, body: "0123456789", pace: 100 }];
    assert.equal(await (await files.downloadFile({ fileId: 1 })).text(), "0123456789");
    const imports = new ImportApi(session.configuration);
    const result = { Test: true, Committed: false, Read: 0, Inserted: 0, Updated: 0, Deleted: 0, Failed: 0 };
    const body = JSON.stringify({ ...result, Records: [] });
    script = [{ status: 200, body: ` ${body}`, headers: {}, pace: 5 }];
    assert.equal((await imports.importXml({ test: true, body: new Blob(["<Core/>"]) })).read, 0);
});

test("a date is the day that it names, wherever the program runs", async () => {
    script = [DONE];
    await loans.postPayment({ ...PAYMENT, newPayment: { amount: "1.00", effectiveDate: "2026-11-29" } });
    assert.equal(JSON.parse(requests[0]!.body).Effective_Date, "2026-11-29");
    script = [{ status: 200, body: '{"Loan_ID": 1, "As_Of_Date": "2026-11-29", "Quotes": []}' }];
    assert.equal((await loans.getPayoffQuote({ loanId: 1, date: "2026-11-29" })).asOfDate, "2026-11-29");
    assert.ok(requests[1]!.url.endsWith("?date=2026-11-29"));
});

test("each payment is posted once, whatever happens on the way", async () => {
    const count = Number(process.env.PAYMENTS ?? 100);
    const entries = new Set<unknown>();
    const faults = [BAD_GATEWAY, { ...BAD_GATEWAY, status: 504 }, HANG_UP];
    // Room for a machine with much else to do.
    loans = await opened({ timeout: 500, attempts: 200, patience: 600_000 });
    const pick = <T>(choices: T[]): T => choices[Math.floor(Math.random() * choices.length)]!;
    const stalled = { ...DONE, pace: 600 };
    const trickling = { ...DONE, pace: 20 };
    const afterwards = [...faults, { ...DONE, cut: 1 }, stalled, trickling, DONE, DONE, DONE, DONE];
    // Half of the faults come before the effect, the others after it.
    script = [];
    script.shift = () => {
        if (Math.random() < 0.25) return pick(faults);
        entries.add(requests.at(-1)!.headers["idempotency-key"]);
        return pick(afterwards);
    };
    for (let done = 0; done < count; done += 50) {
        await Promise.all(Array.from({ length: 50 }, pay));
    }
    assert.equal(entries.size, count);
});

test("what cannot succeed is not repeated", async () => {
    for (const kind of ["overpayment", "idempotency-mismatch"]) {
        requests = [];
        script = [problem(kind, 422)];
        const refused = await pay().catch((error: unknown) => error);
        assert.equal(problemKind(refused), kind);
        assert.equal(requests.length, 1);
    }
});

test("a DELETE is repeated only if nothing was done", async () => {
    const comments = new CommentsApi(session.configuration);
    const remove = () => comments.removeCollateralComment({ commentId: 1, versionHash: "x" });
    script = [problem("loan-locked", 423), { status: 204 }];
    await remove();
    for (const uncertain of [problem("database-unavailable", 503), BAD_GATEWAY, HANG_UP]) {
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
