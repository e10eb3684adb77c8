// A client whose server dies in the middle of a stream. It says on its output that the
// stream has begun, is told on its input where the server is now, and takes the task up
// again.
import assert from "node:assert/strict";
import { createInterface } from "node:readline/promises";
import { connect, gather, say, textOf } from "./client.mjs";

const { NESTOR_URL, NESTOR_KEY } = process.env;
const input = createInterface({ input: process.stdin });
const moved = new Promise((resolve) => input.once("line", resolve));

let id;
const begun = async (e, seen) => {
  if (e.kind !== "artifact-update" || id) return;
  id = seen.id;
  console.log("streaming");
};
await assert.rejects(gather((await connect(NESTOR_URL, NESTOR_KEY)).sendMessageStream(say(process.argv[2])), begun), /terminated|socket|closed/);

const client = await connect(await moved, NESTOR_KEY);
const seen = await gather(client.resubscribeTask({ id }));
assert.equal(seen.states.at(-1), "completed");
const task = await client.getTask({ id });
assert.deepEqual(seen.texts, textOf(task));
console.log(JSON.stringify(seen.texts));
input.close();
