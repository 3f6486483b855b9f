import { z } from 'zod';
import { limits } from '../../../core/limits.ts';
import { CarriedMessages, CarriedToolCalls } from '../enums.ts';
import { inputObject, integer, listOf, nonBlank, oneOf, optional, withDefault } from './schemas.ts';

const { variablesOfCarry } = limits.counts;
/** A Context is built from at most this number of the newest messages. */
const mostLast = 40;
const leastTokens = 200;

/** What a handoff tool or a collaboration passes on (rule: carry). */
export const carryInput = inputObject(
  'CarryInput',
  'What of the Context a Handoff passes on. The target reads only that, and what is recorded from then on.',
  z.object({
    messages: withDefault(oneOf(CarriedMessages), 'ALL').describe('Messages to pass on.'),
    lastMessages: optional(integer(1, mostLast)).describe(
      `With LAST: the number of Messages, 1 to ${mostLast}. Null: 10.`,
    ),
    toolCalls: withDefault(oneOf(CarriedToolCalls), 'ALL').describe(
      'What to pass on of tool calls. Checks and failed attempts are passed on with ALL only.',
    ),
    files: withDefault(z.boolean(), true).describe(
      'Whether to pass on the paths of changed files. Messages and tool calls that name files follow their own setting.',
    ),
    tasks: withDefault(z.boolean(), true).describe('Whether to pass on tasks.'),
    decisions: withDefault(z.boolean(), true).describe('Whether to pass on decisions.'),
    variables: optional(
      listOf(nonBlank({ characters: 128 }), { what: 'variables', limit: variablesOfCarry, advice: 'name fewer' }),
    ).describe(
      `Names of context variables to pass on, at most ${variablesOfCarry}. Null: all. Baton's own, whose names begin with \`_\`, are always passed on.`,
    ),
    maxTokens: optional(integer(leastTokens)).describe(
      `Greatest number of estimated tokens (bytes / 4) to pass on, at least ${leastTokens}, without the target's instructions. The least important parts are left out first. Null: no limit.`,
    ),
  }),
);
