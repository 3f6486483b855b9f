import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { connect } from '../../../test/mcp.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { updateAgent } from '../agents/updateAgent.ts';

const database = await testDatabase();
const { pool, prisma } = database;
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, pipeline, run } = world(pool);
const admin = client(url, { key: adminKey });

interface Said {
  code?: string;
  message?: string;
  candidates?: { id: string; name: string; why: string }[];
  handoff?: { targetAgent: { id: string } };
}
const refusals =
  '... on Error { code message } ... on NotFoundError { candidates { id name why } } ... on UnknownHandoffTargetError { candidates { id name why } }';
const handed = 'handoff { targetAgent { id } }';

/** The same target by each way in which an agent names one. */
const ways: Record<string, (sessionId: string, target: string) => Promise<Said>> = {
  initiateHandoff: async (sessionId, targetAgentId) =>
    (
      await admin.post<{ answer: Said }>(
        `mutation ($input: InitiateHandoffInput!) { answer: initiateHandoff(input: $input) { ... on InitiateHandoffPayload { ${handed} } ${refusals.replace(/\.\.\. on Unknown.*/, '')} } }`,
        { input: { sessionId, targetAgentId } },
      )
    ).data.answer,
  executeHandoffTool: async (sessionId, target) =>
    (
      await admin.post<{ answer: Said }>(
        `mutation ($input: ExecuteHandoffToolInput!) { answer: executeHandoffTool(input: $input) { ... on ExecuteHandoffToolPayload { ${handed} } ${refusals} } }`,
        { input: { sessionId, toolName: `transfer_to_${target}`, arguments: { reason: 'because' } } },
      )
    ).data.answer,
  executeHandoffs: async (sessionId, agent_name) =>
    (
      await admin.post<{ answer: Said }>(
        `mutation ($input: ExecuteHandoffsInput!) { answer: executeHandoffs(input: $input) { ... on ExecuteHandoffsPayload { ${handed} } ${refusals} } }`,
        {
          input: {
            sessionId,
            response: {
              role: 'assistant',
              type: 'message',
              content: [{ type: 'tool_use', id: 'c1', name: 'transfer_to_agent', input: { agent_name } }],
            },
          },
        },
      )
    ).data.answer,
  baton_handoff: async (id, target) => {
    const { agentId } = await prisma.session.findUniqueOrThrow({ where: { id: await uuidOf(id) } });
    const model = await connect(url, '', { key: await secretFor(pool, 'AGENT', agentId) });
    const { data, isError, texts } = await model.call('baton_handoff', { target, reason: 'because' });
    const said = data as unknown as Said & { target: string };
    return isError ? { ...said, message: texts[0]! } : { handoff: { targetAgent: { id: said.target } } };
  },
};

async function uuidOf(id: string): Promise<string> {
  const { data } = await admin.post<{ session: { title: string } }>(`{ session(id: "${id}") { title } }`);
  return (await prisma.session.findFirstOrThrow({ where: { title: data.session.title } })).id;
}

let round = 0;
/** A holder with a collaborator, another agent of the collaborator's role, and a session. */
async function team() {
  round += 1;
  const [holder, reviewer, other] = [`holder-${round}`, `rev-${round}`, `also-${round}`];
  await agent(reviewer, { role: `Code Review ${round}`, type: `REVIEWER_${round}` });
  await run(updateAgent, { id: reviewer, name: `Ada Löwe ${round}` });
  await agent(other, { role: `Code Review ${round}`, type: `OTHER_${round}` });
  await agent(holder, { collaborators: [] });
  await run(updateAgent, { id: holder, collaborations: [{ agentId: reviewer, when: 'the tests pass' }] });
  const id = await session(holder, { title: `Work ${round}` });
  return { sessionId: encodeId('session', id), id, holder, reviewer, other };
}

describe.each(Object.keys(ways))('a target of %s', (way) => {
  it.each([
    ['its id', () => `rev-${round}`],
    ['its id in other case', () => `REV_${round}`],
    ['its display name', () => `Ada Löwe ${round}`],
    ['the role that it alone of the collaborators has', () => `code review ${round}`],
    ['its type', () => `REVIEWER_${round}`],
    ['its display name in quotation marks', () => `"ada löwe ${round}"`],
    ['its display name in capitals, decomposed', () => `ADA LÖWE ${round}`.normalize('NFD')],
  ])('may be named by %s', async (_, name) => {
    const { sessionId, reviewer } = await team();
    expect(await ways[way]!(sessionId, name())).toMatchObject({ handoff: { targetAgent: { id: reviewer } } });
  });

  // Not in the name of a function.
  it.skipIf(way === 'executeHandoffTool')('may be mentioned as people do', async () => {
    const { sessionId, reviewer } = await team();
    expect(await ways[way]!(sessionId, ` @${reviewer} `)).toMatchObject({ handoff: { targetAgent: { id: reviewer } } });
  });

  it('that is unknown is refused with the agents that it may be, and why', async () => {
    const { sessionId, reviewer } = await team();
    const before = await hashAllTables(pool);
    const said = await ways[way]!(sessionId, 'the chief');
    expect(said).toMatchObject({
      candidates: [
        {
          id: reviewer,
          name: `Ada Löwe ${round}`,
          why: expect.stringMatching(/^a collaborator: the tests pass, role Code/) as string,
        },
      ],
    });
    expect(said.message).toContain(`'${reviewer}' (Ada Löwe ${round}: a collaborator: the tests pass`);
    if (way !== 'baton_handoff') expect(await hashAllTables(pool)).toEqual(before);
  });

  it('that several collaborators are called is refused with them', async () => {
    const { sessionId, holder, reviewer, other } = await team();
    await run(updateAgent, { id: holder, collaborators: [reviewer, other] });
    const said = await ways[way]!(sessionId, `Code Review ${round}`);
    expect(said.message).toMatch(/may mean several agents/);
    expect(said.candidates!.map(({ id }) => id).sort()).toEqual([other, reviewer].sort());
  });
});

it('names the stages and outcomes that lead to the candidates in a pipeline', async () => {
  const [writer, reviewer] = ['p-writer', 'p-reviewer'];
  await agent(writer, { role: 'p-write' });
  await agent(reviewer, { role: 'p-review' });
  await agent('p-outsider');
  await pipeline('p-named', ['write DONE review', 'review DONE end'], {
    write: { role: 'p-write' },
    review: { role: 'p-review' },
  });
  const id = encodeId('session', await session(null, { pipeline: 'p-named' }));
  expect(await ways['initiateHandoff']!(id, 'somebody')).toMatchObject({
    code: 'NOT_FOUND',
    candidates: [{ id: reviewer, why: expect.stringMatching(/^fits stage 'review' by outcome DONE/) as string }],
  });
  expect(await ways['initiateHandoff']!(id, 'P-Review')).toMatchObject({ handoff: { targetAgent: { id: reviewer } } });
});

it('resolves a name when one agent alone has it: id before name before role before type, collaborators before others', async () => {
  const word = fc.constantFrom('Alpha', 'beta', 'GAMMA', 'delta one');
  const one = fc.record({ name: fc.option(word), role: fc.option(word), type: word, collaborates: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 4 }), word, async (agents, asked) => {
      const w = (round += 1);
      const own = (text: string | null): string | null => (text === null ? null : `${text} ${w}`);
      const typeOf = (text: string): string => `${text.toUpperCase().replaceAll(' ', '_')}_${w}`;
      const ids = agents.map((_, at) => `n${w}-${at}`);
      for (const [at, { name, role, type }] of agents.entries()) {
        await agent(ids[at]!, { type: typeOf(type), ...(role !== null && { role: own(role)! }) });
        if (name !== null) await run(updateAgent, { id: ids[at]!, name: own(name)! });
      }
      const collaborators = ids.filter((_, at) => agents[at]!.collaborates);
      await agent(`h${w}`, { collaborators });
      const id = encodeId('session', await session(`h${w}`));
      const said = await ways['initiateHandoff']!(id, own(asked)!.toLowerCase());
      const tier = (['name', 'role', 'type'] as const)
        .map((field) => ids.filter((_, at) => agents[at]![field]?.toLowerCase() === asked.toLowerCase()))
        .find((found) => found.length > 0);
      const preferred = tier?.filter((each) => collaborators.includes(each)) ?? [];
      const meant = preferred.length > 0 ? preferred : (tier ?? []);
      if (meant.length !== 1) expect(said.code).toBe('NOT_FOUND');
      else if (collaborators.includes(meant[0]!)) expect(said.handoff?.targetAgent.id).toBe(meant[0]);
      else expect(said.code).toBe('NOT_A_COLLABORATOR');
      if (meant.length > 1) expect(said.candidates!.map((each) => each.id).sort()).toEqual(meant.sort());
    }),
    { numRuns: 10 },
  );
}, 120_000);
