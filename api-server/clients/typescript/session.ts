// Sessions: log-in, refresh, retries, idempotency keys and pages on top of the generated client.
//
//     import { LoansApi, Session } from "loan-servicing";
//
//     const session = new Session({
//         apiUrl: "https://loans.example.com:9443",
//         authUrl: "https://loans.example.com:8443",
//         clientId: "programs",
//         clientSecret: "…",
//     });
//     await session.logIn("jo", "…");
//     const loans = new LoansApi(session.configuration);
//     const loan = await loans.getLoan({ loanId: 1 });
//     await loans.postPayment({ loanId: 1, newPayment: { amount: "652.53" } });
//     for await (const row of session.pages((page) => loans.listTransactionsRaw(page), { loanId: 1 })) {
//         console.log(row.transactionDate, row.transactionAmount);
//     }
//     await session.logOut();

import { type Problem, ProblemFromJSON } from "./models/index.js";
import {
    type ApiResponse,
    Configuration,
    type FetchAPI,
    FetchError,
    type Middleware,
    ResponseError,
} from "./runtime.js";

/** Prefix of the `type` of every problem. */
export const PROBLEM = "urn:problem-type:core:";

const KEY = "Idempotency-Key";
const IMPORT = "/core/xml-import";
/** A token with less time left, in milliseconds, is refreshed before it is used. */
const EXPIRES_SOON = 30_000;
/** The longest pause before a repetition, in milliseconds, unless the server asks for a longer one. */
const DELAY_MAX = 5_000;

export interface SessionOptions {
    /** URLs of the two servers, without a path. */
    apiUrl: string;
    authUrl: string;
    /** A client of the auth server. `logIn` requires one that may use the password grant. */
    clientId: string;
    /** Absent for a public client. */
    clientSecret?: string;
    /**
     * Milliseconds without a byte from the server after which a request has failed; default: a minute.
     * `timeLimit` sets it for one call.
     */
    timeout?: number;
    /** The same for imports, whose response follows their last record; default: an hour. */
    importTimeout?: number;
    /** How often a request is sent at most, if it is safe to repeat it; default: 6. */
    attempts?: number;
    /** Milliseconds before the first repetition, doubled for each further one; default: 250. */
    delay?: number;
    /** Milliseconds after which a request is not repeated any more; default: 150 seconds. */
    patience?: number;
    /** Called before each repetition, ahead of its wait. */
    onRetry?: (retry: Retry) => void;
    /** Sends requests, for instance with an authority of your own; default: `fetch`. */
    fetch?: FetchAPI;
}

/** A request that is about to be repeated. */
export interface Retry {
    method: string;
    url: string;
    /** Why: a status, or what the connection failed with. */
    cause: string;
    /** Milliseconds until the request is sent again. */
    delay: number;
    idempotencyKey: string | undefined;
}

/** The session has ended, or has not begun: log in. */
export class LogInRequired extends Error {}

/** The auth server refused the log-in; `error` is its OAuth error code (RFC 6749, 5.2). */
export class LogInRefused extends Error {
    constructor(
        readonly error: string,
        description?: string,
    ) {
        super(description ? `${error}: ${description}` : error);
    }
}

/** A request that a server, or a proxy before it, refused at last. */
export class RefusedRequest extends ResponseError {
    constructor(
        response: Response,
        /** The problem, unless the response is not one of the service. */
        readonly problem: Problem | undefined,
        /** Pass it to the same call: what may have been done is not done twice. */
        readonly idempotencyKey: string | undefined,
    ) {
        const { detail, errors, requestId } = problem ?? {};
        const fields = (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
        const why = [kindOf(problem), detail, ...fields].filter((text) => text !== undefined && text !== "");
        const request = requestId === undefined ? "" : ` (request ${requestId})`;
        super(response, `${response.status} ${why.join("; ")}`.trimEnd() + request);
    }
}

/** A request that got no response at last; `cause` says why. */
export class FailedRequest extends FetchError {
    constructor(
        override readonly cause: Error,
        /** Pass it to the same call: what may have been done is not done twice. */
        readonly idempotencyKey: string | undefined,
    ) {
        super(cause, cause.message);
    }
}

/** Returns the problem of a refused request; `undefined` if the error is of another kind. */
export function problemOf(error: unknown): Problem | undefined {
    return error instanceof RefusedRequest ? error.problem : undefined;
}

/** Returns the kind of a refused request's problem, such as `not-found`; "" if it has none. */
export function problemKind(error: unknown): string {
    return kindOf(problemOf(error));
}

function kindOf(problem: Problem | undefined): string {
    return problem?.type?.startsWith(PROBLEM) ? problem.type.slice(PROBLEM.length) : "";
}

/** Limits the silence of one call: `imports.importXml(request, timeLimit(60_000))`. */
export function timeLimit(milliseconds: number): RequestInit {
    const limit: Limited = { timeout: milliseconds };
    return limit;
}

interface Limited extends RequestInit {
    timeout?: number;
}

/** The API as one user: pass its `configuration` to the classes of the API. */
export class Session {
    readonly configuration: Configuration;
    readonly #options: SessionOptions;
    readonly #fetch: FetchAPI;
    #accessToken: string | undefined;
    #refreshToken: string | undefined;
    #expires = 0;
    #refreshing: Promise<void> | undefined;

    constructor(options: SessionOptions) {
        this.#options = options;
        this.#fetch = options.fetch ?? fetch;
        this.configuration = new Configuration({
            basePath: options.apiUrl.replace(/\/+$/, ""),
            fetchApi: (url, init) => this.#call(String(url), init ?? {}),
            middleware: [withKeys],
        });
    }

    /** Logs a user in: of the core system (scope `core`), or a borrower (scope `web`). */
    async logIn(username: string, password: string, scope: "core" | "web" = "core"): Promise<void> {
        await this.#requestToken({ grant_type: "password", username, password, scope });
    }

    /** Continues a session that a log-in page has begun, by its refresh token. */
    async resume(refreshToken: string): Promise<void> {
        this.#refreshToken = refreshToken;
        await this.#refresh();
    }

    /** Ends the session on every server. Does nothing without one. */
    async logOut(): Promise<void> {
        const token = this.#accessToken;
        this.#accessToken = this.#refreshToken = undefined;
        if (token === undefined) return;
        await this.#send(`${this.#authUrl()}/logout`, {
            method: "POST",
            headers: { Authorization: `Bearer ${token}` },
        });
    }

    /** The refresh token, with which another process can `resume` the session. Each works once. */
    get refreshToken(): string | undefined {
        return this.#refreshToken;
    }

    /** Yields every row of a list, page by page; `limit` sets the size of a page. */
    async *pages<T, R extends object>(
        operation: (request: R & { after?: string }) => Promise<ApiResponse<T[]>>,
        request: R,
    ): AsyncGenerator<T, void, undefined> {
        let after: string | undefined;
        do {
            const page = await operation(after === undefined ? request : { ...request, after });
            yield* await page.value();
            after = nextCursor(page.raw.headers);
        } while (after !== undefined);
    }

    #authUrl(): string {
        return this.#options.authUrl.replace(/\/+$/, "");
    }

    async #requestToken(form: Record<string, string>): Promise<void> {
        const { clientId, clientSecret } = this.#options;
        const body = new URLSearchParams(form);
        const headers: Record<string, string> = {};
        if (clientSecret === undefined) {
            body.set("client_id", clientId);
        } else {
            const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
            headers.Authorization = `Basic ${btoa(pair)}`;
        }
        const url = `${this.#authUrl()}/oauth2/token`;
        const response = await this.#send(url, { method: "POST", headers, body });
        const answer = await response.json().catch(() => ({}));
        if (response.status !== 200) {
            const error = answer.error ?? `status ${response.status}`;
            throw new LogInRefused(error, answer.error_description);
        }
        this.#accessToken = answer.access_token;
        this.#refreshToken = answer.refresh_token;
        this.#expires = Date.now() + answer.expires_in * 1000;
    }

    /** Refreshes once, however many requests wait for it. */
    #refresh(): Promise<void> {
        this.#refreshing ??= this.#refreshNow().finally(() => {
            this.#refreshing = undefined;
        });
        return this.#refreshing;
    }

    async #refreshNow(): Promise<void> {
        const refresh_token = this.#refreshToken;
        if (refresh_token === undefined) {
            throw new LogInRequired("the session has no refresh token");
        }
        try {
            await this.#requestToken({ grant_type: "refresh_token", refresh_token });
        } catch (refused) {
            if (!(refused instanceof LogInRefused) || refused.error !== "invalid_grant") throw refused;
            this.#accessToken = this.#refreshToken = undefined;
            throw new LogInRequired("the session has ended", { cause: refused });
        }
    }

    /** Returns a live token, and not the one that the server has just refused. */
    async #token(refused: string | undefined): Promise<string> {
        await this.#refreshing;
        if (this.#accessToken === undefined) throw new LogInRequired("log in first");
        const expiresSoon = Date.now() > this.#expires - EXPIRES_SOON;
        if (refused === this.#accessToken || (expiresSoon && this.#refreshToken !== undefined)) {
            await this.#refresh();
        }
        return this.#accessToken;
    }

    /** Sends a request to the auth server, which may get it twice. */
    async #send(url: string, init: RequestInit): Promise<Response> {
        const delays = this.#delays();
        for (;;) {
            const outcome = await this.#attempt(url, init);
            const again = outcome instanceof Error || [429, 502, 503, 504].includes(outcome.status);
            if (!(again && (await this.#wait(delays, url, init, outcome)))) return responseOf(outcome);
        }
    }

    /**
     * Sends a request to the API with a live token, and repeats it while that is safe and of use. A POST
     * is safe to repeat because of its key: it is executed once. A PUT or a DELETE is repeated only if it
     * was refused before anything was done.
     */
    async #call(url: string, init: Limited): Promise<Response> {
        const headers = new Headers(init.headers);
        const repeatable = ["GET", "HEAD", "POST"].includes(init.method ?? "GET");
        const delays = this.#delays();
        let refused: string | undefined;
        for (;;) {
            const token = await this.#token(refused);
            headers.set("Authorization", `Bearer ${token}`);
            const outcome = await this.#attempt(url, { ...init, headers });
            if (outcome instanceof Response) {
                if (outcome.status === 401 && refused === undefined && this.#refreshToken !== undefined) {
                    refused = token;
                    continue;
                }
                const nothingDone = [423, 429].includes(outcome.status);
                if (!nothingDone && !(repeatable && (await mayBeDone(outcome)))) return outcome;
            } else if (!repeatable || init.signal?.aborted) {
                throw outcome;
            }
            if (!(await this.#wait(delays, url, { ...init, headers }, outcome))) return responseOf(outcome);
        }
    }

    /** Waits before a repetition; false if there have been enough. */
    async #wait(
        delays: Generator<number, undefined>,
        url: string,
        init: RequestInit,
        outcome: Response | Error,
    ): Promise<boolean> {
        const next = delays.next().value;
        if (next === undefined) return false;
        const isResponse = outcome instanceof Response;
        const delay = isResponse ? Math.max(next, retryAfter(outcome.headers)) : next;
        const cause = isResponse ? `status ${outcome.status}` : String(outcome.cause ?? outcome);
        const idempotencyKey = new Headers(init.headers).get(KEY) ?? undefined;
        this.#options.onRetry?.({ method: init.method ?? "GET", url, cause, delay, idempotencyKey });
        await sleep(delay);
        return true;
    }

    /**
     * Sends a request once. Returns the response, read to its end if it is JSON, or why there is none. The
     * time limit counts while bytes are awaited: not while they arrive, nor while nobody reads them.
     */
    async #attempt(url: string, init: Limited): Promise<Response | Error> {
        const { timeout = 60_000, importTimeout = 3_600_000 } = this.#options;
        const isImport = new URL(url).pathname.endsWith(IMPORT);
        const limit = init.timeout ?? (isImport ? importTimeout : timeout);
        const silence = new AbortController();
        const limited = async <T>(bytes: Promise<T>): Promise<T> => {
            const error = new DOMException(`no byte for ${limit} ms`, "TimeoutError");
            const timer = setTimeout(() => silence.abort(error), limit);
            return bytes.finally(() => clearTimeout(timer));
        };
        const signal = init.signal ? AbortSignal.any([init.signal, silence.signal]) : silence.signal;
        try {
            const response = await limited(this.#fetch(url, { ...init, signal }));
            const reader = response.body?.getReader();
            if (reader === undefined) return response;
            const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
                {
                    async pull(controller) {
                        const { done, value } = await limited(reader.read());
                        if (done) controller.close();
                        else controller.enqueue(value);
                    },
                    cancel: (reason) => reader.cancel(reason),
                },
                { highWaterMark: 0 },
            );
            const { status, statusText, headers } = response;
            const isJson = /\bjson\b/.test(headers.get("Content-Type") ?? "");
            const whole = isJson ? await new Response(body).arrayBuffer() : body;
            const copy = new Response(whole, { status, statusText, headers });
            return Object.defineProperty(copy, "url", { value: response.url });
        } catch (failure) {
            return failure instanceof Error ? failure : new Error(String(failure));
        }
    }

    /** Yields how long to wait before each repetition: longer each time, and never alike. */
    *#delays(): Generator<number, undefined, undefined> {
        const { attempts = 6, delay: first = 250, patience = 150_000 } = this.#options;
        const end = Date.now() + patience;
        for (let attempt = 0; attempt + 1 < attempts; attempt++) {
            const delay = (0.5 + Math.random() / 2) * Math.min(first * 2 ** attempt, DELAY_MAX);
            if (Date.now() + delay > end) return;
            yield delay;
        }
    }
}

/** Gives each POST an idempotency key of its own, and each error that key. */
const withKeys: Middleware = {
    async pre({ url, init }) {
        const headers = new Headers(init.headers);
        if (init.method === "POST" && !headers.has(KEY)) headers.set(KEY, crypto.randomUUID());
        return { url, init: { ...init, headers } };
    },
    async post({ init, response }) {
        if (response.ok) return;
        const body = await response.clone().json().catch(() => undefined);
        const problem = typeof body?.type === "string" ? ProblemFromJSON(body) : undefined;
        throw new RefusedRequest(response, problem, keyOf(init));
    },
    async onError({ init, error }) {
        const cause = error instanceof Error ? error : new Error(String(error));
        throw new FailedRequest(cause, keyOf(init));
    },
};

function keyOf(init: RequestInit): string | undefined {
    return new Headers(init.headers).get(KEY) ?? undefined;
}

function responseOf(outcome: Response | Error): Response {
    if (outcome instanceof Error) throw outcome;
    return outcome;
}

/** True if the request may have been carried out, or may be running still. 502 and 504 are a proxy's. */
async function mayBeDone(response: Response): Promise<boolean> {
    if ([502, 503, 504].includes(response.status)) return true;
    if (response.status !== 409) return false;
    const problem = await response.clone().json().catch(() => ({}));
    return problem.type === `${PROBLEM}idempotency-in-progress`;
}

function retryAfter(headers: Headers): number {
    const seconds = headers.get("Retry-After") ?? "";
    return /^\d+$/.test(seconds) ? Number(seconds) * 1000 : 0;
}

function nextCursor(headers: Headers): string | undefined {
    const next = headers.get("Link")?.match(/<([^>]*)>;\s*rel="next"/)?.[1];
    return next && (new URL(next, "https://x").searchParams.get("after") ?? undefined);
}

function sleep(milliseconds: number): Promise<void> {
    return new Promise((done) => setTimeout(done, milliseconds));
}
