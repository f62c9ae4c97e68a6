// What an integration does with the API, by the client that `openapi-generator -g typescript-fetch`
// makes.
//
// Written to be read and copied: `node main_job.js quickstart.json`. It prints a line per step and
// ends at the first one that fails.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, fetch as fetchOver, type RequestInit as InitOver } from "undici";
import {
    CommentsApi,
    Configuration,
    ExcessHandling,
    FilesApi,
    LoansApi,
    type LoanTransaction,
    type Problem,
    ProblemFromJSON,
    ResponseError,
} from "./client/index.js";

const quickstart = JSON.parse(readFileSync(process.argv[2]!, "utf8"));

// Trusts the quickstart's own authority and no other. In a browser, plain `fetch` does.
const dispatcher = new Agent({ connect: { ca: readFileSync(quickstart.ca_certificate) } });
const trusting = ((url: string, init: object) =>
    fetchOver(url, { ...(init as InitOver), dispatcher })) as unknown as typeof fetch;

/** The auth server is no part of the API's document: plain HTTP of the language. */
async function logIn(name: string): Promise<string> {
    const { client_id, client_secret } = quickstart.clients.integration;
    const { username, password } = quickstart.users[name];
    const answer = await trusting(`${quickstart.auth_url}/oauth2/token`, {
        method: "POST",
        headers: { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
        body: new URLSearchParams({ grant_type: "password", scope: "core", username, password }),
    });
    return (await answer.json()).access_token;
}

/** Page by page: the header `Link` of each has the cursor of the next one. */
async function allTransactions(loans: LoansApi, loanId: number, limit: number) {
    const found: LoanTransaction[] = [];
    let after: string | undefined;
    do {
        const page = await loans.listTransactionsRaw({ loanId, limit, after });
        found.push(...(await page.value()));
        const next = page.raw.headers.get("Link")?.match(/<([^>]*)>/)?.[1];
        after = next && new URL(next, quickstart.api_url).searchParams.get("after")!;
    } while (after);
    return found;
}

/** The problem document that a call is refused with. */
async function problemOf(call: Promise<unknown>): Promise<Problem> {
    try {
        await call;
    } catch (refused) {
        if (refused instanceof ResponseError) return ProblemFromJSON(await refused.response.json());
        throw refused;
    }
    throw new Error("nothing was refused");
}

function expect(step: string, holds: boolean) {
    if (!holds) {
        console.error(`failed: ${step}`);
        process.exit(1);
    }
    console.log(step);
}

function same(one: unknown, other: unknown) {
    return JSON.stringify(one) === JSON.stringify(other);
}

const token = await logIn("admin");
expect("logged in", Boolean(token));

const configuration = new Configuration({
    basePath: quickstart.api_url,
    accessToken: token,
    fetchApi: trusting,
});
const loans = new LoansApi(configuration);

const loan = await loans.getLoan({ loanId: 1 });
expect(`read loan ${loan.loanNumber}`, loan.loanID === 1);

const payment = {
    loanId: 1,
    newPayment: { amount: "10.07", excessHandling: ExcessHandling.Suspense },
    idempotencyKey: randomUUID(),
};
const posted = await loans.postPaymentRaw(payment);
const rows = await posted.value();
const amount = rows[0]!.transactionAmount;
expect(`posted ${amount}`, posted.raw.status === 201 && amount === "10.07");
const repeated = await loans.postPaymentRaw(payment);
expect(
    "posted it once",
    same(await repeated.value(), rows) && repeated.raw.headers.get("Idempotency-Replayed") === "true",
);

const whole = await loans.listTransactions({ loanId: 1, limit: 1000 });
expect(
    `listed ${whole.length} transactions in pages of 2`,
    whole.length > 2 && same(await allTransactions(loans, 1, 2), whole),
);

// What a PNG begins with, then every byte there is: nothing may read this as text.
const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const scan = Uint8Array.from([...png, ...Array(256).keys()]);
const document = await new CommentsApi(configuration).createLoanCommentDocument({
    commentId: 1,
    file: new File([scan], "scan.png"),
    name: "A scan",
});
const file = document.files[0]!;
expect(`uploaded ${file.fileName}`, file.sizeBytes === scan.length);
const download = await new FilesApi(configuration).downloadFile({ fileId: file.fileID });
const bytes = new Uint8Array(await download.arrayBuffer());
expect("downloaded the same bytes", Buffer.compare(bytes, scan) === 0);

let problem = await problemOf(loans.getLoan({ loanId: 999_999_999 }));
expect(`read ${problem.type}`, problem.type === "urn:problem-type:core:not-found");
const nothing = { loanId: 1, newPayment: { amount: "0.00" } };
problem = await problemOf(loans.postPayment(nothing));
expect(
    `read ${problem.type}`,
    problem.status === 422 && problem.errors?.[0]?.field === "Amount",
);

const headers = { Authorization: `Bearer ${token}` };
await trusting(`${quickstart.auth_url}/logout`, { method: "POST", headers });
problem = await problemOf(loans.getLoan({ loanId: 1 }));
expect(
    "logged out",
    problem.status === 401 && problem.type === "urn:problem-type:core:token-invalid",
);
await dispatcher.close();
