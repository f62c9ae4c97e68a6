// Reads a loan and what a refusal says, by the types that `openapi-typescript` makes and the client
// `openapi-fetch`, which takes paths, parameters and answers from them: `node read_loan.js
// quickstart.json`, with a token in TOKEN.

import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import { Agent, fetch as fetchOver, type RequestInit as InitOver } from "undici";
import type { components, paths } from "./client/schema.d.ts";

const quickstart = JSON.parse(readFileSync(process.argv[2]!, "utf8"));
const dispatcher = new Agent({ connect: { ca: readFileSync(quickstart.ca_certificate) } });
const api = createClient<paths>({
    baseUrl: quickstart.api_url,
    headers: { Authorization: `Bearer ${process.env.TOKEN}` },
    fetch: ((request: Request) =>
        fetchOver(request.url, {
            method: request.method,
            headers: Object.fromEntries(request.headers),
            body: request.body as InitOver["body"],
            duplex: "half",
            dispatcher,
        })) as unknown as typeof fetch,
});

async function getLoan(loan_id: number) {
    return api.GET("/loans/{loan_id}", { params: { path: { loan_id } } });
}

const { data: loan } = await getLoan(1);
const balance: string | undefined = loan?.Current_Principal_Balance;
console.log(`read loan ${loan?.Loan_Number}: ${balance}`);
const { error } = await getLoan(999_999_999);
const problem: components["schemas"]["Problem"] | undefined = error;
console.log(`read ${problem?.type}`);
if (!balance || problem?.type !== "urn:problem-type:core:not-found") process.exit(1);
await dispatcher.close();
