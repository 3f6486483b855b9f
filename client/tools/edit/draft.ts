import type { CreateHandoffToolInput, HandoffToolVariableInput, HandoffToolVariableType, SavedToolFragment } from '../../gql/graphql.ts';

/** A variable as it is typed: values are text. */
export interface VariableDraft {
  /** For React: names change while they are typed. */
  key: number;
  name: string;
  type: HandoffToolVariableType;
  required: boolean;
  description: string;
  /** One value a line; empty allows all. */
  allowed: string;
  /** Empty: none. */
  preset: string;
}

export interface Draft {
  name: string;
  targetAgentId: string;
  agentIds: string[];
  description: string;
  instructions: string;
  variables: VariableDraft[];
}

export type Fields = Required<Omit<CreateHandoffToolInput, 'idempotencyKey' | 'variables'>> & { variables: HandoffToolVariableInput[] };

export const emptyDraft: Draft = { name: '', targetAgentId: '', agentIds: [], description: '', instructions: '', variables: [] };

let lastKey = 0;
export const emptyVariable = (): VariableDraft => ({ key: (lastKey += 1), name: '', type: 'STRING', required: false, description: '', allowed: '', preset: '' });

type Saved = Pick<SavedToolFragment, 'name' | 'description' | 'instructions' | 'variables'> & { targetAgent: { id: string }; agents: readonly { id: string }[] };

export const draftOf = ({ name, targetAgent, agents, description, instructions, variables }: Saved): Draft => ({
  name,
  targetAgentId: targetAgent.id,
  agentIds: agents.map(({ id }) => id),
  description,
  instructions: instructions ?? '',
  variables: variables.map((variable) => ({
    ...emptyVariable(),
    name: variable.name,
    type: variable.type,
    required: variable.required,
    description: variable.description ?? '',
    allowed: (variable.enum ?? []).map(textOf).join('\n'),
    preset: variable.default == null ? '' : textOf(variable.default),
  })),
});

export const toFields = ({ name, targetAgentId, agentIds, description, instructions, variables }: Draft): Fields => ({
  name: name.trim(),
  targetAgentId,
  agentIds,
  description: description.trim(),
  instructions: instructions.trim() === '' ? null : instructions,
  variables: variables.map((variable) => {
    const allowed = variable.allowed.split('\n').filter((line) => line.trim() !== '');
    return {
      name: variable.name.trim(),
      type: variable.type,
      required: variable.required,
      description: variable.description === '' ? null : variable.description,
      enum: allowed.length === 0 ? null : allowed.map((line) => valueOf(variable.type, line)),
      default: variable.preset.trim() === '' ? null : valueOf(variable.type, variable.preset),
    };
  }),
});

/** The fields that differ from the saved tool, so that other people's changes of the rest stay. */
export function changedFields(draft: Draft, saved: Saved): Partial<Fields> {
  const before = toFields(draftOf(saved));
  const after = toFields(draft);
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Fields])));
}

/** The value of a line. Text is a string as it stands, or quoted as JSON. What cannot be read stays text: the server says what is wrong with it. */
export function valueOf(type: HandoffToolVariableType, line: string): unknown {
  const text = line.trim();
  if (type === 'STRING' && !text.startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return type === 'STRING' && typeof value !== 'string' ? text : value;
  } catch {
    return text;
  }
}

/** The line of a value. A text that would be read as another one is quoted. */
function textOf(value: unknown): string {
  const isPlain = typeof value === 'string' && value !== '' && value === value.trim() && !/^"|[\n\r]/.test(value);
  return isPlain ? value : JSON.stringify(value);
}

export interface Refusal {
  __typename: string;
  message: string;
  path?: readonly string[];
  id?: string;
}

const names = Object.keys(emptyDraft);

/** The field that an error belongs to, such as `variables.0.name`; empty for the whole form. */
export function placeOf({ __typename, path = [], id }: Refusal, { agentIds, targetAgentId, variables }: Draft): string {
  switch (__typename) {
    case 'ConflictError':
      return 'name';
    case 'NotFoundError':
      return id === targetAgentId ? 'targetAgentId' : agentIds.includes(id ?? '') ? 'agentIds' : '';
    case 'BadUserInputError': {
      const [, field = '', index, part] = path;
      if (!names.includes(field)) return '';
      const ofVariable = field === 'variables' && part !== undefined && part in emptyVariableFields && Number(index) < variables.length;
      return ofVariable ? `variables.${index}.${part}` : field;
    }
    default:
      return '';
  }
}

const emptyVariableFields = { name: '', type: '', required: '', description: '', enum: '', default: '' };
