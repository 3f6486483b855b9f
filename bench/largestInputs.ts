import { getNamedType, isInputObjectType, type GraphQLInputType } from 'graphql';
import { limits } from '../server/core/limits.ts';

const { fields, counts } = limits;
/** A JSON body holds all entries of a list together. */
const room = limits.body.json * 0.9;

const sentence = 'The quick brown fox reads `src/garden/bed.ts` and changes 3 lines, then runs the tests again. ';
export const textOf = (bytes: number): string =>
  sentence
    .repeat(Math.ceil(bytes / sentence.length))
    .slice(0, bytes - 1)
    .concat('.');
/** Many small values cost more than one large. */
export const jsonOf = (bytes: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: Math.floor(bytes / 40) }, (_, n) => [`variable_${n}`, `value ${n} of many`]));
const list = <T>(length: number, entry: (n: number) => T): T[] => Array.from({ length }, (_, n) => entry(n));
export const others = list(counts.collaborators, (n) => `other-${n}`);

let unique = 0;
const next = (): number => (unique += 1);
const half = (room / 2) * 0.9;

/** The largest value of each optional field, by its name or by `Input.name`; undefined: left out, as it selects another path. */
const values: Record<string, () => unknown> = {
  title: () => textOf(fields.titleCharacters),
  externalId: () => `id-${next()}`,
  project: () => 'p'.repeat(fields.projectCharacters),
  reason: () => textOf(fields.reason),
  note: () => textOf(500),
  question: () => textOf(fields.reason),
  answer: () => textOf(fields.reason),
  options: () => list(20, (n) => `${n} `.padEnd(500, 'x')),
  edits: () => ({
    reason: textOf(fields.reason),
    summary: textOf(fields.summary),
    instructions: textOf(fields.instructions),
    contextVariables: jsonOf(fields.json * 0.35),
  }),
  summary: () => textOf(fields.summary),
  text: () => textOf(fields.reason),
  request: () => textOf(room / 2),
  description: () => textOf(fields.toolDescriptionCharacters),
  'CreateWebhookInput.description': () => textOf(500),
  'UpdateWebhookInput.description': () => textOf(500),
  'DefinePipelineInput.description': () => textOf(1_000),
  // Who set each is stored with it.
  contextVariables: () => jsonOf(fields.json * 0.35),
  metadata: () => jsonOf(fields.json),
  result: () => jsonOf(fields.json),
  payload: () => jsonOf(fields.json),
  'ExecuteHandoffToolInput.arguments': () => ({ reason: textOf(fields.reason) }),
  idempotencyKey: () => `key-${next()}-`.padEnd(fields.idempotencyKeyCharacters, 'x'),
  messages: () =>
    list(counts.messagesOfTurn, () => ({ role: 'ASSISTANT', content: textOf(half / counts.messagesOfTurn - 50) })),
  toolCalls: () =>
    list(counts.toolCallsOfTurn, () => ({
      callId: `call-${next()}`,
      name: 'Bash',
      arguments: jsonOf(half / counts.toolCallsOfTurn / 2 - 100),
      result: textOf(half / counts.toolCallsOfTurn / 2),
      filesModified: ['src/garden/bed.ts'],
    })),
  results: () =>
    list(counts.toolCallsOfTurn, (n) => ({ callId: `call-${n}`, result: textOf(room / counts.toolCallsOfTurn - 60) })),
  tasks: () => list(counts.tasks, () => ({ content: textOf(room / counts.tasks - 60), status: 'PENDING' })),
  collaborations: () => others.map((agentId) => ({ agentId, when: textOf(fields.when) })),
  'CreateHandoffToolInput.instructions': () => textOf(fields.reason),
  'UpdateHandoffToolInput.instructions': () => textOf(fields.reason),
  instructions: () => textOf(fields.instructions),
  variables: () =>
    list(counts.variablesOfTool, (n) => ({
      name: `variable_${n}`,
      type: 'STRING',
      description: textOf(fields.toolVariables / counts.variablesOfTool / 2),
    })),
  files: () =>
    list(limits.definitions.files, (n) => ({
      path: `definition-${n}.md`,
      content: `# Definition ${n}\n\n${textOf(room / limits.definitions.files - 120)}`,
    })),
  stages: () =>
    list(counts.stages, (n) => ({ name: `stage-${n}`, instructions: textOf(fields.reason), role: 'worker' })),
  transitions: () => [
    ...list(counts.stages - 1, (n) => ({ from: `stage-${n}`, outcome: 'DONE', to: `stage-${n + 1}` })),
    { from: `stage-${counts.stages - 1}`, outcome: 'DONE' },
    ...list(counts.transitions - counts.stages, (n) => ({
      from: `stage-${n % (counts.stages - 1)}`,
      outcome: `BACK_${Math.floor(n / (counts.stages - 1))}`,
      to: 'stage-0',
    })),
  ],
  url: () => `http://127.0.0.1:9/${'x'.repeat(fields.urlCharacters - 30)}`,
  'RecordWorkingTreeInput.status': () => textOf(48 * 1024),
  diffstat: () => textOf(16 * 1024),
  branch: () => textOf(1_000),
  commit: () => textOf(1_000),
  maxCapacity: () => 1_000,
  contextWindow: () => 1_000_000,
};
/** Flags, references and what selects another path: an operation sets them where it needs them. */
const small =
  /^(id|\w+Ids?|agentType|defaultType|type|types|name|expectedVersion|pipeline|queue|skipHandoff|leavePipeline|recording|dryRun|status|role|expiresAt|slug|start|outcome|toolName|arguments|callId|response|content|format|sidechain|windowFull|enabled|rotateSecret|release|priority|maxHandoffs|approval|handoffApproval|expectedContentHash|tokenBudget|choose|chooseFrom|handoffsEnabled|truncated|usage|workspace|collaborators|carry)$/;

/** The largest input of this type. Throws for a field that this file does not know, so that a new one is not forgotten. */
export function largest(type: GraphQLInputType, given: object = {}): Record<string, unknown> {
  const input = getNamedType(type);
  if (!isInputObjectType(input)) throw new Error(`${String(type)} is no input`);
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(input.getFields())) {
    const value = values[`${input.name}.${name}`] ?? values[name];
    if (value !== undefined) made[name] = value();
    else if (!small.test(name)) throw new Error(`bench/largestInputs.ts has no largest value of ${input.name}.${name}`);
  }
  return { ...made, ...given };
}
