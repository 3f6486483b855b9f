import type { Pool } from 'pg';
import { runWork } from '../server/core/runWork.ts';
import type { Answer, Caller, Logger, Work } from '../server/core/work.ts';
import { askPerson } from '../server/work/approvals/askPerson.ts';
import { registerAgent } from '../server/work/agents/registerAgent.ts';
import {
  acceptHandoff,
  cancelHandoff,
  failHandoff,
  rejectHandoff,
  timeOutHandoff,
} from '../server/work/handoffs/changeHandoff.ts';
import { initiateHandoff } from '../server/work/handoffs/initiateHandoff.ts';
import { reassignSession } from '../server/work/handoffs/reassignSession.ts';
import { recordDecision, setTasks, type SetTasksInput } from '../server/work/log/addToLog.ts';
import { appendTurn, type AppendTurnInput } from '../server/work/log/appendTurn.ts';
import { advancePipeline } from '../server/work/pipelines/advancePipeline.ts';
import { definePipeline } from '../server/work/pipelines/definePipeline.ts';
import { importAgents } from '../server/work/registry/importAgents.ts';
import { cancelSession, completeSession, failSession, pauseSession } from '../server/work/sessions/changeSession.ts';
import { createSession } from '../server/work/sessions/createSession.ts';
import { createHandoffTool } from '../server/work/tools/changeTool.ts';
import { readDefinitions, readStory } from './seedFiles.ts';
import { invoicesTurn, keysTurn, question } from './seedWaiting.ts';

/**
 * The demonstration: three agents with a handoff tool, a session in every state, and one session whose chain has a rejection, a
 * time-out, a cancellation, a completed handoff and an open one. Another session went through the pipeline `story`, whose reviewer
 * sent it back once. Three agents more work by scripts. A handoff and a question wait for a person. The ids are fixed, so that the example queries work unchanged: add new rows at the end.
 */

const narrator: Caller = { principal: 'demo', role: 'ADMIN', agentId: null, keyId: null, expiresAt: null };
const asAgent = (agentId: string): Caller => ({ ...narrator, role: 'AGENT', agentId });
const tenYears = 10 * 365 * 24 * 60;
// What waits in the demonstration must not time out.
const settings = { staleAfterMinutes: tenYears, approveWithinMinutes: tenYears, contextPressure: 0 };

/** Numbered UUIDv7s of one fixed moment. */
function numberedIds(): () => string {
  let last = 0;
  return () => `019b0000-0000-7000-8000-${(last += 1).toString(16).padStart(12, '0')}`;
}

/** Seeds a database that has no agents, in one transaction. Returns whether it did. */
export async function seed({ pool, log }: { pool: Pool; log: Logger }): Promise<boolean> {
  const { rows } = await pool.query<{ empty: boolean }>('SELECT NOT EXISTS (SELECT FROM agents) AS empty');
  if (rows[0]?.empty !== true) return false;
  const quiet = { info: () => undefined, warn: log.warn.bind(log), error: log.error.bind(log) };
  await runWork({ pool, log: quiet, caller: narrator, mutation: 'seed', input: {}, ids: numberedIds }, insertStory);
  return true;
}

async function insertStory(work: Work): Promise<{ seeded: true }> {
  await work.begin();
  const story = new Story(work);
  await story.agents();
  await story.rateLimits();
  await story.otherSessions();
  await story.tool();
  await story.throughPipeline();
  await story.workingTeam();
  await story.waitForPeople();
  return { seeded: true };
}

class Story {
  constructor(private readonly work: Work) {}

  async agents(): Promise<void> {
    const pool = [
      {
        id: 'claude-1',
        type: 'CLAUDE',
        role: 'implementer',
        maxCapacity: 5,
        description: 'Writes TypeScript and its tests.',
      },
      {
        id: 'codex-1',
        type: 'CODEX',
        role: 'implementer',
        maxCapacity: 3,
        description: 'Good at Go and at build scripts.',
      },
      {
        id: 'reviewer-1',
        type: 'CLAUDE',
        role: 'reviewer',
        maxCapacity: 2,
        description: 'Reads changes and sends them back with reasons.',
      },
    ];
    const instructions: Record<string, string> = {
      'reviewer-1': 'Read the whole change. Approve it, or hand it back with what is wrong and where.',
    };
    const when: Record<string, string> = {
      'claude-1': 'The work that is left is TypeScript.',
      'codex-1': 'The work that is left is Go or a build script.',
      'reviewer-1': 'The change is done and its tests pass.',
    };
    for (const agent of pool) {
      const collaborators: string[] = [];
      await this.do(registerAgent, {
        ...agent,
        name: agent.id,
        instructions: instructions[agent.id] ?? null,
        metadata: null,
        collaborators,
      });
    }
    for (const agent of pool) {
      for (const [position, other] of pool.filter(({ id }) => id !== agent.id).entries()) {
        const pair = { agentId: agent.id, collaboratorId: other.id, position };
        this.work.insert('agent_collaborators', { ...pair, when: when[other.id]!, approval: 'NONE' });
      }
    }
    await this.work.flush();
  }

  async rateLimits(): Promise<void> {
    const id = await this.session('Add rate limits to the public API', 'claude-1', {
      repository: 'shop/api',
      branch: 'rate-limits',
    });
    await this.turn(id, {
      messages: [
        {
          role: 'USER',
          content: 'Please add rate limits to the public API: 60 writes a minute for each key, 600 reads.',
        },
        {
          role: 'ASSISTANT',
          content:
            'I read the middleware first. Requests pass through src/http/pipeline.ts, so the limiter belongs there.',
        },
      ],
      toolCalls: [
        call('call_01', 'Read', { file_path: 'src/http/pipeline.ts' }, '84 lines'),
        call('call_02', 'Grep', { pattern: 'use\\(' }, '6 matches'),
      ],
      usage: {
        inputTokens: 5_210,
        outputTokens: 640,
        cacheCreationInputTokens: 0,
        cacheReadInputTokens: 0,
        model: 'claude-sonnet',
      },
    });
    await this.tasks(id, [
      ['Limiter with a token bucket', 'DONE'],
      ['Answer 429 with Retry-After', 'IN_PROGRESS'],
      ['Document the limits', 'PENDING'],
    ]);
    await this.do(recordDecision, {
      sessionId: id,
      text: 'Token bucket rather than a fixed window: bursts at the edge of a window would let twice the rate through.',
    });
    await this.turn(id, {
      messages: [
        {
          role: 'ASSISTANT',
          content:
            'The bucket is in place and tested. The deployment script needs a Redis URL; that is Go, which codex-1 knows better.',
        },
      ],
      toolCalls: [
        {
          ...call('call_03', 'Write', { file_path: 'src/http/rateLimit.ts' }, 'written'),
          filesModified: ['src/http/rateLimit.ts'],
        },
        {
          ...call('call_04', 'Edit', { file_path: 'src/http/pipeline.ts' }, 'edited'),
          filesModified: ['src/http/pipeline.ts'],
        },
        {
          ...call('call_05', 'Bash', { command: 'npm test' }, null),
          error: 'exit 1: 1 of 212 tests failed (rateLimit > refills)',
        },
        call('call_06', 'Bash', { command: 'npm test' }, '212 passed'),
      ],
    });

    const rejected = await this.initiate(id, 'codex-1', 'The deployment script is Go');
    await this.do(rejectHandoff, {
      handoffId: rejected,
      reason: 'The script is generated; change its template in deploy/, which is TypeScript.',
    });
    const timedOut = await this.reassign(id, 'codex-1', 'claude-1 is needed elsewhere');
    await this.do(timeOutHandoff, { handoffId: timedOut });
    await this.turn(id, {
      messages: [{ role: 'ASSISTANT', content: 'Changed the template instead. Ready for review.' }],
      toolCalls: [
        {
          ...call('call_07', 'Edit', { file_path: 'deploy/template.ts' }, 'edited'),
          filesModified: ['deploy/template.ts'],
        },
      ],
    });
    const cancelled = await this.initiate(id, 'reviewer-1', 'Ready for review');
    await this.do(cancelHandoff, { handoffId: cancelled, reason: 'Forgot the 429 test' });
    await this.turn(id, {
      messages: [{ role: 'ASSISTANT', content: 'The 429 answer has its test now.' }],
      toolCalls: [
        {
          ...call('call_08', 'Write', { file_path: 'test/rateLimit.test.ts' }, 'written'),
          filesModified: ['test/rateLimit.test.ts'],
        },
      ],
    });
    await this.tasks(id, [
      ['Limiter with a token bucket', 'DONE'],
      ['Answer 429 with Retry-After', 'DONE'],
      ['Document the limits', 'PENDING'],
    ]);
    const accepted = await this.initiate(id, 'reviewer-1', 'Ready for review, now with the 429 test', {
      pull_request: 118,
    });
    await this.do(acceptHandoff, { handoffId: accepted });
    await this.turn(id, {
      messages: [
        {
          role: 'ASSISTANT',
          content: 'Retry-After is in milliseconds; RFC 9110 wants seconds. Everything else is fine.',
        },
      ],
      toolCalls: [call('call_09', 'Read', { file_path: 'src/http/rateLimit.ts' }, '61 lines')],
    });
    await this.do(recordDecision, {
      sessionId: id,
      text: 'Retry-After in whole seconds, rounded up (RFC 9110, section 10.2.3).',
    });
    await this.initiate(id, 'claude-1', 'Retry-After must be in seconds');
  }

  async otherSessions(): Promise<void> {
    const running = await this.session('Fix the flaky login test', 'codex-1');
    await this.turn(running, {
      messages: [{ role: 'USER', content: 'The login test fails once a day. Find out why.' }],
    });
    await this.turn(running, {
      messages: [{ role: 'ASSISTANT', content: 'It waits for a fixed 200 ms; I will wait for the cookie instead.' }],
    });

    const paused = await this.session('Upgrade to Node 24', 'claude-1');
    await this.do(pauseSession, { sessionId: paused, expectedVersion: null });

    await this.session('Triage the crash reports', null);

    const completed = await this.session('Write the release notes', 'claude-1');
    await this.turn(completed, { messages: [{ role: 'ASSISTANT', content: 'Draft is in CHANGELOG.md.' }] });
    const review = await this.initiate(completed, 'reviewer-1', 'Please check the wording');
    await this.do(acceptHandoff, { handoffId: review });
    await this.turn(completed, { messages: [{ role: 'ASSISTANT', content: 'Two typos fixed, good to go.' }] });
    await this.do(completeSession, {
      sessionId: completed,
      expectedVersion: null,
      result: { file: 'CHANGELOG.md', entries: 14 },
      summary: 'Released as 2.4.0.',
    });

    const failed = await this.session('Migrate the billing schema', 'codex-1');
    const failing = await this.reassign(failed, 'claude-1', 'Needs somebody who knows the ledger');
    await this.do(acceptHandoff, { handoffId: failing });
    await this.do(failHandoff, { handoffId: failing, reason: 'The staging database is gone.' });
    await this.do(failSession, { sessionId: failed, expectedVersion: null, reason: 'No staging database to migrate.' });

    const cancelledSession = await this.session('Prototype dark mode', 'reviewer-1');
    await this.do(cancelSession, { sessionId: cancelledSession, expectedVersion: null, reason: 'Design first.' });
  }

  async tool(): Promise<void> {
    await this.do(createHandoffTool, {
      name: 'ask_for_security_review',
      targetAgentId: 'reviewer-1',
      agentIds: ['claude-1', 'codex-1'],
      description: 'Call it when the change touches keys, permissions or input from outside.',
      variables: [
        {
          name: 'risk',
          type: 'STRING',
          required: true,
          description: 'What could happen at worst.',
          enum: ['low', 'medium', 'high'],
          default: null,
        },
        {
          name: 'files',
          type: 'ARRAY',
          required: false,
          description: 'Paths to read first.',
          enum: null,
          default: null,
        },
        {
          name: 'deployed',
          type: 'BOOLEAN',
          required: false,
          description: 'Whether the change is in production.',
          enum: null,
          default: false,
        },
      ],
      instructions: 'Look for missing checks first. Style can wait.',
    });
  }

  /** The pipeline that ships with Baton, and a session that the reviewer sent back once. */
  async throughPipeline(): Promise<void> {
    const { definitions, pipeline } = await readStory();
    await this.do(importAgents, { definitions, problems: [], defaultType: null, dryRun: false });
    await this.do(definePipeline, pipeline);
    const nobody = { agentId: null, agentType: null, metadata: null, contextVariables: null };
    const { sessionId } = await this.do(createSession, {
      ...nobody,
      title: 'Let customers export their invoices',
      maxHandoffs: 5,
      handoffsEnabled: true,
      pipeline: 'story',
      externalId: 'STORY-1',
    });
    const steps: [says: string, outcome: string, payload: object][] = [
      [
        'Customers want their invoices as a file.',
        'DONE',
        {
          goal: 'Customers export their invoices as CSV',
          criteria: ['One line for each invoice', 'Amounts with two decimals'],
        },
      ],
      [
        'The export fits into src/invoices; nothing else changes.',
        'DONE',
        { plan: ['Add the export', 'Add the button'], files: ['src/invoices/list.ts'] },
      ],
      [
        'The export works, and its test passes.',
        'DONE',
        { files: ['src/invoices/export.ts'], tests: ['test/export.test.ts'] },
      ],
      [
        'Amounts have one decimal when the second is zero.',
        'REJECT',
        { approved: false, findings: [{ file: 'src/invoices/export.ts', line: 41, text: 'Write two decimals' }] },
      ],
      [
        'Amounts have two decimals now, with a test.',
        'DONE',
        { files: ['src/invoices/export.ts', 'test/export.test.ts'] },
      ],
      ['Everything is as agreed.', 'APPROVE', { approved: true }],
      ['The two writers of numbers are one function now.', 'DONE', { summary: 'One function writes amounts' }],
      [
        'The export is in the manual.',
        'DONE',
        { files: ['docs/invoices.md'], entry: 'Invoices can be exported as CSV.' },
      ],
    ];
    for (const [content, outcome, payload] of steps) {
      await this.turn(sessionId, { messages: [{ role: 'ASSISTANT', content }] });
      const { handoffId } = await this.do(advancePipeline, {
        sessionId,
        outcome,
        payload,
        reason: null,
        summary: null,
      });
      if (handoffId !== null) await this.do(acceptHandoff, { handoffId });
    }
  }

  /** Agents whose models are scripts: `baton run` works for them without a key. */
  async workingTeam(): Promise<void> {
    const definitions = await readDefinitions('demonstration');
    await this.do(importAgents, { definitions, problems: [], defaultType: null, dryRun: false });
  }

  /** A handoff that a person has to approve, and a question. */
  async waitForPeople(): Promise<void> {
    const proposed = await this.session('Rotate the signing keys', 'codex-1', null, { handoffApproval: 'REQUIRED' });
    await this.turn(proposed, keysTurn);
    await this.work.as(asAgent('codex-1'), () =>
      this.initiate(proposed, 'reviewer-1', 'Please check who can read the old key', { overlap_hours: 24 }),
    );
    const asking = await this.session('Store the invoices', 'claude-1');
    await this.turn(asking, invoicesTurn);
    await this.work.as(asAgent('claude-1'), () => this.do(askPerson, { sessionId: asking, ...question }));
  }

  private async session(
    title: string,
    agentId: string | null,
    metadata: object | null = null,
    more: { handoffApproval?: 'REQUIRED' } = {},
  ): Promise<string> {
    const input = {
      title,
      agentId,
      agentType: null,
      metadata,
      contextVariables: null,
      maxHandoffs: 5,
      handoffsEnabled: true,
      ...more,
    };
    return (await this.do(createSession, input)).sessionId;
  }

  private turn(sessionId: string, turn: Partial<AppendTurnInput>): Promise<Answer> {
    return this.do(appendTurn, {
      sessionId,
      agentId: null,
      messages: [],
      toolCalls: [],
      usage: null,
      truncated: false,
      ...turn,
    });
  }

  private tasks(sessionId: string, tasks: [string, SetTasksInput['tasks'][number]['status']][]): Promise<Answer> {
    return this.do(setTasks, { sessionId, tasks: tasks.map(([content, status]) => ({ content, status })) });
  }

  private async initiate(
    sessionId: string,
    targetAgentId: string,
    reason: string,
    contextVariables: Record<string, unknown> | null = null,
  ): Promise<string> {
    const input = {
      sessionId,
      targetAgentId,
      reason,
      contextVariables,
      summary: null,
      priorTurnId: null,
      triggeringToolCallIds: null,
      metadata: null,
    };
    return (await this.do(initiateHandoff, input)).handoffId!;
  }

  private async reassign(sessionId: string, agentId: string, reason: string): Promise<string> {
    const nothing = { agentType: null, summary: null, contextVariables: null, metadata: null, expectedVersion: null };
    const { handoffId } = await this.do(reassignSession, {
      sessionId,
      agentId,
      reason,
      skipHandoff: false,
      ...nothing,
    });
    if (handoffId === null) throw new Error('the story expects a handoff');
    return handoffId;
  }

  /** Flushes, so that the next command sees what this one wrote. */
  private async do<Input, A extends Answer>(
    command: (work: Work, input: Input, options: typeof settings) => Promise<A>,
    input: Input,
  ): Promise<A> {
    const answer = await command(this.work, input, settings);
    await this.work.flush();
    return answer;
  }
}

const call = (callId: string, name: string, args: object, result: string | null) => ({
  callId,
  name,
  arguments: args,
  result,
  error: null as string | null,
  filesModified: [] as string[],
});

/** The files of `server/work/pipelines/story`, which the package has too. */
