import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anthropicEvents,
  anthropicMessage,
  type Called,
  chatCompletion,
  chatEvents,
  type Cut,
  openaiResponse,
  responseEvents,
  sse,
} from '../../../../test/answers.ts';
import { detectHandoffs } from './detectHandoffs.ts';
import type { Known } from './known.ts';

const known: Known = {
  agentId: 'triage',
  tools: [{ id: null, name: 'transfer_to_reviewer-1', targetAgentId: 'reviewer-1', generated: true }],
  agents: ['triage', 'reviewer-1', 'writer'].map((id) => ({ id, archived: false })),
};
const detect = (response: unknown) => detectHandoffs(response, known);

const formats = {
  'Anthropic messages': { whole: anthropicMessage, events: anthropicEvents },
  'chat completions': { whole: chatCompletion, events: chatEvents },
  responses: { whole: openaiResponse, events: responseEvents },
};

const called: fc.Arbitrary<Called> = fc.record({
  name: fc.constantFrom(
    'search',
    'transfer_to_reviewer-1',
    'transfer_to_writer',
    'handoff_to_agent',
    'transfer_to_savings',
  ),
  json: fc.oneof(
    fc.constant(''),
    fc.constant('{}'),
    fc
      .dictionary(
        fc.constantFrom('reason', 'agent_name', '_handoff_from', '__proto__'),
        fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
      )
      .map((value) => JSON.stringify(value)),
  ),
});
/** Cuts a text at some places, possibly within an escape of its JSON. */
const cut: fc.Arbitrary<Cut> = fc.array(fc.nat(40), { maxLength: 6 }).map((places) => (text) => {
  const at = [0, ...places.filter((place) => place < text.length).sort((a, b) => a - b), text.length];
  return at.slice(1).map((end, part) => text.slice(at[part], end));
});
const newline = fc.constantFrom('\n', '\r\n', '\r');
const anyCalls = fc.array(called, { maxLength: 4 });

describe.each(Object.entries(formats))('a recorded stream of %s', (_name, { whole, events }) => {
  it('gives what its whole answer gives, wherever it was cut into pieces', () => {
    fc.assert(
      fc.property(anyCalls, cut, fc.boolean(), newline, (calls, pieces, named, end) => {
        const expected = detect(whole(calls));
        const stream = events(calls, pieces);
        expect(detect(stream)).toEqual(expected);
        expect(detect(sse(stream, { named, newline: end }))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('gives no call and no handoff that the whole answer does not have, wherever it ends', () => {
    fc.assert(
      fc.property(anyCalls, cut, fc.nat(), (calls, pieces, places) => {
        const expected = detect(whole(calls));
        const text = sse(events(calls, pieces));
        const cutOff = detect(text.slice(0, places % (text.length + 1)));
        for (const call of cutOff.calls) {
          if (call.arguments === null) expect(call.toolName).toBe(expected.calls[call.index]!.toolName);
          else expect(call).toEqual(expected.calls[call.index]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const transfer: Called = { name: 'transfer_to_writer', json: '{"reason":"done"}' };
const inTwo: Cut = (text) => [text.slice(0, 5), text.slice(5)];

describe('a stream', () => {
  it('keeps apart the calls of providers that give all of them the index 0', () => {
    const stream = chatEvents([transfer, { name: 'search', json: '{}' }], inTwo).map(
      (event) => JSON.parse(JSON.stringify(event).replaceAll('"index":1', '"index":0')) as object,
    );
    expect(detect(stream)).toEqual(detect(chatCompletion([transfer, { name: 'search', json: '{}' }])));
  });

  it('takes the name once from providers that repeat it', () => {
    const stream = chatEvents([transfer], inTwo).map(
      (event) =>
        JSON.parse(
          JSON.stringify(event)
            .replaceAll('"function":{', '"function":{"name":"transfer_to_writer",')
            .replace(/"name":"transfer_to_writer",("name")/, '$1'),
        ) as object,
    );
    expect(detect(stream)).toEqual(detect(chatCompletion([transfer])));
  });

  it('is cut off within a call that no event ends', () => {
    const empty = [{ name: 'transfer_to_writer', json: '' }];
    for (const stream of [
      anthropicEvents(empty, inTwo).slice(0, -3),
      chatEvents(empty, inTwo).slice(0, -2),
      responseEvents(empty, inTwo).slice(0, -3),
    ]) {
      expect(detect(stream).chosen).toMatchObject({
        kind: 'HANDOFF',
        arguments: null,
        problem: { code: 'INVALID_ARGUMENTS' },
      });
    }
  });

  it('may hold only its last event, with the whole response', () => {
    const event = responseEvents([transfer], inTwo).slice(-1);
    for (const stream of [event, sse(event), sse(event).trim()])
      expect(detect(stream)).toEqual(detect(openaiResponse([transfer])));
  });

  it('may hold what no format knows between its events', () => {
    const stream = anthropicEvents([transfer], inTwo).flatMap((event) => [
      event,
      null,
      7,
      'x',
      [],
      { type: 'unknown', index: 1, delta: { partial_json: 5 } },
    ]);
    expect(detect(stream)).toEqual(detect(anthropicMessage([transfer])));
    const text = sse(anthropicEvents([transfer], inTwo)).replaceAll(
      '\n\n',
      '\n\n: comment\n\nretry: 5\n\ndata: [DONE]\n\ndata: {broken\n\n',
    );
    expect(detect(text)).toEqual(detect(anthropicMessage([transfer])));
  });
});
