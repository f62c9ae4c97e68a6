// What an integration does with the API: `node example.js quickstart.json`, with NODE_EXTRA_CA_CERTS set
// to the quickstart's authority. It prints a line per step and ends at the first one that fails.

import { readFileSync } from "node:fs";
import {
    CommentsApi,
    ContactsApi,
    ExcessHandling,
    FilesApi,
    ImportApi,
    LoansApi,
    type LoanTransaction,
    LogInRefused,
    LogInRequired,
    problemKind,
    Session,
} from "loan-servicing";

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
const session = new Session({
    apiUrl: quickstart.api_url,
    authUrl: quickstart.auth_url,
    clientId: client.client_id,
    clientSecret: client.client_secret,
});
const loans = new LoansApi(session.configuration);
const contacts = new ContactsApi(session.configuration);

const wrong = await refusalOf(session.logIn(admin.username, "wrong"));
expect("refused a wrong password", wrong instanceof LogInRefused && wrong.error === "invalid_grant");
const early = (await refusalOf(loans.getLoan({ loanId: 1 }))) as Error;
expect("asked for a log-in", early.cause instanceof LogInRequired);

await session.logIn(admin.username, admin.password);
const loan = await loans.getLoan({ loanId: 1 });
expect(`read loan ${loan.loanNumber}`, loan.loanID === 1);
const found = await loans.listLoans({ loanNumber: loan.loanNumber });
expect("found it by its number", found.length === 1 && found[0]!.loanID === 1);

const payment = {
    loanId: 1,
    idempotencyKey: "example-ts-1",
    newPayment: { amount: "10.07", excessHandling: ExcessHandling.Suspense },
};
const posted = await loans.postPayment(payment);
const again = await loans.postPayment(payment);
expect("posted a payment once", posted[0]!.transactionID === again[0]!.transactionID);

const everything = await loans.listTransactions({ loanId: 1, limit: 1000 });
const byTwos: LoanTransaction[] = [];
const list = session.pages((page) => loans.listTransactionsRaw(page), { loanId: 1, limit: 2 });
for await (const row of list) byTwos.push(row);
expect("read a list page by page", JSON.stringify(byTwos) === JSON.stringify(everything));

const document = await new CommentsApi(session.configuration).createLoanCommentDocument({
    commentId: 1,
    file: new File([SCAN], "scan.png"),
    name: "A scan",
});
const files = new FilesApi(session.configuration);
const content = await files.downloadFile({ fileId: document.files[0]!.fileID });
const bytes = new Uint8Array(await content.arrayBuffer());
expect("uploaded and downloaded a document", Buffer.compare(bytes, SCAN) === 0);

const importing = new ImportApi(session.configuration);
const result = await importing.importXml({ test: false, body: new Blob([CONTACT]) });
expect("imported a contact", result.committed && result.failed === 0);
const borrowers = await contacts.listContacts({ contactNumber: "C-TS" });
expect("found it", borrowers.length === 1 && borrowers[0]!.lastName1 === "Script");

const first = session.refreshToken!;
await session.resume(first);
expect("refreshed", session.refreshToken !== first);

const missing = await refusalOf(loans.getLoan({ loanId: 999_999_999 }));
expect("read not-found", (await problemKind(missing)) === "not-found");
const nothing = await refusalOf(loans.postPayment({ loanId: 1, newPayment: { amount: "0.00" } }));
expect("read amount-not-positive", (await problemKind(nothing)) === "amount-not-positive");

await session.logOut();
expect("logged out", session.refreshToken === undefined);
