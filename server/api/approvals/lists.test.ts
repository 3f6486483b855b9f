import { beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller, operator, world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { approveHandoff } from '../../work/approvals/approveHandoff.ts';
import { askPerson } from '../../work/approvals/askPerson.ts';
import { declineHandoff } from '../../work/approvals/declineHandoff.ts';
import { asCarry } from '../../work/context/carry.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { createKey } from '../../work/keys/createKey.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, initiate, run, pipeline } = world(db.pool);

interface Waiting {
  id: string;
  kind: string;
  session: { title: string; situation: string; question: { text: string } | null };
  agent: { id: string };
  demandedBy: string | null;
  text: string | null;
  handoff: { status: string } | null;
}
interface Page {
  approvals: { totalCount: number; nodes: Waiting[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
}
const fields = 'id kind demandedBy text agent { id } session { title situation question { text } } handoff { status }';

async function approvals(where: object, first = 50): Promise<Waiting[]> {
  const found: Waiting[] = [];
  for (let after: string | null = null; ;) {
    const { data, errors }: Awaited<ReturnType<typeof post<Page>>> = await post<Page>(
      `query ($where: ApprovalFilter, $first: Int, $after: String) { approvals(where: $where, first: $first, after: $after) { totalCount nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`,
      { where, first, after },
    );
    expect(errors).toBeUndefined();
    found.push(...data.approvals.nodes);
    if (!data.approvals.pageInfo.hasNextPage) {
      expect(found).toHaveLength(data.approvals.totalCount);
      return found;
    }
    after = data.approvals.pageInfo.endCursor;
  }
}
const titles = async (where: object, first?: number) =>
  (await approvals(where, first)).map((each) => each.session.title);

beforeAll(async () => {
  for (const id of ['bob', 'ada', 'eve'])
    await agent(id, { maxCapacity: 50, collaborators: id === 'bob' ? [] : ['bob'] });
  let minutes = 0;
  const later = (sessionId: string) =>
    db.pool.query(`UPDATE approvals SET deadline_at = now() + $2 * interval '1 minute' WHERE session_id = $1`, [
      sessionId,
      (minutes += 1),
    ]);
  for (const [title, holder, project] of [
    ['ask', 'ada', 'shop'],
    ['ask eve', 'eve', null],
  ] as const) {
    const id = await session(holder, { title, project });
    await run(askPerson, { sessionId: id, question: `What of ${title}?`, options: ['a', 'b'] });
    await later(id);
  }
  for (const [title, holder, project] of [
    ['hand off', 'ada', null],
    ['hand off eve', 'eve', 'shop'],
  ] as const) {
    const id = await session(holder, { title, project, handoffApproval: 'REQUIRED' });
    await initiate(id, 'bob', {}, { caller: agentCaller(holder) });
    await later(id);
  }
});

it('lists what waits for a person, the oldest deadline first, in pages of any size', async () => {
  const all = ['ask', 'ask eve', 'hand off', 'hand off eve'];
  for (const first of [1, 3, 50]) expect(await titles({}, first)).toEqual(all);
  const [question, , handoff] = await approvals({});
  expect(question).toMatchObject({
    id: expect.stringMatching(/^question_/) as string,
    kind: 'QUESTION',
    demandedBy: null,
    text: 'What of ask?',
    handoff: null,
    session: { situation: 'WAITING_FOR_PERSON', question: { text: 'What of ask?' } },
  });
  expect(handoff).toMatchObject({
    id: expect.stringMatching(/^handoff_/) as string,
    kind: 'HANDOFF',
    demandedBy: 'SESSION',
    handoff: { status: 'PROPOSED' },
    session: { situation: 'WAITING_FOR_PERSON', question: null },
  });
});

it.each([
  [{ kind: 'QUESTION' }, ['ask', 'ask eve']],
  [{ kind: 'HANDOFF' }, ['hand off', 'hand off eve']],
  [{ agentId: 'eve' }, ['ask eve', 'hand off eve']],
  [{ project: 'shop' }, ['ask', 'hand off eve']],
  [{ kind: 'HANDOFF', project: 'shop', agentId: 'ada' }, []],
])('is filtered by %o', async (where, expected) => {
  expect(await titles(where)).toEqual(expected);
});

it('shows what an approval would pass on, with changes, and writes nothing', async () => {
  const [{ id } = { id: '' }] = await approvals({ kind: 'HANDOFF' });
  const simulated = async (edits: object | null) =>
    (
      await post<{ simulateApproval: Record<string, unknown> }>(
        `query ($id: ID!, $edits: HandoffEditsInput) { simulateApproval(handoffId: $id, edits: $edits) {
          wouldSucceed contentHash target { agent { id } } context { text } } }`,
        { id, edits },
      )
    ).data.simulateApproval;
  const plain = await simulated(null);
  expect(plain).toMatchObject({
    wouldSucceed: true,
    contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    target: { agent: { id: 'bob' } },
  });
  const edited = await simulated({ targetAgentId: 'eve', reason: 'Look at the cache first' });
  expect(edited).toMatchObject({ contentHash: plain['contentHash'], target: { agent: { id: 'eve' } } });
  expect((edited['context'] as { text: string }).text).toContain(
    'An operator edited this handoff before approving it: ',
  );
  expect(await titles({ kind: 'HANDOFF' })).toEqual(['hand off', 'hand off eve']);
});

it('the dry run of a handoff names what demands the approval of the holder, whoever asks; an operator moves the session without one', async () => {
  await agent('ann', { collaborators: ['bob'] });
  const id = await session('ann', { title: 'dry', handoffApproval: 'REQUIRED' });
  const { data } = await post(
    `query ($id: ID!) { agent: simulateHandoff(sessionId: $id, targetAgentId: "bob") { approval } operator: simulateHandoff(sessionId: $id, targetAgentId: "bob", asOperator: true) { approval } tool: simulateHandoff(sessionId: $id, toolName: "transfer_to_bob", arguments: { reason: "x" }) { approval wouldSucceed } }`,
    {
      id: (
        await post<{ sessions: { nodes: { id: string; title: string }[] } }>(
          '{ sessions(first: 50) { nodes { id title } } }',
        )
      ).data.sessions.nodes.find(({ title }) => title === 'dry')!.id,
    },
  );
  expect(id).not.toBe('');
  expect(data).toEqual({
    agent: { approval: 'SESSION' },
    operator: { approval: null },
    tool: { approval: 'SESSION', wouldSucceed: true },
  });
});

it('the dry run of an outcome names what demands the approval of the holder, whoever asks', async () => {
  await agent('drafter', { role: 'draft' });
  await agent('proofreader', { role: 'proof' });
  await pipeline(
    'dry-text',
    ['draft DONE proof', 'proof DONE end'],
    { draft: { role: 'draft' }, proof: { role: 'proof' } },
    { 'draft DONE proof': { approval: 'REQUIRED' } },
  );
  const sessionId = encodeId('session', await session(null, { pipeline: 'dry-text' }));
  const { data } = await post(
    'query ($id: ID!) { simulateHandoff(sessionId: $id, outcome: "DONE") { wouldSucceed approval stage } }',
    { id: sessionId },
  );
  expect(data).toEqual({ simulateHandoff: { wouldSucceed: true, approval: 'TRANSITION', stage: 'draft' } });
});

it('the prompt and the Markdown of an edited handoff say who edited it, and what the agent gave; the prompt not where only a part is passed on', async () => {
  const { keyId } = await run(createKey, { role: 'OPERATOR', agentId: null, name: 'Alice `x`', expiresAt: null });
  const caller = {
    principal: encodeId('key', keyId),
    role: 'OPERATOR',
    agentId: null,
    keyId,
    expiresAt: null,
  } as const;
  const carry = asCarry({ maxTokens: 4_000 });
  for (const isPart of [false, true]) {
    const id = await session('ada', { handoffApproval: 'REQUIRED' });
    const { handoffId } = await initiate(id, 'bob', { reason: 'Review\n# it' }, { caller: agentCaller('ada') });
    const edits = { targetAgentId: 'eve', reason: 'Test it', instructions: 'Be quick', ...(isPart && { carry }) };
    await run(approveHandoff, { handoffId, expectedContentHash: null, edits, note: 'Go | on' }, { caller });
    const { data } = await post<{ handoff: { contextPrompt: { text: string }; markdown: string } }>(
      'query ($id: ID!) { handoff(id: $id) { contextPrompt { text } markdown } }',
      { id: encodeId('handoff', handoffId) },
    );
    const { contextPrompt, markdown } = data.handoff;
    const fields = `target, reason, instructions${isPart ? ', what is passed on' : ''}`;
    for (const text of [contextPrompt.text, markdown])
      expect(text.replaceAll('\\', '')).toContain(
        `The operator 'Alice \`x\`' edited this handoff before approving it: ${fields}.`,
      );
    expect(markdown).toMatch(/\| Approved \| \d{4}-[^|]* UTC by Alice .*: Go .+ on \|/);
    for (const text of [contextPrompt.text, markdown]) {
      expect(text.includes('target: bob')).toBe(!isPart);
      expect(text.includes('instructions: none')).toBe(!isPart);
      expect(/^# it/m.test(text.replace(/```[^]*?```/g, ''))).toBe(false);
    }
  }
});

it('names the key of the person that decided; without a stored key there is no name', async () => {
  const { keyId } = await run(createKey, { role: 'OPERATOR', agentId: null, name: 'Alice', expiresAt: null });
  const principal = encodeId('key', keyId);
  const alice = { principal, role: 'OPERATOR', agentId: null, keyId, expiresAt: null } as const;
  for (const [caller, decidedBy] of [
    [alice, { principal, role: 'OPERATOR', name: 'Alice' }],
    [operator, { principal: operator.principal, role: 'OPERATOR', name: null }],
  ] as const) {
    const id = await session('ada', { handoffApproval: 'REQUIRED' });
    const { handoffId } = await initiate(id, 'bob', {}, { caller: agentCaller('ada') });
    await run(declineHandoff, { handoffId, reason: 'no' }, { caller });
    const { data } = await post<{ handoff: object }>(
      'query ($id: ID!) { handoff(id: $id) { approval { decidedBy { principal role name } } } }',
      { id: encodeId('handoff', handoffId) },
    );
    expect(data.handoff).toEqual({ approval: { decidedBy } });
    // Agents read it too.
    const { url: keyed } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
    const asAda = client(keyed, { key: await secretFor(db.pool, 'AGENT', 'ada') });
    const read = await asAda.post<{ handoff: object }>(
      'query ($id: ID!) { handoff(id: $id) { approval { decidedBy { principal role name } } } }',
      { id: encodeId('handoff', handoffId) },
    );
    expect(read.data.handoff).toEqual({ approval: { decidedBy } });
  }
});
