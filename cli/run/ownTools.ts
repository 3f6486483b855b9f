import { z } from 'zod';
import { Refused, type Api } from '../../client/api/request.ts';
import type { Entry, Tool } from './conversation.ts';
import { endTenure } from './ends.ts';

/** The tools that every agent of a runner has besides its handoff tools. Each may be called again with the same effect. */

export interface Outcome {
  result: string | null;
  error: string | null;
  /** What ended the turn of the agent; null: it goes on. */
  end: string | null;
  /** What closes the log: done when the result is recorded. */
  after?: () => Promise<void>;
}

export const answered = (result: string, end: string | null = null): Outcome => ({ result, error: null, end });
export const refused = (error: string): Outcome => ({ result: null, error, end: null });

/** The present stage of a pipeline, for `finish`. */
export interface Stage {
  outcomes: readonly string[];
}

const text = z.string().trim().min(1);
const finishWork = z.strictObject({
  result: z.unknown().describe('The result of the whole work, for the person who asked for it.'),
  summary: z.string().optional().describe('What was done, in a few sentences.'),
});
const finishStage = (outcomes: readonly string[]) =>
  z.strictObject({
    outcome: z.enum(outcomes as [string, ...string[]]).describe('How the stage ended.'),
    payload: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What the next stage gets, by the schema of the outcome.'),
    reason: z.string().optional().describe('Why it ended so.'),
  });
const askPerson = z.strictObject({
  question: text.describe('The question.'),
  options: z.array(text.max(500)).max(20).optional().describe('Answers to choose from, if there are some.'),
});
const note = z.strictObject({
  decision: text.optional().describe('A decision, with its reason.'),
  tasks: z
    .array(z.strictObject({ content: text, status: z.enum(['PENDING', 'IN_PROGRESS', 'DONE']) }))
    .max(500)
    .optional()
    .describe('The whole list of tasks. It replaces the one before.'),
});
const read = z.strictObject({
  call: z.string().optional().describe('Id of a call whose result was left out.'),
  item: z.string().optional().describe('Id of an item that the handoff left out.'),
  from: z.int().min(1).optional().describe('Number of the first message of the log to read.'),
  to: z.int().min(1).optional().describe('Number of the last one, at most 50 later.'),
});

const tool = (name: string, description: string, schema: z.ZodType): Tool => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema) as Record<string, unknown>;
  return { name, description, inputSchema };
};

export const toolsFor = (stage: Stage | null): Tool[] => [
  stage === null
    ? tool('finish', 'Ends the whole work with its result. Call it when nothing is left to do for anybody.', finishWork)
    : tool(
        'finish',
        'Ends your stage of the pipeline with an outcome. The next stage goes on.',
        finishStage(stage.outcomes),
      ),
  tool('ask_person', 'Asks a person, and waits for the answer. Ends your turn.', askPerson),
  tool('note', 'Records a decision, or the list of tasks, for whoever goes on with the work.', note),
  tool('read', 'Reads the log, or what was left out of what you were given.', read),
];

interface Place {
  ask: Api;
  sessionId: string;
  agentId: string;
  handoffId: string | null;
  entries: readonly Entry[];
  stage: Stage | null;
}

interface OwnCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** Runs a call of one of these tools. What Baton refuses goes back to the model. */
export async function runOwn(place: Place, call: OwnCall): Promise<Outcome> {
  const acts: Record<string, () => Promise<Outcome>> = {
    finish: () => finish(place, call),
    ask_person: () => askAPerson(place, call),
    note: () => takeNote(place, call),
    read: () => readMore(place, call),
  };
  try {
    return await acts[call.name]!();
  } catch (error) {
    if (error instanceof z.ZodError) return refused(`The arguments are wrong: ${z.prettifyError(error)}`);
    if (error instanceof Refused && !isAway(error)) return refused(error.message);
    throw error;
  }
}

const isAway = ({ code }: Refused): boolean => code === 'UNAVAILABLE' || code === 'RATE_LIMITED';

async function finish({ ask, sessionId, stage }: Place, call: OwnCall): Promise<Outcome> {
  if (stage === null) {
    const { result, summary } = finishWork.parse(call.arguments);
    return {
      ...answered('The work is finished.', 'finished'),
      after: () => endTenure(ask, 'complete', { sessionId, result: result ?? null, summary: summary ?? null }),
    };
  }
  const { outcome, payload, reason } = finishStage(stage.outcomes).parse(call.arguments);
  await ask(
    `mutation RunAdvance($input: AdvancePipelineInput!) { answer: advancePipeline(input: $input) {
      __typename ... on Error { code message } } }`,
    {
      input: {
        sessionId,
        outcome,
        payload: payload ?? null,
        reason: reason ?? null,
        idempotencyKey: `run-finish-${call.id}`,
      },
    },
  );
  return answered(`Your stage ended with ${outcome}.`, `ended its stage with ${outcome}`);
}

/** The answer comes as a message of that person, after which the Session goes on. */
async function askAPerson({ ask, sessionId }: Place, call: OwnCall): Promise<Outcome> {
  const { question, options } = askPerson.parse(call.arguments);
  await ask(
    `mutation RunQuestion($input: AskPersonInput!) { answer: askPerson(input: $input) {
      __typename ... on Error { code message } } }`,
    {
      input: {
        sessionId,
        question,
        options: options === undefined || options.length === 0 ? null : options,
        idempotencyKey: `run-ask-${call.id}`,
      },
    },
  );
  return answered('A person will answer. The work waits for it.', 'asked a person, and waits');
}

async function takeNote({ ask, sessionId }: Place, call: OwnCall): Promise<Outcome> {
  const { decision, tasks } = note.parse(call.arguments);
  if (decision === undefined && tasks === undefined) return refused('Give a decision, or tasks.');
  if (decision !== undefined)
    await ask(
      `mutation RunDecision($input: RecordDecisionInput!) { answer: recordDecision(input: $input) {
        __typename ... on Error { code message } } }`,
      { input: { sessionId, text: decision, idempotencyKey: `run-note-${call.id}` } },
    );
  if (tasks !== undefined)
    await ask(
      `mutation RunTasks($input: SetTasksInput!) { answer: setTasks(input: $input) {
        __typename ... on Error { code message } } }`,
      { input: { sessionId, tasks } },
    );
  return answered('Recorded.');
}

/** Messages at once. */
const mostMessages = 50;

async function readMore({ ask, sessionId, handoffId, entries }: Place, call: OwnCall): Promise<Outcome> {
  const { call: id, item, from, to } = read.parse(call.arguments);
  if (id !== undefined) {
    const found = entries.flatMap((entry) => (entry.kind === 'step' ? entry.calls : [])).find((one) => one.id === id);
    return found === undefined
      ? refused(`You made no call '${id}'.`)
      : answered(found.result ?? found.error ?? 'It has no outcome yet.');
  }
  if (item !== undefined) {
    if (handoffId === null) return refused('The session came without a handoff, so nothing of one was left out.');
    const { contextItem } = await ask<{ contextItem: { content: string } | null }>(
      'query RunItem($handoffId: ID!, $itemId: ID!) { contextItem(handoffId: $handoffId, itemId: $itemId) { content } }',
      { handoffId, itemId: item },
    );
    return contextItem === null ? refused(`There is no item '${item}'.`) : answered(contextItem.content);
  }
  if (from === undefined) return refused('Say what to read: call, item, or from.');
  const last = Math.min(mostMessages, Math.max(1, (to ?? from + mostMessages - 1) - from + 1));
  const { session } = await ask<{
    session: { messages: { nodes: { sequence: number; role: string; content: string }[] } } | null;
  }>(
    'query RunLog($id: ID!, $last: Int!, $from: Int!) { session(id: $id) { messages(last: $last, from: $from) { nodes { sequence role content } } } }',
    { id: sessionId, last, from },
  );
  const lines = (session?.messages.nodes ?? [])
    .toSorted((a, b) => a.sequence - b.sequence)
    .map(({ sequence, role, content }) => `${sequence} ${role}: ${content}`);
  return answered(lines.length === 0 ? `There is no message from ${from} on.` : lines.join('\n'));
}
