// The stock client repeats requests by itself: node retry.mjs cut|late|killed. Nobody sends
// an Idempotency-Key.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const { NESTOR_URL: url, NESTOR_KEY: key } = process.env;
const way = process.argv[2];
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 10, ...(way === 'late' && { timeout: 2000 }) });
const model = 'model:default';
const messages = [{ role: 'user', content: 'Hello' }];

const ways = {
  async 'a completion'() {
    return (await client.chat.completions.create({ model, messages })).choices[0].message.content;
  },
  async 'a completion as a stream'() {
    let text = '';
    for await (const c of await client.chat.completions.create({ model, messages, stream: true })) text += c.choices[0]?.delta.content ?? '';
    return text;
  },
  async 'a response'() {
    return (await client.responses.create({ model, input: 'Hello' })).output_text;
  },
  async 'a response as a stream'() {
    let text = '';
    for await (const e of await client.responses.create({ model, input: 'Hello', stream: true })) if (e.type === 'response.output_text.delta') text += e.delta;
    return text;
  },
};

const runs = async () => (await (await fetch(`${url}/api/v1/runs?limit=100`, { headers: { Authorization: `Bearer ${key}` } })).json()).items;

if (way === 'killed') {
  const answer = ways['a completion']();
  while (!(await runs()).some((r) => r.status === 'running'));
  console.log('half');
  assert.equal(await answer, 'Once upon a time.');
  assert.equal((await runs()).length, 1);
  process.exit(0); // whoever reads lines would wait for more
}
for (const [name, ask] of Object.entries(ways)) assert.equal(await ask(), 'Done.', name);
