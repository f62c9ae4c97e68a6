// What an integration does with the API: `node example.js quickstart.json`, with NODE_EXTRA_CA_CERTS set
// to the quickstart's authority. It prints a line per step and ends at the first one that fails. The
// documentation page shows its samples.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContactsApi, type LoanTransaction, LogInRefused, LogInRequired } from "loan-servicing";
// sample: log-in
// NODE_EXTRA_CA_CERTS is the file of the certificate authority, if it is your own.
import { readFileSync } from "node:fs";
import {
    CommentsApi,
    ExcessHandling,
    FilesApi,
    ImportApi,
    LoansApi,
    Session,
    problemKind,
    problemOf,
} from "loan-servicing";
// end

// What a PNG begins with, then every byte there is: nothing may read this as text.
const SCAN = Uint8Array.from([0x89, ...Buffer.from("PNG\r\n\x1a\n"), ...Array(256).keys()]);
const CONTACT = `<Core CommitBlock="1"><Contact ContactNumber="C-TS" ContactTypeCode="BORROWER"
    EntityCode="INDIVIDUAL" ShortName="TS" FirstName1="Ty" LastName1="Script"/></Core>`;

function expect(step: string, holds: boolean): void {
    if (!holds) {
        console.log(`failed: ${step}`);
        process.exit(1);
    }
    console.log(step);
}

/** The error that a call is refused with. */
async function refusalOf(call: Promise<unknown>): Promise<unknown> {
    try {
        await call;
    } catch (refused) {
        return refused;
    }
    throw new Error("nothing was refused");
}

const quickstart = JSON.parse(readFileSync(process.argv[2]!, "utf8"));
const client = quickstart.clients.integration;
const admin = quickstart.users.admin;
const [apiUrl, authUrl] = [quickstart.api_url, quickstart.auth_url];
const [clientId, clientSecret] = [client.client_id, client.client_secret];
const { username, password } = admin;
process.chdir(mkdtempSync(join(tmpdir(), "example-")));
writeFileSync("scan.png", SCAN);
writeFileSync("contact.xml", CONTACT);
// sample: log-in

const session = new Session({ apiUrl, authUrl, clientId, clientSecret });
// end
const contacts = new ContactsApi(session.configuration);

const wrong = await refusalOf(session.logIn(username, "wrong"));
expect("refused a wrong password", wrong instanceof LogInRefused && wrong.error === "invalid_grant");
const early = (await refusalOf(contacts.getContact({ contactId: 1 }))) as Error;
expect("asked for a log-in", early.cause instanceof LogInRequired);

// sample: log-in
await session.logIn(username, password);
// end
// sample: token
let loans = new LoansApi(session.configuration);
const loan = await loans.getLoan({ loanId: 1 });
// end
expect(`read loan ${loan.loanNumber}`, loan.loanID === 1);
// sample: find
const found = await loans.listLoans({ loanNumber: "L-000001" });
// end
expect("found it by its number", found.length === 1 && found[0]!.loanID === 1);

// sample: repeating
// Repeats the payment by itself if no response comes. To repeat it after a restart of your program,
// store the key with it.
const payment = {
    loanId: 1,
    idempotencyKey: "example-ts-1",
    newPayment: { amount: "10.07", excessHandling: ExcessHandling.Suspense },
};
const posted = await loans.postPayment(payment);
// end
const again = await loans.postPayment(payment);
expect("posted a payment once", posted[0]!.transactionID === again[0]!.transactionID);

const everything = await loans.listTransactions({ loanId: 1, limit: 1000 });
const byTwos: LoanTransaction[] = [];
// sample: paging
const list = session.pages((page) => loans.listTransactionsRaw(page), { loanId: 1, limit: 2 });
for await (const row of list) {
    console.log(row.transactionDate, row.transactionAmount);
    // end
    byTwos.push(row);
    // sample: paging
}
// end
expect("read a list page by page", JSON.stringify(byTwos) === JSON.stringify(everything));

// sample: upload
const comments = new CommentsApi(session.configuration);
const file = new File([readFileSync("scan.png")], "scan.png");
const scan = await comments.createLoanCommentDocument({ commentId: 1, file, name: "A scan" });
const files = new FilesApi(session.configuration);
const content = await files.downloadFile({ fileId: scan.files[0]!.fileID });
// end
const bytes = new Uint8Array(await content.arrayBuffer());
expect("uploaded and downloaded a document", Buffer.compare(bytes, SCAN) === 0);

// sample: imports
const imports = new ImportApi(session.configuration);
const body = new Blob([readFileSync("contact.xml")]);
const result = await imports.importXml({ test: false, body });
for (const record of result.records) console.log(record.line, record.element, record.action);
// end
expect("imported a contact", result.committed && result.failed === 0);
const borrowers = await contacts.listContacts({ contactNumber: "C-TS" });
expect("found it", borrowers.length === 1 && borrowers[0]!.lastName1 === "Script");

const first = session.refreshToken;
// sample: sessions
// A session refreshes its token by itself. Another process can continue it with the refresh token;
// this one must not use it afterwards.
const other = new Session({ apiUrl, authUrl, clientId, clientSecret });
await other.resume(session.refreshToken!);
// end
expect("refreshed", other.refreshToken !== first);
loans = new LoansApi(other.configuration);

const missing = await refusalOf(loans.getLoan({ loanId: 999_999_999 }));
expect("read not-found", problemKind(missing) === "not-found");
let kind;
// sample: errors
try {
    await loans.postPayment({ loanId: 1, newPayment: { amount: "0.00" } });
} catch (refused) {
    const problem = problemOf(refused);
    console.log(problemKind(refused), problem?.title, problem?.errors, problem?.requestId);
    // end
    kind = problemKind(refused);
    // sample: errors
}
// end
expect("read amount-not-positive", kind === "amount-not-positive");

// sample: sessions
await other.logOut();
// end
expect("logged out", other.refreshToken === undefined);
