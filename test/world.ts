import type { Pool } from 'pg';
import type { Answer, Caller, Work } from '../server/core/work.ts';
import { silentLog } from '../server/infra/log.ts';
import { registerAgent } from '../server/work/agents/registerAgent.ts';
import type { Stage, Transition } from '../server/work/custody/pipeline.ts';
import {
  initiateHandoff,
  type HandoffAnswer,
  type InitiateHandoffInput,
} from '../server/work/handoffs/initiateHandoff.ts';
import { reassignSession, type ReassignSessionInput } from '../server/work/handoffs/reassignSession.ts';
import { appendTurn, type AppendTurnInput } from '../server/work/log/appendTurn.ts';
import { advancePipeline, type AdvancePipelineInput } from '../server/work/pipelines/advancePipeline.ts';
import { definePipeline } from '../server/work/pipelines/definePipeline.ts';
import { runCommand } from '../server/work/queue/runCommand.ts';
import { createSession, type CreateSessionInput } from '../server/work/sessions/createSession.ts';

export const operator: Caller = {
  principal: 'operator',
  role: 'OPERATOR',
  agentId: null,
  keyId: null,
  expiresAt: null,
};

/** A caller whose key is bound to this agent. */
export const agentCaller = (agentId: string): Caller => ({
  ...operator,
  principal: `key of ${agentId}`,
  role: 'AGENT',
  agentId,
});

export interface As {
  caller?: Caller;
  idempotencyKey?: string;
}

/** Commands with the smallest valid input, for tests below GraphQL. */
export function world(pool: Pool, staleAfterMinutes = 30) {
  const settings = { staleAfterMinutes, handoffsEnabled: true, contextPressure: 80, keyRevoked: () => undefined };

  const run = <Input extends object, A extends Answer>(
    command: (work: Work, input: Input, given: typeof settings) => Promise<A>,
    input: Input,
    { caller = operator, idempotencyKey }: As = {},
  ): Promise<A> =>
    runCommand({ pool, log: silentLog, caller, mutation: command.name, input, idempotencyKey }, (work) =>
      command(work, input, settings),
    );

  return {
    run,

    agent: (
      id: string,
      fields: {
        type?: string;
        role?: string;
        maxCapacity?: number;
        collaborators?: string[];
        instructions?: string;
        contextWindow?: number;
      } = {},
    ) =>
      run(registerAgent, {
        id,
        type: fields.type ?? 'CLAUDE',
        name: id,
        role: fields.role ?? null,
        description: null,
        instructions: fields.instructions ?? null,
        maxCapacity: fields.maxCapacity ?? 5,
        metadata: null,
        contextWindow: fields.contextWindow ?? null,
        collaborators: fields.collaborators ?? [],
      }),

    async session(agentId: string | null, fields: Partial<CreateSessionInput> = {}, as: As = {}): Promise<string> {
      const input = {
        title: 'A piece of work',
        agentId,
        agentType: null,
        metadata: null,
        contextVariables: null,
        maxHandoffs: 5,
        handoffsEnabled: true,
        ...fields,
      };
      return (await run(createSession, input, as)).sessionId;
    },

    reassign: (sessionId: string, to: Partial<ReassignSessionInput>, as: As = {}) =>
      run(
        reassignSession,
        {
          sessionId,
          agentId: null,
          agentType: null,
          skipHandoff: false,
          reason: null,
          summary: null,
          contextVariables: null,
          metadata: null,
          expectedVersion: null,
          ...to,
        },
        as,
      ),

    /** Its Handoff is there unless `queue` is given. */
    initiate: (
      sessionId: string,
      targetAgentId: string,
      fields: Partial<InitiateHandoffInput> = {},
      as: As = {},
    ): Promise<HandoffAnswer> =>
      run(
        initiateHandoff as (...given: Parameters<typeof initiateHandoff>) => Promise<HandoffAnswer>,
        {
          sessionId,
          targetAgentId,
          reason: null,
          summary: null,
          priorTurnId: null,
          triggeringToolCallIds: null,
          contextVariables: null,
          metadata: null,
          ...fields,
        },
        as,
      ),

    /** Defines a pipeline from lines such as `write DONE review`; `review APPROVE end` completes it. A stage's role is its name. */
    async pipeline(
      slug: string,
      lines: readonly string[],
      stages: Record<string, Partial<Stage>> = {},
      transitions: Record<string, Partial<Transition>> = {},
    ): Promise<string> {
      const parts = lines.map((line) => line.split(' ') as [string, string, string]);
      const names = [...new Set(parts.flatMap(([from, , to]) => (to === 'end' ? [from] : [from, to])))];
      return (
        await run(definePipeline, {
          slug,
          name: slug,
          description: null,
          start: names[0]!,
          stages: names.map((name) => ({
            name,
            role: name,
            agentType: null,
            phase: null,
            instructions: null,
            payloadSchema: null,
            acceptWithinMinutes: null,
            remindAfterMinutes: null,
            escalateTo: null,
            ...stages[name],
          })),
          transitions: parts.map(([from, outcome, to], index) => ({
            from,
            outcome,
            to: to === 'end' ? null : to,
            when: null,
            payloadSchema: null,
            ...transitions[lines[index]!],
          })),
        })
      ).pipelineId;
    },

    advance: (sessionId: string, outcome = 'DONE', fields: Partial<AdvancePipelineInput> = {}, as: As = {}) =>
      run(advancePipeline, { sessionId, outcome, payload: null, reason: null, summary: null, ...fields }, as),

    turn: (sessionId: string, fields: Partial<AppendTurnInput> = {}, as: As = {}) =>
      run(
        appendTurn,
        {
          sessionId,
          agentId: null,
          messages: [{ role: 'ASSISTANT', content: 'Working on it.' }],
          toolCalls: [],
          usage: null,
          truncated: false,
          ...fields,
        },
        as,
      ),
  };
}

export type World = ReturnType<typeof world>;

/** A successful tool call, or a failed one with `error`. */
export const toolCall = (
  callId: string,
  name: string,
  fields: {
    result?: string | null;
    error?: string;
    filesModified?: string[];
    arguments?: unknown;
    durationMs?: number;
  } = {},
) => ({
  callId,
  name,
  arguments: fields.arguments ?? {},
  result: fields.error !== undefined ? null : fields.result === undefined ? 'ok' : fields.result,
  error: fields.error ?? null,
  filesModified: fields.filesModified ?? [],
  ...(fields.durationMs !== undefined && { durationMs: fields.durationMs }),
});
