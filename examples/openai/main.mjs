// A program that knows OpenAI's API and nothing of Nestor.
//
//   npm install && NESTOR_URL=http://127.0.0.1:8787 NESTOR_KEY=nst_k_… node main.mjs
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: `${process.env.NESTOR_URL}/v1`, apiKey: process.env.NESTOR_KEY });

// Whom one can talk to.
for await (const model of client.models.list()) console.log('model', model.id);

// What the orchestrator and its agents say, while they say it.
const stream = client.chat.completions.stream({ model: 'orchestrator', messages: [{ role: 'user', content: 'Compute 6*7' }] });
stream.on('content', (piece) => process.stdout.write(piece));
await stream.finalContent();
console.log();

// An agent calls a function of this program. The agent waits for it, whatever happens to
// the server meanwhile.
const runner = client.chat.completions.runTools({
  model: 'agent:general',
  messages: [{ role: 'user', content: 'Use the stock tool with {"item": "teapot"}' }],
  tools: [{
    type: 'function',
    function: {
      name: 'stock', description: 'How many of an item are in store.', parse: JSON.parse,
      parameters: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
      function: ({ item }) => `There are 7 of ${item}.`,
    },
  }],
});
console.log(await runner.finalContent());

// Work that takes its time, asked for now and fetched later; then the thread goes on.
let response = await client.responses.create({ model: 'agent:general', input: 'What is 12*12?', background: true });
while (response.status === 'queued' || response.status === 'in_progress') {
  await new Promise((done) => setTimeout(done, 200));
  response = await client.responses.retrieve(response.id);
}
console.log(response.status, response.output_text);
const next = await client.responses.create({ model: 'agent:general', input: 'Hello', previous_response_id: response.id });
console.log(next.status, next.output_text);
