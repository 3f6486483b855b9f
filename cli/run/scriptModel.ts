import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { packageFolder } from '../../server/core/place.ts';
import { ModelError, type Answer, type Model, type Question } from './conversation.ts';

/** A model of scripted answers: for demonstrations, for tests, and for trying definitions without a key. */

const scriptedAnswer = z.strictObject({
  text: z.string().default(''),
  calls: z.array(z.strictObject({ name: z.string(), arguments: z.unknown().optional() })).default([]),
  /** Time until it answers, in milliseconds. */
  waitMs: z.int().min(0).max(600_000).default(0),
  /** What the first attempts get instead. */
  errors: z.array(z.strictObject({ status: z.int(), retryAfter: z.number().min(0).optional() })).default([]),
  /** Ends in the middle, as at the greatest length. */
  isCut: z.boolean().default(false),
});

/** By agent: for each time that it gets the Session, its answers. The last time's are repeated. */
const script = z.record(z.string(), z.array(z.array(scriptedAnswer).min(1)).min(1));
type Script = z.infer<typeof script>;

const said = { text: 'Done.', calls: [], waitMs: 0, errors: [], isCut: false } satisfies z.infer<typeof scriptedAnswer>;

/** `script/<file>`: the file in `folder`, else in the package. A sentence when it is missing or wrong. */
export function scriptModel(name: string, file: string, folder: string): Model | string {
  const answers = readScript(file, folder);
  if (typeof answers === 'string') return answers;
  const attempts = new Map<string, number>();
  return {
    name,
    contextWindow: null,
    price: null,
    async answer(question, signal) {
      const { agentId, tenure, step } = question;
      const times = Object.hasOwn(answers, agentId) ? answers[agentId]! : [[said]];
      const scripted = times[Math.min(tenure, times.length - 1)]![step] ?? said;
      await wait(scripted.waitMs, undefined, { signal });
      const place = `${question.sessionId} ${agentId} ${tenure} ${step}`;
      const attempt = attempts.get(place) ?? 0;
      const error = scripted.errors[attempt];
      if (error === undefined) {
        attempts.delete(place);
        return answerOf(name, scripted, question);
      }
      attempts.set(place, attempt + 1);
      throw new ModelError(
        `${name} answered ${error.status}, as its script says`,
        error.status === 429 || error.status >= 500,
        error.retryAfter === undefined ? null : error.retryAfter * 1_000,
      );
    },
  };
}

function readScript(file: string, folder: string): Script | string {
  const paths = isAbsolute(file) ? [file] : [join(folder, file), join(packageFolder, file)];
  for (const path of paths) {
    let text;
    try {
      text = readFileSync(path, 'utf8');
    } catch {
      continue;
    }
    try {
      return script.parse(JSON.parse(text));
    } catch (error) {
      const problem = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      return `${path} is no script of answers: ${problem}`;
    }
  }
  return `there is no script ${paths.join(' or ')}: write it, or give the folder that has it with --folder`;
}

/** In the form of OpenAI's chat completions. */
function answerOf(
  name: string,
  { text, calls, isCut }: z.infer<typeof scriptedAnswer>,
  { entries, system, step }: Question,
): Answer {
  const tool_calls = calls.map((call, index) => ({
    id: `call_${step}_${index}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {}),
    },
  }));
  const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
  return {
    response: {
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
          message: { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) },
        },
      ],
    },
    text,
    model: name,
    usage: {
      inputTokens: tokens([system, entries]),
      outputTokens: tokens([text, calls]),
      cacheReadInputTokens: null,
      cacheCreationInputTokens: null,
    },
    isCut,
    providerOptions: [],
  };
}
