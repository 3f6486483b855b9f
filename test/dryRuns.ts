import fc from 'fast-check';
import { expect } from 'vitest';
import { DomainError, ForbiddenError } from '../server/core/errors.ts';
import { encodeId } from '../server/core/ids.ts';
import { setAgentStatus } from '../server/work/agents/setAgentStatus.ts';
import { acceptHandoff, rejectHandoff, timeOutHandoff } from '../server/work/handoffs/changeHandoff.ts';
import { pauseSession, resumeSession } from '../server/work/sessions/changeSession.ts';
import { createHandoffTool } from '../server/work/tools/changeTool.ts';
import type { testDatabase } from './database.ts';
import { client, type Client } from './graphql.ts';
import { hashAllTables } from './hash.ts';
import { adminKey, secretFor } from './keyring.ts';
import { world } from './world.ts';

/** Compares dry runs with the acts themselves in random worlds: agents, tools, a pipeline, and sessions in it and outside. */

const nth = fc.nat({ max: 11 });
const given = fc.record({
  reason: fc.constantFrom(null, null, 'because'),
  summary: fc.constantFrom(null, null, 'Half of it is done.'),
  contextVariables: fc.constantFrom(null, null, { lines: 7 }, { lines: 700 }, { lines: 'many' }),
  metadata: fc.constantFrom(null, null, { note: 'x' }),
});
const asked = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('initiate' as const), agent: nth, queue: fc.boolean(), given }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('tool' as const),
      tool: fc.constantFrom('escalate', 'transfer', 'transfer', 'unknown'),
      agent: nth,
      arguments: fc.constantFrom({ reason: 'because' }, { severity: 1 }, { severity: 'x' }, {}),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('reassign' as const),
      agent: fc.option(nth),
      type: fc.constantFrom('ODD', 'EVEN', 'NOBODY', null, null),
      queue: fc.boolean(),
      skipHandoff: fc.boolean(),
      leavePipeline: fc.boolean(),
      stale: fc.boolean(),
      given,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      outcome: fc.constantFrom('DONE', 'DONE', 'DONE', 'BACK', 'OTHER'),
      payload: fc.constantFrom(null, { score: 3 }, { score: 30 }, { score: 'x' }, { other: true }, '{"score": 3}'),
      given,
    }),
  },
);
type Asked = typeof asked extends fc.Arbitrary<infer A> ? A : never;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('accept' as const), n: nth }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'reject' as const,
        'timeOut' as const,
        'turn' as const,
        'pause' as const,
        'resume' as const,
      ),
      n: nth,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      n: nth,
      to: fc.constantFrom('AVAILABLE' as const, 'AVAILABLE' as const, 'DRAINING' as const, 'OFFLINE' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fill' as const), n: nth }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const stage = fc.record({
  agents: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 2 }),
  condition: fc.constantFrom(null, 'lines', 'payload.score', 'stages.s0.score'),
  schema: fc.boolean(),
  operators: fc.boolean(),
});
const aWorld = fc.record({
  stages: fc.array(stage, { minLength: 2, maxLength: 3 }),
  maxHandoffs: fc.constantFrom(0, 1, 5),
  enabled: fc.constantFrom(true, true, true, false),
  rounds: fc.array(
    fc.record({
      session: fc.nat({ max: 2 }),
      byAgent: fc.boolean(),
      steps: fc.array(step, { maxLength: 4 }),
      asked,
    }),
    { minLength: 5, maxLength: 5 },
  ),
});

interface Simulated {
  wouldSucceed: boolean;
  queued: boolean;
  verdicts: { rule: string; passed: boolean | null; code: string | null; message: string | null }[];
  target: { agent: { id: string } } | null;
  status: string | null;
  stage: string | null;
  outcome: string | null;
  context: { text: string } | null;
  variables: { name: string; value: unknown }[] | null;
}
const simulation =
  'wouldSucceed queued verdicts { rule passed code message } target { agent { id } } status stage outcome context { text } variables { name value }';
const simulate = `query ($sessionId: ID!, $targetAgentId: ID, $agentType: String, $toolName: String, $arguments: JSON, $outcome: String, $payload: JSON,
  $asOperator: Boolean, $queue: Boolean, $skipHandoff: Boolean, $leavePipeline: Boolean, $expectedVersion: Int,
  $reason: String, $summary: String, $contextVariables: JSON, $metadata: JSON) {
  simulateHandoff(sessionId: $sessionId, targetAgentId: $targetAgentId, agentType: $agentType, toolName: $toolName, arguments: $arguments, outcome: $outcome,
    payload: $payload, asOperator: $asOperator, queue: $queue, skipHandoff: $skipHandoff, leavePipeline: $leavePipeline, expectedVersion: $expectedVersion,
    reason: $reason, summary: $summary, contextVariables: $contextVariables, metadata: $metadata) { ${simulation} } }`;
const roundsOfAWorld = 5;

/** Returns the codes of the acts' refusals that occurred; null for success. */
export async function compareDryRuns(
  { pool, prisma }: Awaited<ReturnType<typeof testDatabase>>,
  url: string,
  cases: number,
): Promise<Set<string | null>> {
  const { agent, pipeline, session, turn, run } = world(pool);
  const admin = client(url, { key: adminKey });
  const outcomes = new Set<string | null>();
  let round = 0;

  await fc.assert(
    fc.asyncProperty(aWorld, async ({ stages, maxHandoffs, enabled, rounds }) => {
      const w = (round += 1);
      const slug = `dry-${w}`;
      const role = (index: number): string => `${slug} ${index}`;
      const ids = stages.flatMap(({ agents }, index) => agents.map((_, at) => `a${w}-${index}-${at}`));
      for (const [index, { agents }] of stages.entries())
        for (const [at, maxCapacity] of agents.entries())
          await agent(`a${w}-${index}-${at}`, {
            role: role(index),
            type: `${at === 0 ? 'ODD' : 'EVEN'}_${w}`,
            maxCapacity,
            instructions: `What ${index} ${at} is told.`,
          });
      const [first, second] = [ids[0]!, ids.at(-1)!];
      await agent(`free${w}`, { type: `ODD_${w}`, maxCapacity: 1, collaborators: [first, second] });
      const all = [...ids, `free${w}`];
      await run(createHandoffTool, {
        name: `escalate_${w}`,
        targetAgentId: second,
        agentIds: [first, `free${w}`].filter((id) => id !== second),
        description: 'x',
        variables: [
          { name: 'severity', type: 'INTEGER', required: true, description: null, enum: null, default: null },
        ],
        instructions: 'Apologise first.',
      });
      const lines = stages.flatMap(({ condition }, index) => [
        ...(condition === null ? [] : [`s${index} DONE end`]),
        `s${index} DONE ${index === stages.length - 1 ? 'end' : `s${index + 1}`}`,
        `s${index} BACK s${Math.max(0, index - 1)}`,
      ]);
      // With a condition, the end stands twice for the last stage: then the first one has it.
      await pipeline(
        slug,
        [...new Set(lines)],
        Object.fromEntries(
          stages.map(({ operators }, index) => [
            `s${index}`,
            {
              role: role(index),
              instructions: `Work ${index}.`,
              escalateTo: operators ? { agentId: null, role: null, operators } : null,
            },
          ]),
        ),
        Object.fromEntries(
          stages.flatMap(({ condition, schema }, index): [string, object][] => [
            ...(condition === null || index === stages.length - 1
              ? []
              : [
                  [
                    `s${index} DONE end`,
                    { when: { variable: condition, op: 'GT', value: condition === 'lines' ? 100 : 10 } },
                  ] as [string, object],
                ]),
            ...(schema
              ? [
                  [`s${index} BACK s${Math.max(0, index - 1)}`, { payloadSchema: { required: ['score'] } }] as [
                    string,
                    object,
                  ],
                ]
              : []),
          ]),
        ),
      );
      const plain = { maxHandoffs, handoffsEnabled: enabled };
      const sessions = [
        await session(null, { ...plain, pipeline: slug }),
        await session(`free${w}`, { ...plain, contextVariables: { lines: 3 } }),
        await session(null, { ...plain, pipeline: slug, contextVariables: { lines: 1 } }).catch(() => null),
      ].filter((id) => id !== null);
      const agents = new Map<string, Client>();
      const callerFor = async (id: string | null): Promise<Client> => {
        if (id === null) return admin;
        const known = agents.get(id) ?? client(url, { key: await secretFor(pool, 'AGENT', id) });
        agents.set(id, known);
        return known;
      };

      for (const each of rounds) {
        const id = sessions[each.session % sessions.length]!;
        for (const one of each.steps) await perform(one, id, all).catch(refused);
        const { agentId, version } = await prisma.session.findUniqueOrThrow({ where: { id } });
        const byAgent = each.byAgent && each.asked.kind !== 'reassign';
        const caller = await callerFor(byAgent ? agentId : null);
        const { dry, name, input, expected } = callsOf(each.asked, {
          all,
          version,
          suffix: String(w),
          sessionId: encodeId('session', id),
          byAgent: byAgent && agentId !== null,
        });
        const before = await hashAllTables(pool);
        const said = await caller.post<{ simulateHandoff: Simulated | null }>(simulate, dry);
        expect(await hashAllTables(pool)).toEqual(before);
        const did = await act(caller, name, input);
        outcomes.add(did.code);
        const { simulateHandoff: dryRun } = said.data;
        if (did.code === 'BAD_USER_INPUT') {
          expect(said.errors?.[0]?.extensions.code).toBe(did.code);
          continue;
        }
        expect(said.errors).toBeUndefined();
        const refusal = dryRun!.verdicts.find(({ passed }) => passed === false) ?? null;
        expect([refusal?.code ?? null, refusal?.message ?? null, dryRun!.wouldSucceed]).toEqual([
          did.code,
          did.message,
          did.code === null,
        ]);
        if (did.code !== null) continue;
        const handoff = did.handoffId === null ? null : await handoffOf(caller, did.handoffId);
        const after = await prisma.session.findUniqueOrThrow({ where: { id }, include: { queueEntry: true } });
        const waits = after.queueEntry;
        const isNamed = expected.waitsFor !== undefined;
        const carried = waits && (waits.carried as { handoff: { context: { contextVariables: unknown } } | null });
        expect(dryRun).toMatchObject({
          status: after.status,
          stage: after.stage,
          outcome:
            handoff !== null ? handoff.outcome : waits !== null && isNamed ? await lastOutcome(id) : expected.outcome,
          queued: waits !== null,
          target:
            waits !== null && isNamed
              ? { agent: { id: expected.waitsFor } }
              : waits !== null || after.status === 'COMPLETED'
                ? null
                : { agent: { id: after.agentId } },
          ...(waits === null && { context: handoff && { text: handoff.contextPrompt.text } }),
          variables:
            handoff?.contextVariables ??
            (carried?.handoff == null
              ? null
              : (carried.handoff.context.contextVariables as { name: string; value: unknown }[]).map(
                  ({ name: of, value }) => ({ name: of, value }),
                )),
        });
      }
    }),
    { numRuns: Math.ceil(cases / roundsOfAWorld), endOnFailure: true },
  );
  return outcomes;

  /** The outcome by which the Session left its last stage; null outside of pipelines. */
  async function lastOutcome(sessionId: string): Promise<string | null> {
    const where = { sessionId, leftAt: { not: null } };
    return (await prisma.stageEntry.findFirst({ where, orderBy: { number: 'desc' } }))?.outcome ?? null;
  }

  async function perform(one: Step, id: string, all: readonly string[]): Promise<unknown> {
    const handoffId = (await prisma.session.findUniqueOrThrow({ where: { id } })).lastHandoffId ?? id;
    const other = all[one.n % all.length]!;
    switch (one.kind) {
      case 'accept':
        return run(acceptHandoff, { handoffId });
      case 'reject':
        return run(rejectHandoff, { handoffId, reason: 'no' });
      case 'timeOut':
        return run(timeOutHandoff, { handoffId });
      case 'turn':
        return turn(id, { messages: [{ role: 'ASSISTANT', content: `Step ${one.n}.` }] });
      case 'pause':
        return run(pauseSession, { sessionId: id, expectedVersion: null });
      case 'resume':
        return run(resumeSession, { sessionId: id, expectedVersion: null });
      case 'status':
        return run(setAgentStatus, { id: other, status: one.to });
      case 'fill':
        return session(other);
    }
  }

  async function handoffOf(caller: Client, id: string) {
    const { data } = await caller.post<{
      handoff: {
        outcome: string | null;
        contextPrompt: { text: string };
        contextVariables: { name: string; value: unknown }[];
      };
    }>('query ($id: ID!) { handoff(id: $id) { outcome contextPrompt { text } contextVariables { name value } } }', {
      id,
    });
    return data.handoff;
  }

  async function act(
    caller: Client,
    name: string,
    input: object,
  ): Promise<{ code: string | null; message: string | null; handoffId: string | null }> {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const { data, errors } = await caller.post<{
      answer: { code?: string; message?: string; handoff?: { id: string } | null };
    } | null>(
      `mutation ($input: ${type}Input!) { answer: ${name}(input: $input) { ... on Error { code message } ... on ${type}Payload { handoff { id } } } }`,
      { input },
    );
    const [error] = errors ?? [];
    return {
      code: error?.extensions.code ?? data?.answer.code ?? null,
      message: error?.message ?? data?.answer.message ?? null,
      handoffId: data?.answer.handoff?.id ?? null,
    };
  }
}

interface Place {
  all: readonly string[];
  version: number;
  suffix: string;
  sessionId: string;
  byAgent: boolean;
}

/** The arguments of the dry run, and the mutation with its input. */
function callsOf(
  one: Asked,
  { all, version, suffix, sessionId, byAgent }: Place,
): { dry: object; name: string; input: object; expected: { outcome?: string | null; waitsFor?: string } } {
  const named = (n: number): string => all[n % all.length] ?? 'nobody';
  const none = { outcome: null };
  switch (one.kind) {
    case 'initiate': {
      const input = {
        sessionId,
        targetAgentId: one.agent === 11 ? 'nobody' : named(one.agent),
        queue: one.queue,
        ...one.given,
      };
      return { dry: input, name: 'initiateHandoff', input, expected: { ...none, waitsFor: input.targetAgentId } };
    }
    case 'tool': {
      const toolName =
        one.tool === 'transfer'
          ? `transfer_to_${named(one.agent)}`
          : one.tool === 'unknown'
            ? 'Read'
            : `escalate_${suffix}`;
      const input = { sessionId, toolName, arguments: one.arguments };
      return { dry: input, name: 'executeHandoffTool', input, expected: none };
    }
    case 'reassign': {
      const agentType = one.type && (one.type === 'NOBODY' ? one.type : `${one.type}_${suffix}`);
      const agentId = one.agent === null && agentType !== null ? null : named(one.agent ?? 0);
      const same = {
        sessionId,
        agentType,
        queue: one.queue && agentId === null,
        skipHandoff: one.skipHandoff,
        leavePipeline: one.leavePipeline,
        expectedVersion: one.stale ? version + 1 : version,
        ...one.given,
      };
      return {
        dry: { ...same, targetAgentId: agentId, asOperator: true },
        name: 'reassignSession',
        input: { ...same, agentId },
        expected: none,
      };
    }
    case 'advance': {
      const { metadata: _, ...fields } = one.given;
      const input = { sessionId, outcome: one.outcome, payload: one.payload, ...fields };
      return {
        dry: { ...input, asOperator: !byAgent },
        name: 'advancePipeline',
        input,
        expected: { outcome: one.outcome },
      };
    }
  }
}

function refused(error: unknown): void {
  if (!(error instanceof DomainError) && !(error instanceof ForbiddenError)) throw error;
}
