// How the clients talk with the test that runs them, a line of JSON at a time: the parameters come
// in, `{"open": URL}` asks the test's browser to go there, and `{"result": …}` is the end.

import { createInterface } from 'node:readline';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function read() {
  const { value, done } = await lines.next();
  if (done) throw new Error('the test has gone');
  return JSON.parse(value);
}

/** What the test wants to be done. */
export const parameters = await read();

/** Sends the user's browser to a URL; gives back where it arrived. */
export async function open(url) {
  console.log(JSON.stringify({ open: url.href }));
  return new URL((await read()).arrived);
}

/** Tells the test what was seen, and ends. */
export function finish(result) {
  console.log(JSON.stringify({ result }));
  process.exit(0);
}
