import type {
  ApprovalRule,
  CarryInput,
  CreateHandoffToolInput,
  HandoffToolVariableInput,
  HandoffToolVariableType,
  SavedToolFragment,
} from '../../gql/graphql.ts';

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

/** What is passed on, as it is typed. */
export interface CarryDraft extends Pick<
  NonNullable<SavedToolFragment['carry']>,
  'messages' | 'toolCalls' | 'files' | 'tasks' | 'decisions'
> {
  /** Empty: the default number. */
  lastMessages: string;
  allVariables: boolean;
  /** One name a line. */
  variables: string;
  /** Empty: no limit. */
  maxTokens: string;
}

export const everything: CarryDraft = {
  messages: 'ALL',
  toolCalls: 'ALL',
  files: true,
  tasks: true,
  decisions: true,
  lastMessages: '',
  allVariables: true,
  variables: '',
  maxTokens: '',
};

export interface Draft {
  name: string;
  targetAgentId: string;
  agentIds: string[];
  description: string;
  instructions: string;
  variables: VariableDraft[];
  /** Null: what the collaboration says, else everything. */
  carry: CarryDraft | null;
  approval: ApprovalRule;
}

export type Fields = Required<Omit<CreateHandoffToolInput, 'idempotencyKey' | 'variables'>> & {
  variables: HandoffToolVariableInput[];
};

export const emptyDraft: Draft = {
  name: '',
  targetAgentId: '',
  agentIds: [],
  description: '',
  instructions: '',
  variables: [],
  carry: null,
  approval: 'NONE',
};

let lastKey = 0;
export const emptyVariable = (): VariableDraft => ({
  key: (lastKey += 1),
  name: '',
  type: 'STRING',
  required: false,
  description: '',
  allowed: '',
  preset: '',
});

type Saved = Pick<SavedToolFragment, 'name' | 'description' | 'instructions' | 'variables' | 'carry' | 'approval'> & {
  targetAgent: { id: string };
  agents: readonly { id: string }[];
};

export const draftOf = ({
  name,
  targetAgent,
  agents,
  description,
  instructions,
  variables,
  carry,
  approval,
}: Saved): Draft => ({
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
  carry: carry == null ? null : carryDraftOf(carry),
  approval: approval ?? 'NONE',
});

export const carryDraftOf = ({
  messages,
  toolCalls,
  files,
  tasks,
  decisions,
  lastMessages,
  variables,
  maxTokens,
}: NonNullable<Saved['carry']>): CarryDraft => ({
  ...{ messages, toolCalls, files, tasks, decisions },
  lastMessages: lastMessages?.toString() ?? '',
  allVariables: variables == null,
  variables: (variables ?? []).map(textOf).join('\n'),
  maxTokens: maxTokens?.toString() ?? '',
});

export const toCarry = ({ lastMessages, allVariables, variables, maxTokens, ...rest }: CarryDraft): CarryInput => ({
  ...rest,
  lastMessages: lastMessages === '' ? null : Number(lastMessages),
  variables: allVariables ? null : linesOf(variables).map((line) => String(valueOf('STRING', line))),
  maxTokens: maxTokens === '' ? null : Number(maxTokens),
});

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

export const toFields = ({
  name,
  targetAgentId,
  agentIds,
  description,
  instructions,
  variables,
  carry,
  approval,
}: Draft): Fields => ({
  name: name.trim(),
  targetAgentId,
  agentIds,
  description: description.trim(),
  instructions: instructions.trim() === '' ? null : instructions,
  variables: variables.map((variable) => {
    const allowed = linesOf(variable.allowed);
    return {
      name: variable.name.trim(),
      type: variable.type,
      required: variable.required,
      description: variable.description === '' ? null : variable.description,
      enum: allowed.length === 0 ? null : allowed.map((line) => valueOf(variable.type, line)),
      default: variable.preset.trim() === '' ? null : valueOf(variable.type, variable.preset),
    };
  }),
  carry: carry === null ? null : toCarry(carry),
  approval,
});

/** The fields that differ from the saved tool, so that other people's changes of the rest stay. */
export function changedFields(draft: Draft, saved: Saved): Partial<Fields> {
  const before = toFields(draftOf(saved));
  const after = toFields(draft);
  return Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Fields]),
    ),
  );
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
export function placeOf(
  { __typename, path = [], id }: Refusal,
  { agentIds, targetAgentId, variables, carry }: Draft,
): string {
  switch (__typename) {
    case 'ConflictError':
      return 'name';
    case 'NotFoundError':
      return id === targetAgentId ? 'targetAgentId' : agentIds.includes(id ?? '') ? 'agentIds' : '';
    case 'BadUserInputError': {
      const [, field = '', index, part] = path;
      if (!names.includes(field)) return '';
      if (
        field === 'carry' &&
        carry !== null &&
        index !== undefined &&
        ['lastMessages', 'maxTokens', 'variables'].includes(index)
      )
        return `carry.${index}`;
      const ofVariable =
        field === 'variables' && part !== undefined && part in emptyVariableFields && Number(index) < variables.length;
      return ofVariable ? `variables.${index}.${part}` : field;
    }
    default:
      return '';
  }
}

const emptyVariableFields = { name: '', type: '', required: '', description: '', enum: '', default: '' };
