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
import { type ApiResponse, Configuration, type FetchAPI, ResponseError } from "./runtime.js";

/** Prefix of the `type` of every problem. */
export const PROBLEM = "urn:problem-type:core:";

const KEY = "Idempotency-Key";
/** A token with less time left, in milliseconds, is refreshed before it is used. */
const EXPIRES_SOON = 30_000;

export interface SessionOptions {
    /** URLs of the two servers, without a path. */
    apiUrl: string;
    authUrl: string;
    /** A client of the auth server. `logIn` requires one that may use the password grant. */
    clientId: string;
    /** Absent for a public client. */
    clientSecret?: string;
    /** Milliseconds after which a request without a response has failed; default: a minute. */
    timeout?: number;
    /** How often a request is sent at most, if it is safe to repeat it; default: 6. */
    attempts?: number;
    /** Milliseconds after which a request is not repeated any more; default: a minute. */
    patience?: number;
    /** Sends requests, for instance with an authority of your own; default: `fetch`. */
    fetch?: FetchAPI;
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

/** Returns the problem of a refused request; `undefined` if the error is of another kind. */
export async function problemOf(error: unknown): Promise<Problem | undefined> {
    if (!(error instanceof ResponseError)) return undefined;
    return ProblemFromJSON(await error.response.clone().json());
}

/** Returns the kind of a refused request's problem, such as `not-found`; "" if it has none. */
export async function problemKind(error: unknown): Promise<string> {
    const problem = await problemOf(error);
    return problem?.type?.startsWith(PROBLEM) ? problem.type.slice(PROBLEM.length) : "";
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
            try {
                const response = await this.#fetch(url, this.#limited(init));
                const again = response.status === 429 || response.status === 503;
                const delay = again ? delays.next().value : undefined;
                if (delay === undefined) return response;
                await sleep(Math.max(delay, retryAfter(response.headers)));
            } catch (failure) {
                const delay = delays.next().value;
                if (delay === undefined) throw failure;
                await sleep(delay);
            }
        }
    }

    /**
     * Sends a request to the API with a live token, and repeats it while that is safe and of use. A POST
     * is safe to repeat because of its key: it is executed once. A PUT or a DELETE is repeated only if it
     * was refused before anything was done.
     */
    async #call(url: string, init: RequestInit): Promise<Response> {
        const headers = new Headers(init.headers);
        const method = init.method ?? "GET";
        if (method === "POST" && !headers.has(KEY)) headers.set(KEY, crypto.randomUUID());
        const repeatable = ["GET", "HEAD", "POST"].includes(method);
        const delays = this.#delays();
        let refused: string | undefined;
        for (;;) {
            const token = await this.#token(refused);
            headers.set("Authorization", `Bearer ${token}`);
            let response: Response;
            try {
                response = await this.#fetch(url, this.#limited({ ...init, headers }));
            } catch (failure) {
                const delay = repeatable ? delays.next().value : undefined;
                if (delay === undefined) throw failure;
                await sleep(delay);
                continue;
            }
            if (response.status === 401 && refused === undefined && this.#refreshToken !== undefined) {
                refused = token;
                continue;
            }
            const again =
                [423, 429].includes(response.status) || (repeatable && (await mayBeRunning(response)));
            const delay = again ? delays.next().value : undefined;
            if (delay === undefined) return response;
            await sleep(Math.max(delay, retryAfter(response.headers)));
        }
    }

    #limited(init: RequestInit): RequestInit {
        const timeout = AbortSignal.timeout(this.#options.timeout ?? 60_000);
        return { ...init, signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout };
    }

    /** Yields how long to wait before each repetition: longer each time, and never alike. */
    *#delays(): Generator<number, undefined, undefined> {
        const end = Date.now() + (this.#options.patience ?? 60_000);
        for (let attempt = 0; attempt + 1 < (this.#options.attempts ?? 6); attempt++) {
            const delay = (0.5 + Math.random() / 2) * 250 * 2 ** attempt;
            if (Date.now() + delay > end) return;
            yield delay;
        }
    }
}

async function mayBeRunning(response: Response): Promise<boolean> {
    if (response.status === 503) return true;
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
