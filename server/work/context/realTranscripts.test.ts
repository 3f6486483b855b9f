import { createReadStream } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { isSubagent, realDataFolder, realPath, realTranscripts } from '../../../test/realData.ts';
import { realLog } from '../../../test/recordedLogs.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { recordDecision } from '../log/addToLog.ts';
import { importTranscript } from '../log/importTranscript.ts';
import { prepareImport } from '../log/prepareImport.ts';
import type { Context } from './context.ts';
import { checksOf } from './derive/checks.ts';
import { failedAttemptsOf } from './derive/failedAttempts.ts';
import { openQuestionsOf } from './derive/openQuestions.ts';
import { workspaceOf } from './derive/workspace.ts';
import { neutralise } from './neutralise.ts';
import { ownWords } from './ownWords.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { post } = client(url);
const { agent, session, reassign, run } = world(database.pool);
await agent('ada', { maxCapacity: 100 });
await agent('bob', {
  maxCapacity: 100,
  instructions: 'Follow CONTRIBUTING.md, and run the tests before you hand anything back.',
});

interface Prompt {
  text: string;
  kept: { id: string }[];
  dropped: { id: string }[];
}

type Facts = Pick<Context, 'workspace' | 'checks' | 'failedAttempts' | 'openQuestions'>;

const budgets = [800, 1_200, 2_000, 5_000, 20_000];
const decision =
  'Keep the public names as they are: programs outside of this repository call them, and none of them is ours to change.';

/** A session that a real transcript was imported into, handed over: its prompts by budget, and what its log says. */
async function handedOver(name: string) {
  const sessionId = await session('ada', { title: name });
  const transcript = await prepareImport(database.pool, {
    sessionId,
    format: 'AUTO',
    sidechain: isSubagent(name),
    chunks: createReadStream(realPath(name)),
  });
  await run(importTranscript, { sessionId, agentId: null, transcript });
  for (const text of ['An older decision.', decision]) await run(recordDecision, { sessionId, text });
  const { handoffId } = await reassign(sessionId, { agentId: 'bob', reason: 'The window of ada is full' });
  const id = encodeId('handoff', handoffId!);
  const fields = budgets
    .map((budget) => `p${budget}: contextPrompt(maxCharacters: ${budget}) { text kept { id } dropped { id } }`)
    .join(' ');
  const { data } = await post<{ handoff: Record<string, Prompt> & { markdown: string } & Facts }>(
    `{ handoff(id: "${id}") { markdown workspace { folder branch commit } checks { command outcome callId stale } failedAttempts { what error callId } openQuestions ${fields} } }`,
  );
  const where = { sessionId };
  const said = (role: 'USER' | 'ASSISTANT', order: 'asc' | 'desc') =>
    database.prisma.message.findFirst({
      where: { ...where, role },
      orderBy: { sequence: order },
      select: { content: true },
    });
  const files = await database.prisma.toolCall.findMany({ where, select: { filesModified: true } });
  return {
    id,
    handoff: data.handoff,
    request: (await said('USER', 'asc'))?.content ?? null,
    lastMessage: (await said('ASSISTANT', 'desc'))?.content ?? null,
    tasks: (
      await database.prisma.task.findMany({
        where: { ...where, status: { not: 'DONE' } },
        orderBy: { position: 'asc' },
      })
    ).map(({ content }) => content),
    files: new Set(files.flatMap(({ filesModified }) => filesModified)).size,
  };
}

/** Its only task was begun when the agent said that it is done. */
const doneSince = new Set(['codex/codemie-019e1625.rollout.jsonl']);

describe.runIf(realDataFolder !== undefined)('a handoff of a real transcript', () => {
  it.for(realTranscripts())('%s', async (name) => {
    const { id, handoff, request, lastMessage, files, ...found } = await handedOver(name);
    const tasks = doneSince.has(name) ? [] : found.tasks;
    const prompt = handoff['p2000']!.text;
    if (request !== null) expect(prompt).toContain(neutralise(ownWords(request)).slice(0, 200));
    if (lastMessage !== null) expect(prompt).toContain(neutralise(lastMessage).slice(0, 150));
    expect(prompt).toContain(decision.slice(0, 80));
    // The two of this test, and what people decided in the log.
    const totals = `${tasks.length === 0 ? 'Decisions' : `Tasks left: ${tasks.length}; decisions`}: (\\d+); files changed: `;
    expect(Number(new RegExp(totals).exec(prompt)?.[1])).toBeGreaterThanOrEqual(2);
    // Commands change more than the tools that write files.
    expect(Number(/files changed: (\d+)/.exec(prompt)![1])).toBeGreaterThanOrEqual(files);
    if (tasks[0] !== undefined) expect(prompt).toContain(neutralise(tasks[0]).slice(0, 60));

    for (const budget of budgets) {
      const { text, kept, dropped } = handoff[`p${budget}`]!;
      expect(text.length).toBeLessThanOrEqual(budget);
      // Also of a sub-agent's transcript, in which nobody else speaks.
      expect(kept.map((item) => item.id)).toContain('last-message-1');
      if (budget > 800) expect(kept.map((item) => item.id)).toContain('request-1');
      expect(kept.length + dropped.length).toBe(handoff['p800']!.kept.length + handoff['p800']!.dropped.length);
    }
    const lost = handoff['p800']!.dropped.slice(0, 12).map(
      (item, index) => `i${index}: contextItem(handoffId: "${id}", itemId: "${item.id}") { content }`,
    );
    const { data } = await post<Record<string, { content: string } | null>>(
      `{ ${lost.length === 0 ? 'viewer { role }' : lost.slice(0, 9).join(' ')} }`,
    );
    expect(Object.values(data)).not.toContain(null);
    const log = await realLog(name);
    const { folder, branch, commit } = workspaceOf(log);
    const { workspace, checks, failedAttempts, openQuestions } = handoff;
    expect({ workspace, checks, failedAttempts, openQuestions }).toEqual({
      workspace: folder === null && branch === null && commit === null ? null : { folder, branch, commit },
      checks: checksOf(log).map(({ command, outcome, callId, stale }) => ({ command, outcome, callId, stale })),
      failedAttempts: failedAttemptsOf(log),
      openQuestions: openQuestionsOf(log),
    });
    expect(handoff.markdown).toContain('## Decisions\n\n1. An older decision.\n2. Keep the public names');
  });
});

if (realDataFolder === undefined)
  it.skip('is skipped: set BATON_REAL_DATA to the folder of real transcripts', () => undefined);
