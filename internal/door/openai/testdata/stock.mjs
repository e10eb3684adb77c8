// The stock client of OpenAI against this server. It prints what went wrong, and fails.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const { NESTOR_URL, NESTOR_KEY, NESTOR_OTHER_KEY } = process.env;
const as = (apiKey) => new OpenAI({ baseURL: `${NESTOR_URL}/v1`, apiKey, maxRetries: 0 });
const client = as(NESTOR_KEY);
const other = as(NESTOR_OTHER_KEY);

const api = async (path) => (await fetch(`${NESTOR_URL}/api/v1/${path}`, { headers: { Authorization: `Bearer ${NESTOR_KEY}` } })).json();
const chats = async () => (await api('chats?limit=100')).items;

const hello = [{ role: 'user', content: 'Hello' }];
const model = 'model:default';
const agent = 'agent:general';

// shape is what an output says, without what the helpers add to it.
const shape = (r) => r.output.map((o) => [o.type, o.id, o.status, o.content?.map((c) => c.text), o.call_id, o.arguments]);

const steps = {
  async 'models are the participants'() {
    const ids = [];
    for await (const m of client.models.list()) ids.push(m.id);
    assert.ok(ids.includes('orchestrator') && ids.includes(agent) && ids.includes(model), ids.join());
    const one = await client.models.retrieve(agent);
    assert.equal(one.id, agent);
    assert.equal(one.object, 'model');
    await assert.rejects(client.models.retrieve('nobody'), (e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found');
  },

  async 'a completion is a run, and a conversation a chat'() {
    const before = (await chats()).length;
    const first = await client.chat.completions.create({ model, messages: hello, metadata: { ticket: '7' }, temperature: 0.2, user: 'x' });
    assert.equal(first.object, 'chat.completion');
    assert.equal(first.choices[0].message.content, 'Hello, I am here.');
    assert.equal(first.choices[0].finish_reason, 'stop');
    assert.ok(first.usage.prompt_tokens >= 10 && first.usage.completion_tokens >= 5 && first.usage.total_tokens >= 15, JSON.stringify(first.usage));
    const run = await api(`runs/${first.id.replace('chatcmpl-', '')}`);
    assert.equal(run.run.status, 'success');
    const next = await client.chat.completions.create({
      model, messages: [...hello, first.choices[0].message, { role: 'user', content: [{ type: 'text', text: 'And now?' }] }],
    });
    assert.equal(next.choices[0].message.content, 'Still here.');
    const after = await chats();
    assert.equal(after.length, before + 1);
    assert.ok(after.some((c) => c.metadata?.ticket === '7'));
    // A second way to go on from there is a fork.
    const again = await client.chat.completions.create({ model, messages: [...hello, first.choices[0].message, { role: 'user', content: 'And now?' }] });
    assert.equal(again.choices[0].message.content, 'Still here.');
    assert.notEqual(again.id, next.id);
    assert.equal((await chats()).length, before + 2);
    assert.ok((await chats()).some((c) => c.forkedFrom));
    // A conversation that was never had here.
    const told = await client.chat.completions.create({
      model, messages: [{ role: 'system', content: 'Be short.' }, ...hello, { role: 'assistant', content: 'I never said that.' }, { role: 'user', content: 'You did' }],
    });
    assert.equal(told.choices[0].message.content, 'So I did.');
  },

  async 'system and developer messages are the system prompt'() {
    const got = await client.chat.completions.create({ model, messages: [{ role: 'developer', content: 'Answer in German.' }, { role: 'user', content: 'Wer da?' }] });
    assert.equal(got.choices[0].message.content, 'Ich.');
  },

  async 'an answer that is cut off says so'() {
    const got = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Go on for ever' }] });
    assert.equal(got.choices[0].finish_reason, 'length');
    assert.match(got.choices[0].message.content, /^And so and so/);
  },

  async 'a stream, and its helper'() {
    const raw = await client.chat.completions.create({ model, messages: hello, stream: true, stream_options: { include_usage: true } });
    let text = '', used, reason;
    for await (const chunk of raw) {
      text += chunk.choices[0]?.delta.content ?? '';
      reason = chunk.choices[0]?.finish_reason ?? reason;
      used = chunk.usage ?? used;
    }
    assert.equal(text, 'Hello, I am here.');
    assert.equal(reason, 'stop');
    assert.ok(used.total_tokens >= 15);
    const runner = client.chat.completions.stream({ model, messages: hello });
    const pieces = [];
    runner.on('content', (piece) => pieces.push(piece));
    const final = await runner.finalChatCompletion();
    assert.equal(final.choices[0].message.content, 'Hello, I am here.');
    assert.equal(pieces.join(''), 'Hello, I am here.');
  },

  async 'tools of the caller, by the tool runner'() {
    const asked = [];
    const tools = [{
      type: 'function',
      function: {
        name: 'get_weather', description: 'The weather of a city.', parse: JSON.parse,
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        function: ({ city }) => { asked.push(city); return city === 'Rome' ? '31 degrees' : '4 degrees'; },
      },
    }];
    const messages = [{ role: 'user', content: 'How warm is it in Rome and Oslo?' }];
    const before = (await chats()).length;
    const runner = client.chat.completions.runTools({ model: agent, messages, tools });
    assert.equal(await runner.finalContent(), 'Rome has 31 degrees, Oslo 4.');
    assert.deepEqual(asked.sort(), ['Oslo', 'Rome']);
    const streamed = client.chat.completions.runTools({ model: agent, messages, tools, stream: true });
    assert.equal(await streamed.finalContent(), 'Rome has 31 degrees, Oslo 4.');
    assert.equal(asked.length, 4);
    assert.equal((await chats()).length, before + 2);
    const thanks = await client.chat.completions.create({ model: agent, messages: [...runner.messages, { role: 'user', content: 'Thanks' }], tools: tools.map(({ type, function: { name, description, parameters } }) => ({ type, function: { name, description, parameters } })) });
    assert.equal(thanks.choices[0].message.content, 'You are welcome.');
    assert.equal((await chats()).length, before + 2);
    await assert.rejects(client.chat.completions.create({ model, messages: hello, tools: [{ type: 'function', function: { name: 'f' } }] }),
      (e) => e instanceof OpenAI.BadRequestError && e.param === 'tools' && /agent:general/.test(e.message));
    await assert.rejects(client.chat.completions.create({ model: agent, messages: hello, tools: [{ type: 'function', function: { name: 'final_answer' } }] }),
      (e) => e instanceof OpenAI.BadRequestError && e.param === 'tools');
    await assert.rejects(client.chat.completions.create({ model: agent, messages: [...messages, { role: 'tool', tool_call_id: 'call_a_b_c', content: 'x' }] }),
      (e) => e instanceof OpenAI.BadRequestError && e.param === 'tool_call_id');
  },

  async 'results of calls'() {
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } }];
    const messages = [{ role: 'user', content: 'How warm is it in Rome and Oslo?' }];
    const asked = (await client.chat.completions.create({ model: agent, messages, tools })).choices[0];
    assert.equal(asked.finish_reason, 'tool_calls');
    const results = asked.message.tool_calls.map((c) => ({ role: 'tool', tool_call_id: c.id, content: JSON.parse(c.function.arguments).city === 'Rome' ? '31 degrees' : '4 degrees' }));
    // All of them or none.
    await assert.rejects(client.chat.completions.create({ model: agent, messages: [...messages, asked.message, results[0]], tools }),
      (e) => e instanceof OpenAI.BadRequestError && e.message.includes(results[1].tool_call_id));
    // Nobody else gives them.
    await assert.rejects(other.chat.completions.create({ model: agent, messages: [...messages, asked.message, ...results], tools }), OpenAI.BadRequestError);
    // Together with something that the user says.
    const before = (await chats()).length;
    const both = await client.chat.completions.create({ model: agent, messages: [...messages, asked.message, ...results, { role: 'user', content: 'In one word' }], tools });
    assert.match(both.choices[0].message.content, /Rome/);
    assert.equal((await chats()).length, before);
  },

  async 'a question is an answer, and the next message answers it'() {
    const messages = [{ role: 'user', content: 'Book a table' }];
    const say = async (content) => {
      if (content) messages.push({ role: 'user', content });
      const got = await client.chat.completions.create({ model: agent, messages });
      assert.equal(got.choices[0].finish_reason, 'stop');
      messages.push(got.choices[0].message);
      return got.choices[0].message.content;
    };
    assert.equal(await say(), 'For how many?');
    assert.equal(await say('Two'), 'And when?');
    assert.equal(await say('Friday'), 'It is booked.');
  },

  async 'images and files'() {
    const png = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const said = (part) => [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, part] }];
    const messages = said({ type: 'image_url', image_url: { url: png } });
    const before = (await chats()).length;
    const seen = await client.chat.completions.create({ model, messages });
    assert.equal(seen.choices[0].message.content, 'An image.');
    const next = await client.chat.completions.create({ model, messages: [...messages, seen.choices[0].message, { role: 'user', content: 'Are you sure?' }] });
    assert.equal(next.choices[0].message.content, 'Quite.');
    assert.equal((await chats()).length, before + 1);
    const text = { type: 'file', file: { filename: 'notes.md', file_data: `data:text/markdown;base64,${btoa('# Buy milk')}` } };
    assert.equal((await client.chat.completions.create({ model, messages: said(text) })).choices[0].message.content, 'A list.');
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, { type: 'input_image', image_url: png, detail: 'auto' }] }];
    assert.equal((await client.responses.create({ model, input })).output_text, 'An image.');
    const form = new FormData();
    form.append('file', new Blob(['# Buy milk'], { type: 'text/markdown' }), 'notes.md');
    const kept = await (await fetch(`${NESTOR_URL}/api/v1/files`, { method: 'POST', headers: { Authorization: `Bearer ${NESTOR_KEY}` }, body: form })).json();
    const known = [{ role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, { type: 'input_file', file_id: kept.id }] }];
    assert.equal((await client.responses.create({ model, input: known })).output_text, 'A list.');
    await assert.rejects(other.responses.create({ model, input: known }), OpenAI.NotFoundError);
    const many = (await chats()).length;
    for (const url of ['https://example.com/a.png', 'data:image/png;base64,!', 'data:image/png;base64,AAAA']) {
      await assert.rejects(client.chat.completions.create({ model, messages: said({ type: 'image_url', image_url: { url } }) }), OpenAI.BadRequestError);
    }
    await assert.rejects(client.chat.completions.create({ model, messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: png } }] }, ...hello] }),
      (e) => e instanceof OpenAI.BadRequestError && e.param === 'messages[0].content');
    await assert.rejects(client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x'.repeat(2 << 20) }] }), (e) => e.status === 413);
    assert.equal((await chats()).length, many, 'what was refused left a chat');
  },

  async 'errors'() {
    const fails = (what, kind, check) => assert.rejects(what, (e) => {
      assert.ok(e instanceof kind, `${e}`);
      return check(e);
    });
    await fails(as('nst_k_wrong').models.list(), OpenAI.AuthenticationError, (e) => e.status === 401 && e.code === 'invalid_api_key');
    await fails(as('nst_k_wrong').chat.completions.create({ model, messages: hello }), OpenAI.AuthenticationError, (e) => e.code === 'invalid_api_key');
    await fails(client.chat.completions.create({ model: 'gpt-4o', messages: hello }), OpenAI.NotFoundError, (e) => e.code === 'model_not_found' && e.param === 'model');
    await fails(client.responses.create({ model: 'gpt-4o', input: 'Hello' }), OpenAI.NotFoundError, (e) => e.code === 'model_not_found');
    await fails(client.chat.completions.create({ messages: hello }), OpenAI.BadRequestError, (e) => e.param === 'model');
    await fails(client.chat.completions.create({ model, messages: [] }), OpenAI.BadRequestError, (e) => e.param === 'messages');
    for (const [param, value] of Object.entries({
      n: 2, logprobs: true, stop: ['x'], logit_bias: { 5: 1 }, modalities: ['text', 'audio'], response_format: { type: 'json_object' }, tool_choice: 'required',
    })) {
      await fails(client.chat.completions.create({ model, messages: hello, [param]: value }), OpenAI.BadRequestError, (e) => e.param === param && e.type === 'invalid_request_error');
    }
    await fails(client.chat.completions.create({ model, messages: [{ role: 'user', content: [{ type: 'video', video: 'x' }] }] }),
      OpenAI.BadRequestError, (e) => e.param === 'messages[0].content');
    await fails(client.chat.completions.create({ model, messages: [{ role: 'robot', content: 'x' }] }), OpenAI.BadRequestError, (e) => e.param === 'messages[0].role');
    await fails(client.chat.completions.create({ model, messages: [{ role: 'system', content: 'x'.repeat(40_000) }, ...hello] }), OpenAI.BadRequestError, (e) => /32000/.test(e.message));
    await fails(client.embeddings.create({ model, input: 'x' }), OpenAI.NotFoundError, (e) => e.code === 'unknown_url');
    await fails(client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Something bad' }] }), OpenAI.InternalServerError, (e) => /declined/.test(e.message));
    await fails(client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Fail' }] }), OpenAI.InternalServerError, (e) => e.code === 'run_failed');
    const stream = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Fail' }], stream: true });
    await fails((async () => { for await (const _ of stream); })(), OpenAI.APIError, (e) => e.code === 'run_failed');
  },

  async 'responses are a thread'() {
    const first = await client.responses.create({ model, input: 'Hello', metadata: { a: 'b' }, instructions: 'Be kind.' });
    assert.equal(first.status, 'completed');
    assert.equal(first.output_text, 'Hello, I am here.');
    assert.deepEqual(first.metadata, { a: 'b' });
    assert.equal(first.instructions, 'Be kind.');
    assert.ok(first.usage.total_tokens >= 15);
    const second = await client.responses.create({ model, input: [{ role: 'user', content: 'And now?' }], previous_response_id: first.id });
    assert.equal(second.output_text, 'Still here.');
    assert.equal(second.previous_response_id, first.id);
    const again = await client.responses.retrieve(first.id);
    assert.equal(again.output_text, first.output_text);
    assert.deepEqual(again.usage, first.usage);
    assert.deepEqual(again.output, first.output);
    // Another way from there.
    const branch = await client.responses.create({ model, input: 'And now?', previous_response_id: first.id });
    assert.equal(branch.output_text, 'Still here.');
    assert.notEqual(branch.id, second.id);
    const longer = await client.responses.create({ model, input: 'Count', previous_response_id: branch.id });
    assert.equal(longer.output_text, 'Two answers before this one.');
    await assert.rejects(other.responses.retrieve(first.id), OpenAI.NotFoundError);
    await assert.rejects(other.responses.create({ model, input: 'x', previous_response_id: first.id }), OpenAI.NotFoundError);
    await assert.rejects(other.responses.cancel(first.id), OpenAI.NotFoundError);
    await assert.rejects(other.responses.delete(first.id), OpenAI.NotFoundError);
    await client.responses.delete(first.id);
    await assert.rejects(client.responses.retrieve(first.id), OpenAI.NotFoundError);
    assert.equal((await client.responses.retrieve(second.id)).output_text, 'Still here.');
    const german = await client.responses.create({ model, input: 'Wer da?', instructions: 'Answer in German.' });
    assert.equal(german.output_text, 'Ich.');
    const failed = await client.responses.create({ model, input: 'Fail' });
    assert.equal(failed.status, 'failed');
    assert.ok(failed.error.message);
    const cut = await client.responses.create({ model, input: 'Go on for ever' });
    assert.equal(cut.status, 'incomplete');
    assert.equal(cut.incomplete_details.reason, 'max_output_tokens');
  },

  async 'a response as a stream, and its helper'() {
    const numbers = [], types = [];
    const stream = client.responses.stream({ model, input: 'Hello' });
    stream.on('event', (e) => { numbers.push(e.sequence_number); types.push(e.type); });
    const final = await stream.finalResponse();
    assert.equal(final.output_text, 'Hello, I am here.');
    assert.equal(final.status, 'completed');
    assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b));
    assert.deepEqual([types[0], types[1], types[2], types[3], types[4]],
      ['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added', 'response.output_text.delta']);
    assert.deepEqual(types.slice(-4), ['response.output_text.done', 'response.content_part.done', 'response.output_item.done', 'response.completed']);
    // Told again it has the same numbers, and from the middle of a text only the rest.
    const retold = [];
    for await (const e of await client.responses.retrieve(final.id, { stream: true })) retold.push(e);
    assert.equal(retold.at(-1).response.output[0].content[0].text, final.output_text);
    assert.equal(retold.at(-1).response.output[0].id, final.output[0].id);
    assert.equal(retold.at(-1).sequence_number, numbers.at(-1));
    let rest = '';
    for await (const e of await client.responses.retrieve(final.id, { stream: true, starting_after: 3 + 'Hello,'.length })) {
      if (e.type === 'response.output_text.delta') rest += e.delta;
      assert.ok(e.sequence_number > 9);
    }
    assert.equal(rest, ' I am here.');
    const replayed = client.responses.stream({ response_id: final.id });
    assert.equal((await replayed.finalResponse()).output_text, 'Hello, I am here.');
  },

  async 'functions of the caller in responses'() {
    const tools = [{ type: 'function', name: 'get_weather', strict: false, parameters: { type: 'object', properties: { city: { type: 'string' } } } }];
    const stream = client.responses.stream({ model: agent, input: 'How warm is it in Rome and Oslo?', tools });
    const first = await stream.finalResponse();
    assert.deepEqual(first.output.map((o) => o.type), ['message', 'function_call', 'function_call']);
    const answers = first.output.filter((o) => o.type === 'function_call').map((o) => (
      { type: 'function_call_output', call_id: o.call_id, output: JSON.parse(o.arguments).city === 'Rome' ? '31 degrees' : '4 degrees' }));
    const second = await client.responses.create({ model: agent, previous_response_id: first.id, input: answers, tools });
    assert.equal(second.output_text, 'Rome has 31 degrees, Oslo 4.');
    assert.notEqual(second.id, first.id);
    assert.deepEqual(shape(await client.responses.retrieve(first.id)), shape(first));
    assert.deepEqual(shape(await client.responses.retrieve(second.id)), shape(second));
    // A repeated request finds what the first one caused.
    const again = await client.responses.create({ model: agent, previous_response_id: first.id, input: answers, tools });
    assert.equal(again.id, second.id);
    assert.equal(again.output_text, second.output_text);
    // A client that sends all of it itself, without previous_response_id.
    const all = [{ role: 'user', content: 'How warm is it in Rome and Oslo?' }];
    const one = await client.responses.create({ model: agent, input: all, tools });
    all.push(...one.output, ...one.output.filter((o) => o.type === 'function_call').map((o) => (
      { type: 'function_call_output', call_id: o.call_id, output: JSON.parse(o.arguments).city === 'Rome' ? '31 degrees' : '4 degrees' })));
    const two = await client.responses.create({ model: agent, input: all, tools });
    assert.equal(two.output_text, 'Rome has 31 degrees, Oslo 4.');
    all.push(...two.output, { role: 'user', content: 'Thanks' });
    const before = (await chats()).length;
    assert.equal((await client.responses.create({ model: agent, input: all, tools })).output_text, 'You are welcome.');
    assert.equal((await chats()).length, before);
  },

  async 'an agent of the orchestrator calls a function of the caller'() {
    const tools = [{
      type: 'function',
      function: {
        name: 'get_weather', parse: JSON.parse, parameters: { type: 'object', properties: { city: { type: 'string' } } },
        function: ({ city }) => (city === 'Rome' ? '31 degrees' : '4 degrees'),
      },
    }];
    const runner = client.chat.completions.runTools({ model: 'orchestrator', messages: [{ role: 'user', content: 'Ask somebody about the weather' }], tools, stream: true });
    assert.equal(await runner.finalContent(), '31 degrees in Rome.');
    assert.equal(runner.messages[1].content, 'I will ask.');
  },

  async 'a response keeps what it said when the thread goes on'() {
    const said = [], ids = [];
    for (const input of ['Book a table', 'Two', 'Friday']) {
      const stream = client.responses.stream({ model: agent, input, ...(ids.length ? { previous_response_id: ids.at(-1) } : {}) });
      const got = await stream.finalResponse();
      ids.push(got.id);
      said.push(got.output_text);
    }
    assert.deepEqual(said, ['For how many?', 'And when?', 'It is booked.']);
    for (const [i, id] of ids.entries()) assert.equal((await client.responses.retrieve(id)).output_text, said[i]);
  },

  async 'a response in the background is polled, resumed and cancelled'() {
    let got = await client.responses.create({ model, input: 'Take your time', background: true });
    assert.equal(got.status, 'queued');
    while (got.status === 'queued' || got.status === 'in_progress') got = await client.responses.retrieve(got.id);
    assert.equal(got.output_text, 'One, two, three.');
    const stream = await client.responses.create({ model, input: 'Take your time', background: true, stream: true });
    let last, id, text = '';
    for await (const e of stream) {
      id ??= e.response?.id;
      last = e.sequence_number;
      if (e.type === 'response.output_text.delta') { text += e.delta; break; }
    }
    for await (const e of await client.responses.retrieve(id, { stream: true, starting_after: last })) {
      assert.ok(e.sequence_number > last);
      if (e.type === 'response.output_text.delta') text += e.delta;
    }
    assert.equal(text, 'One, two, three.');
    const endless = await client.responses.create({ model, input: 'Never end', background: true });
    assert.equal((await client.responses.retrieve(endless.id)).status, 'in_progress');
    assert.equal((await client.responses.cancel(endless.id)).status, 'cancelled');
    assert.equal((await client.responses.retrieve(endless.id)).status, 'cancelled');
  },

  async 'a repeated request with its key is the same run'() {
    const once = { headers: { 'Idempotency-Key': 'a-key' } };
    const first = await client.chat.completions.create({ model, messages: hello }, once);
    const second = await client.chat.completions.create({ model, messages: hello }, once);
    assert.equal(second.id, first.id);
    assert.equal(second.choices[0].message.content, first.choices[0].message.content);
    await assert.rejects(client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Another' }] }, once), OpenAI.ConflictError);
    const fresh = await client.chat.completions.create({ model, messages: hello }, { headers: { 'Idempotency-Key': 'another-key' } });
    assert.notEqual(fresh.id, first.id);
    const key = { headers: { 'Idempotency-Key': 'response-key' } };
    const one = await client.responses.create({ model, input: 'Hello' }, key);
    const two = await client.responses.create({ model, input: 'Hello' }, key);
    assert.equal(one.id, two.id);
    // The same key of another user is another request.
    assert.notEqual((await other.responses.create({ model, input: 'Hello' }, key)).id, one.id);
  },

  async 'too many requests'() {
    // One user may have 256 streams open.
    const open = new AbortController();
    const endless = { model, messages: [{ role: 'user', content: 'Never end' }], stream: true };
    const requests = Array.from({ length: 257 }, () => other.chat.completions.create(endless, { maxRetries: 0, signal: open.signal }));
    const limited = await Promise.race(requests.map((r) => r.then(() => new Promise(() => {}), (e) => e)));
    open.abort();
    await Promise.allSettled(requests);
    assert.ok(limited instanceof OpenAI.RateLimitError, String(limited));
    assert.equal(limited.code, 'rate_limit_exceeded');
    assert.ok(limited.headers.get('retry-after'));
  },
};

let failed = 0;
for (const [name, step] of Object.entries(steps)) {
  if (process.argv[2] && !new RegExp(process.argv[2]).test(name)) continue;
  const begin = Date.now();
  try {
    await step();
    console.log(`ok ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}:`, error);
  }
}
process.exit(failed ? 1 : 0);
