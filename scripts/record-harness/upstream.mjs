// A provider on loopback: answers each of the three wire protocols with a first reply that calls a tool, and the next with
// text, or refuses everything for a rate limit. The figures are fixed, so that a recording can be checked by hand.
import { createServer } from 'node:http';

export const usage = { input: 100, cached: 40, written: 7, output: 20 };

const model = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5.1-codex', google: 'gemini-2.5-pro' };

const sse = (events) =>
  events.map(([name, data]) => `${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`).join('');

/** Messages protocol. */
function anthropic(turn) {
  const tool = { type: 'tool_use', id: `toolu_0${turn}`, name: 'Bash', input: {} };
  const block = turn === 0 ? tool : { type: 'text', text: '' };
  const delta =
    turn === 0
      ? { type: 'input_json_delta', partial_json: JSON.stringify({ command: 'true', description: 'Do nothing' }) }
      : { type: 'text_delta', text: 'It is done.' };
  return sse([
    [
      'message_start',
      {
        type: 'message_start',
        message: {
          ...{ id: `msg_0${turn}`, type: 'message', role: 'assistant', model: model.anthropic, content: [] },
          ...{ stop_reason: null, stop_sequence: null },
          usage: {
            input_tokens: usage.input,
            cache_read_input_tokens: usage.cached,
            cache_creation_input_tokens: usage.written,
            output_tokens: 1,
          },
        },
      },
    ],
    ['content_block_start', { type: 'content_block_start', index: 0, content_block: block }],
    ['content_block_delta', { type: 'content_block_delta', index: 0, delta }],
    ['content_block_stop', { type: 'content_block_stop', index: 0 }],
    [
      'message_delta',
      {
        type: 'message_delta',
        delta: { stop_reason: turn === 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: usage.output },
      },
    ],
    ['message_stop', { type: 'message_stop' }],
  ]);
}

/** Responses protocol. */
function openai(turn) {
  const item =
    turn === 0
      ? {
          ...{ type: 'function_call', id: 'fc_00', call_id: 'call_00', name: 'exec_command', status: 'completed' },
          arguments: JSON.stringify({ cmd: 'true' }),
        }
      : {
          ...{ type: 'message', id: 'msg_01', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'It is done.', annotations: [] }],
        };
  const response = { id: `resp_0${turn}`, object: 'response', model: model.openai };
  return sse([
    ['response.created', { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }],
    ['response.output_item.added', { type: 'response.output_item.added', output_index: 0, item }],
    ['response.output_item.done', { type: 'response.output_item.done', output_index: 0, item }],
    [
      'response.completed',
      {
        type: 'response.completed',
        response: {
          ...response,
          status: 'completed',
          output: [item],
          usage: {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cached },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: 5 },
            total_tokens: usage.input + usage.output,
          },
        },
      },
    ],
  ]);
}

/** Generate-content protocol. */
function google(turn) {
  const part =
    turn === 0 ? { functionCall: { name: 'list_directory', args: { dir_path: '.' } } } : { text: 'It is done.' };
  return sse([
    [
      null,
      {
        candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: {
          promptTokenCount: usage.input,
          cachedContentTokenCount: usage.cached,
          candidatesTokenCount: usage.output,
          totalTokenCount: usage.input + usage.output,
        },
        modelVersion: model.google,
      },
    ],
  ]);
}

const protocols = [
  {
    path: /\/messages$/,
    reply: anthropic,
    refusal: {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Number of requests has exceeded your rate limit.' },
    },
  },
  {
    path: /\/responses$/,
    reply: openai,
    refusal: {
      error: {
        type: 'usage_limit_reached',
        code: 'rate_limit_exceeded',
        message: 'Rate limit reached.',
        plan_type: 'plus',
        resets_at: Math.round(Date.now() / 1000) + 3600,
      },
    },
  },
  {
    path: /:(?:streamGenerateContent|generateContent)$/,
    reply: google,
    refusal: {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota.',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }],
          },
        ],
      },
    },
  },
];

/**
 * @param {{limited: boolean, resetsAt: Date}} behaviour
 * @returns a running provider; `seen` are the requests it got
 */
export async function startUpstream({ limited, resetsAt }) {
  const seen = [];
  let turn = 0;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const path = new URL(request.url, 'http://localhost').pathname;
      const body = Buffer.concat(chunks).toString('utf8');
      seen.push({ method: request.method, path, body });
      const protocol = protocols.find((known) => known.path.test(path));
      if (protocol === undefined || request.method !== 'POST') {
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not here"}}');
      } else if (limited) {
        const seconds = Math.round(resetsAt.getTime() / 1000);
        response
          .writeHead(429, {
            'content-type': 'application/json',
            'retry-after': '3600',
            'x-should-retry': 'false',
            'anthropic-ratelimit-unified-status': 'rejected',
            'anthropic-ratelimit-unified-reset': String(seconds),
            'anthropic-ratelimit-unified-representative-claim': 'five_hour',
          })
          .end(JSON.stringify(protocol.refusal));
      } else {
        // A side question (a title, a summary) has no tools and gets the text.
        const main = /"tools":\s*\[\s*\{/.test(body) || protocol.reply === google;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(protocol.reply(main ? turn++ : 9));
      }
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: server.address().port,
    seen,
    close: () => new Promise((done) => server.close(done).closeAllConnections()),
  };
}
