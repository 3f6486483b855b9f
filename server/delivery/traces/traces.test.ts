import { describe, expect, test, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { otlpReceiver, pictureOf, type ReceivedSpan } from '../../../test/otlp.ts';
import { startServer } from '../../../test/server.ts';
import { decodeId } from '../../core/ids.ts';
import { sessionSpan } from '../../core/traceparent.ts';

const database = await testDatabase();
const collector = await otlpReceiver();
const options = {
  databaseUrl: database.url,
  env: {
    ...collector.variables,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_SDK_DISABLED: 'false',
  },
};
const [one, other] = await Promise.all([startServer(options), startServer(options)]);
const [first, second] = [client(one.url), client(other.url)];
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** The result of a mutation that must not be refused. */
async function make<Data>(
  at: typeof first,
  mutation: string,
  payload: string,
  headers: Record<string, string> = {},
): Promise<Data> {
  const name = mutation.slice(0, mutation.indexOf('('));
  const { data, errors } = await at.post<Record<string, Data & { code?: string }>>(
    `mutation { ${mutation} { ... on ${name[0]!.toUpperCase()}${name.slice(1)}Payload { ${payload} } ... on Error { code message } } }`,
    {},
    headers,
  );
  expect(errors).toBeUndefined();
  expect(data[name]).not.toHaveProperty('code');
  return data[name]!;
}
for (const id of ['planner', 'coder', 'tester'])
  await make(first, `registerAgent(input: { id: "${id}", type: "CLAUDE", name: "The ${id}" })`, 'agent { id }');

interface Moved {
  handoff: { id: string };
}
const reassign = async (at: typeof first, session: string, agent: string, headers = {}): Promise<string> =>
  (
    await make<Moved>(
      at,
      `reassignSession(input: { sessionId: "${session}", agentId: "${agent}", reason: "for ${agent}" })`,
      'handoff { id }',
      headers,
    )
  ).handoff.id;
const accept = (at: typeof first, handoff: string): Promise<unknown> =>
  make(at, `acceptHandoff(input: { handoffId: "${handoff}" })`, 'handoff { id }');
const create = async (headers = {}): Promise<string> =>
  (
    await make<{ session: { id: string } }>(
      first,
      'createSession(input: { title: "Fix the login", agentId: "planner", project: "web" })',
      'session { id }',
      headers,
    )
  ).session.id;
const traceOf = (session: string): string => sessionSpan(decodeId(session)!.uuid).traceId;
/** Waits until the trace of a Session has this many spans, and returns them. */
async function spansOf(session: string, number: number): Promise<ReceivedSpan[]> {
  const found = (): ReceivedSpan[] => collector.spans.filter(({ traceId }) => traceId === traceOf(session));
  await vi.waitFor(() => expect(found().length).toBeGreaterThanOrEqual(number), { timeout: 20_000, interval: 20 });
  return found();
}

describe('the trace of a Session', () => {
  test('has the tenures of a chain of three agents, each linked to the one before, from two processes', async () => {
    const session = await create();
    const toCoder = await reassign(second, session, 'coder');
    await accept(first, toCoder);
    const toTester = await reassign(first, session, 'tester');
    await accept(second, toTester);
    await make(second, `completeSession(input: { sessionId: "${session}" })`, 'session { id }');

    const spans = await spansOf(session, 6);
    expect(pictureOf(spans)).toBe(`session
  invoke_agent planner
    handoff coder <- target: invoke_agent coder
  invoke_agent coder <- tenure before: invoke_agent planner
    handoff tester <- target: invoke_agent tester
  invoke_agent tester <- tenure before: invoke_agent coder`);
    expect(spans).toHaveLength(6);
    expect(new Set(spans.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
    for (const { resource } of spans)
      expect(resource).toMatchObject({ 'service.name': 'baton', 'deployment.environment.name': 'test' });

    const named = (name: string): ReceivedSpan => spans.find((span) => span.name === name)!;
    const [planner, coder, tester] = ['planner', 'coder', 'tester'].map((agent) => named(`invoke_agent ${agent}`)) as [
      ReceivedSpan,
      ReceivedSpan,
      ReceivedSpan,
    ];
    expect(planner.end).toBe(coder.start);
    expect(coder.end).toBe(tester.start);
    expect(coder.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'coder',
      'gen_ai.agent.name': 'The coder',
      'gen_ai.conversation.id': session,
      'baton.agent.type': 'CLAUDE',
      'baton.tenure.state': 'HANDED_OFF',
    });
    expect(tester.attributes['baton.tenure.state']).toBe('COMPLETED');
    expect(tester.links[0]!.attributes).toMatchObject({
      'baton.handoff.id': toTester,
      'baton.handoff.reason': 'for tester',
      'baton.handoff.via': 'OPERATOR',
      'baton.handoff.status': 'COMPLETED',
    });
    expect(coder.events.map(({ name }) => name)).toEqual(['accepted']);
    expect(named('handoff coder').attributes).toMatchObject({
      'baton.handoff.id': toCoder,
      'baton.handoff.status': 'COMPLETED',
      'baton.handoff.source': 'planner',
      'baton.handoff.target': 'coder',
    });
    expect(named('session').attributes).toMatchObject({
      'baton.session.title': 'Fix the login',
      'baton.session.project': 'web',
    });
  });

  test('says why a Handoff failed, and links the tenure that follows', async () => {
    const session = await create();
    const handoff = await reassign(first, session, 'coder');
    await make(second, `rejectHandoff(input: { handoffId: "${handoff}", reason: "No time" })`, 'handoff { id }');
    const spans = await spansOf(session, 4);
    const rejected = spans.find(({ name }) => name === 'handoff coder')!;
    expect(rejected.status).toEqual({ code: 2, message: 'No time' });
    expect(rejected.attributes['baton.handoff.status']).toBe('REJECTED');
    await make(first, `cancelSession(input: { sessionId: "${session}" })`, 'session { id }');
    const tenures = (await spansOf(session, 5))
      .filter(({ name }) => name.startsWith('invoke_agent'))
      .sort((a, b) => a.start - b.start);
    expect(tenures.map(({ attributes }) => [attributes['gen_ai.agent.id'], attributes['baton.tenure.state']])).toEqual([
      ['planner', 'HANDED_OFF'],
      ['coder', 'DECLINED'],
      ['planner', 'COMPLETED'],
    ]);
    expect(tenures[2]!.links).toMatchObject([
      { spanId: tenures[1]!.spanId, attributes: { 'baton.handoff.id': handoff, 'baton.handoff.status': 'REJECTED' } },
    ]);
  });
});

describe('a mutation', () => {
  const mutations = (name: string): ReceivedSpan[] =>
    collector.spans.filter((span) => span.name === `mutation ${name}`);

  test('with a traceparent is a span below it, and what it began is linked to it', async () => {
    const session = await create({ traceparent });
    await reassign(second, session, 'coder', { traceparent, 'x-request-id': 'of-the-move' });
    await make(first, `cancelSession(input: { sessionId: "${session}" })`, 'session { id }');
    const [traceId, parent] = traceparent.split('-').slice(1);
    const moved = await vi.waitUntil(
      () => mutations('reassignSession').find(({ attributes }) => attributes['baton.request.id'] === 'of-the-move'),
      { timeout: 20_000 },
    );
    expect(moved).toMatchObject({ traceId, parent, kind: 2, attributes: { 'gen_ai.conversation.id': session } });
    expect(moved.links).toMatchObject([{ traceId: traceOf(session) }]);
    const spans = await spansOf(session, 4);
    for (const name of ['session', 'invoke_agent coder', 'handoff coder']) {
      expect(spans.find((span) => span.name === name)!.links).toContainEqual({
        traceId,
        spanId: parent,
        attributes: { 'baton.link': 'caused by' },
      });
    }
  });

  test('without one begins a trace, and says why it was refused', async () => {
    await first.post(
      'mutation { completeSession(input: { sessionId: "session_01h455vb4pex5vsknk084sn02q" }) { __typename } }',
      {},
      { traceparent: 'nonsense' },
    );
    const refused = await vi.waitUntil(
      () => mutations('completeSession').find(({ attributes }) => attributes['error.type'] === 'NOT_FOUND'),
      { timeout: 20_000 },
    );
    expect(refused.parent).toBeUndefined();
    expect(refused.status.code ?? 0).toBe(0);
  });

  test('whose caller does not sample its trace makes no span', async () => {
    const unsampled = traceparent.replace(/01$/, '00').replace('4bf9', 'aaaa');
    const before = mutations('updateAgent').length;
    await make(first, 'updateAgent(input: { id: "tester", name: "A" })', 'agent { id }', { traceparent: unsampled });
    await make(first, 'updateAgent(input: { id: "tester", name: "B" })', 'agent { id }');
    await vi.waitFor(() => expect(mutations('updateAgent')).toHaveLength(before + 1), { timeout: 20_000 });
  });
});
