// The stock client while the server is killed. It prints "kill" when it wants that, and
// reads where the server is then.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import OpenAI from 'openai';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const at = (url) => new OpenAI({ baseURL: `${url}/v1`, apiKey: process.env.NESTOR_KEY, maxRetries: 0 });
let client = at(process.env.NESTOR_URL);

// until reads a stream up to its first text, has the server killed, and reads on until the
// connection breaks.
async function until(stream, text, see) {
  let asked = false;
  await assert.rejects(async () => {
    for await (const e of stream) {
      see(e);
      if (text() !== '' && !asked) {
        asked = true;
        console.log('kill');
      }
    }
  }, 'the stream ended as if nothing had happened');
  assert.ok(asked);
  client = at((await lines.next()).value);
}

const input = 'Tell me what you can do';
const model = 'model:default';

// A response in the background is resumed after the last event that came.
let text = '', last = -1, id;
await until(
  await client.responses.create({ model, input, background: true, stream: true }), () => text,
  (e) => {
    id ??= e.response?.id;
    last = e.sequence_number;
    if (e.type === 'response.output_text.delta') text += e.delta;
  },
);
let final;
for await (const e of await client.responses.retrieve(id, { stream: true, starting_after: last })) {
  assert.ok(e.sequence_number > last);
  last = e.sequence_number;
  if (e.type === 'response.output_text.delta') text += e.delta;
  if (e.type === 'response.completed') final = e.response;
}
const whole = await client.responses.retrieve(id);
assert.equal(whole.status, 'completed');
assert.ok(whole.output_text.length > 20, whole.output_text);
assert.equal(text, whole.output_text);
assert.equal(final.id, id);

// A completion is asked for again, with its key.
const messages = [{ role: 'user', content: input }];
const once = { headers: { 'Idempotency-Key': 'once' } };
let said = '', run;
await until(
  await client.chat.completions.create({ model, messages, stream: true }, once), () => said,
  (chunk) => {
    run = chunk.id;
    said += chunk.choices[0]?.delta.content ?? '';
  },
);
const again = await client.chat.completions.create({ model, messages }, once);
assert.equal(again.id, run);
assert.equal(again.choices[0].message.content, whole.output_text);
assert.ok(whole.output_text.startsWith(said), said);
process.exit(0);
