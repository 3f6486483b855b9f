import {
  getNamedType,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  typeFromAST,
} from 'graphql';
import { schema } from '../../server/api/graphql/schema.ts';
import { documentOf as documentOfMutation } from '../refusals.ts';
import { anySchema } from './anySchema.ts';
import { anything, chance, type Dice, mutateJson, mutateText, text, times } from './mutate.ts';
import { definitions, pipeline, responses, transcripts } from './real.ts';

/** The ids that inputs may name: of the demonstration data, and of what answers brought. */
export class Ids {
  readonly #byPrefix = new Map<string, string[]>([['agent', ['claude-1', 'codex-1', 'gemini-1', 'fuzz-1', 'nobody']]]);

  add(id: string): void {
    const prefix = id.slice(0, id.indexOf('_'));
    const known = this.#byPrefix.get(prefix) ?? [];
    if (known.includes(id)) return;
    this.#byPrefix.set(prefix, [...known.slice(-300), id]);
  }

  pick(dice: Dice, prefix: string): string {
    if (chance(dice, 3)) return String(dice.pick([...this.#byPrefix.keys()]));
    return dice.pick(this.#byPrefix.get(prefix) ?? [`${prefix}_01kc000000e008000000000001`]);
  }

  anyOf(dice: Dice): string {
    return this.pick(dice, dice.pick([...this.#byPrefix.keys()]));
  }
}

const slugs = ['story', 'fuzz-a', 'fuzz-b'];
const outcomes = ['DONE', 'REJECT', 'APPROVE'];
const stages = ['one', 'two', 'three'];
const tools = ['transfer_to_codex_1', 'fuzz_tool', 'hand_over'];

/** Values for names whose meaning is not in their type. */
const named: Record<string, (dice: Dice, ids: Ids) => unknown> = {
  type: (dice) => dice.pick(['CLAUDE', 'CODEX', 'GEMINI', 'FUZZ']),
  agentType: (dice) => dice.pick(['CLAUDE', 'CODEX', 'GEMINI', 'FUZZ']),
  defaultType: () => 'CLAUDE',
  slug: (dice) => dice.pick(slugs),
  pipeline: (dice) => dice.pick(slugs),
  outcome: (dice) => dice.pick(outcomes),
  start: () => 'one',
  from: (dice) => dice.pick(stages),
  to: (dice) => dice.pick([...stages, null]),
  stage: (dice) => dice.pick(stages),
  role: (dice) => dice.pick(['one', 'two', 'reviewer']),
  toolName: (dice) => dice.pick(tools),
  path: (dice) => dice.pick(['a.md', '.claude/agents/a.md', '.github/agents/b.agent.md', '../c.md']),
  format: (dice) => dice.pick(['AUTO', 'CLAUDE_CODE', 'CODEX', 'GEMINI']),
  url: () => 'https://127.0.0.1/',
  idempotencyKey: (dice) => `key-${dice.below(50)}`,
  payloadSchema: (dice) => anySchema(dice),
  payload: (dice) =>
    chance(dice, 70) ? { goal: 'x', items: times(dice.below(30), () => anything(dice, 2)) } : anything(dice),
  response: (dice) => mutateJson(dice, JSON.parse(dice.pick(responses))),
  arguments: (dice) => (chance(dice, 70) ? { a: anything(dice, 1), b: anything(dice, 1) } : anything(dice)),
  query: (dice) => text(dice, 200),
};

const prefixes: [RegExp, string][] = [
  [/session/i, 'session'],
  [/handoff/i, 'handoff'],
  [/turn/i, 'turn'],
  [/message/i, 'message'],
  [/call/i, 'toolcall'],
  [/snapshot/i, 'snapshot'],
  [/webhook/i, 'webhook'],
  [/deliver/i, 'delivery'],
  [/agent|collaborator/i, 'agent'],
];

/** A value for a type, by introspection: mostly valid, with a fault now and then. */
export function valueFor(dice: Dice, type: GraphQLInputType, name: string, on: string, ids: Ids, depth = 6): unknown {
  if (isNonNullType(type)) return chance(dice, 1) ? null : valueFor(dice, type.ofType, name, on, ids, depth);
  if (chance(dice, 2)) return anything(dice);
  if (isListType(type)) {
    const count = chance(dice, 2) ? dice.below(600) : dice.below(4);
    return times(count, () => valueFor(dice, type.ofType, name, on, ids, depth - 1));
  }
  const make = named[name];
  if (make !== undefined && chance(dice, 85)) return make(dice, ids);
  if (isEnumType(type)) return dice.pick(type.getValues()).name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || (depth > 0 && chance(dice, type.isOneOf ? 30 : 35)),
    );
    return Object.fromEntries(
      fields.map((field) => [field.name, valueFor(dice, field.type, field.name, type.name, ids, depth - 1)]),
    );
  }
  switch (type.name) {
    case 'ID': {
      if (name === 'after' || name === 'before') return Buffer.from(text(dice, 50)).toString('base64url');
      const prefix = prefixes.find(([pattern]) => pattern.test(name))?.[1];
      if (prefix !== undefined) return ids.pick(dice, prefix);
      const byType = prefixes.find(([pattern]) => pattern.test(on))?.[1];
      return byType === undefined ? ids.anyOf(dice) : ids.pick(dice, byType);
    }
    case 'Int':
      return chance(dice, 90) ? dice.below(20) : dice.pick([-1, 0, 101, 1_000_000, 2 ** 31 - 1, -(2 ** 31)]);
    case 'Float':
      return dice.below(1_000) / 7;
    case 'Boolean':
      return chance(dice, 50);
    case 'DateTime':
      return dice.pick([
        '2026-01-10T12:00:00Z',
        '2026-01-10T13:00:00+01:00',
        '0001-01-01T00:00:00Z',
        '9999-12-31T23:59:59.999Z',
        '+275760-09-13T00:00:00Z',
        'yesterday',
      ]);
    case 'JSON':
      return anything(dice);
    default:
      if (name === 'content' && on === 'AgentDefinitionFile')
        return mutateText(dice, dice.pick(definitions), definitions);
      if (/content|transcript/.test(name) && on === 'ImportTranscriptInput')
        return mutateText(dice, dice.pick(transcripts).slice(0, 100_000), transcripts);
      return text(dice);
  }
}

const inputOf = (mutation: string): GraphQLInputType =>
  schema
    .getMutationType()!
    .getFields()
    [mutation]!.args.find(({ name }) => name === 'input')!.type;

export const mutations = Object.keys(schema.getMutationType()!.getFields());

export const askFor = (mutation: string, input: unknown): { query: string; variables: object } => ({
  query: documentOfMutation(mutation),
  variables: { input },
});

export const mutationOf = (dice: Dice, mutation: string, ids: Ids, given: object = {}) =>
  askFor(mutation, {
    ...(valueFor(dice, inputOf(mutation), 'input', getNamedType(inputOf(mutation)).name, ids) as object),
    ...given,
  });

/** Variables for what a document declares. */
export function variablesOf(dice: Dice, document: string, ids: Ids): Record<string, unknown> {
  try {
    const variables: Record<string, unknown> = {};
    for (const definition of parse(document, { maxTokens: 5_000 }).definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      for (const { variable, type: node } of definition.variableDefinitions ?? []) {
        const type = typeFromAST(schema, node as never) as GraphQLInputType | undefined;
        const on = getNamedType(type)?.name ?? '';
        variables[variable.name.value] = type === undefined ? 1 : valueFor(dice, type, variable.name.value, on, ids);
      }
    }
    return variables;
  } catch {
    return {};
  }
}

/** A pipeline whose stages and ways are few, with any schemas for payloads. */
export const anyPipeline = (dice: Dice): Record<string, unknown> =>
  chance(dice, 20)
    ? (mutateJson(dice, pipeline) as Record<string, unknown>)
    : {
        slug: dice.pick(slugs.slice(1)),
        name: 'Fuzz',
        start: 'one',
        stages: ['one', 'two'].map((name) => ({ name, agentType: 'CLAUDE', payloadSchema: anySchema(dice) })),
        transitions: [
          { from: 'one', outcome: 'DONE', to: 'two', payloadSchema: anySchema(dice) },
          { from: 'two', outcome: 'DONE', to: null },
          { from: 'two', outcome: 'REJECT', to: 'one', ...(chance(dice, 30) && { payloadSchema: anySchema(dice) }) },
        ],
      };
