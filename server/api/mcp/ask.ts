import type { Caller } from '../../core/work.ts';
import type { Ask } from '../engine.ts';
import { Refused } from './result.ts';

/** Where a call comes from: the folder in which the program works, and the Session of the run that started it. */
export interface Place {
  workspaceId: string | null;
  sessionId: string | null;
}

/** Where the work of a Session is done. */
export interface Workspace {
  id: string | null;
  host: string;
  folder: string;
}
export const workspaceFields = 'workspace { id host folder }';

/** Whether work is done where a call comes from. */
export const isHere = ({ place }: Pick<Desk, 'place'>, workspace: Pick<Workspace, 'id'> | null): boolean =>
  (workspace?.id ?? null) === place.workspaceId;

/** The agent of a request and its way to the API. */
export interface Desk {
  /** Null for an analyst that names no agent: it reads everything. */
  agentId: string | null;
  /** Whether the tools that change something are offered. */
  works: boolean;
  place: Place;
  /** Whether the answer to this request is the one that says this notice. */
  saysNotice(noticeId: string): boolean;
  /** @throws Refused */
  query<Data>(document: string, variables?: Record<string, unknown>): Promise<Data>;
  /** Runs a mutation whose field has the alias `answer` and selects `...refusal`. @throws Refused */
  mutate<Data>(document: string, input: Record<string, unknown>): Promise<Data>;
}

/** A mutation whose payload selects these fields; `refusals` selects more of its errors. */
export const mutation = (name: string, payload: string, refusals = ''): string => {
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return `mutation ($input: ${type}Input!) { answer: ${name}(input: $input) { ... on ${type}Payload { ${payload} } ... on Error { code message toolResult { content } } ${refusals} } }`;
};

interface Erroneous {
  code?: string;
  message?: string;
  toolResult?: { content: string } | null;
  /** JSON Schema that the payload does not match. */
  schema?: object;
  /** Agents that the call may name. */
  candidates?: object[];
}

/** Characters of a schema in a refusal. */
const longestSchema = 8_000;
const schemaNote = (schema: object | undefined): string =>
  schema === undefined ? '' : `. It has to match: ${JSON.stringify(schema).slice(0, longestSchema)}`;

export function deskOf(caller: Caller, ask: Ask, place: Place, saysNotice: Desk['saysNotice']): Desk {
  const query = async <Data>(document: string, variables: Record<string, unknown> = {}): Promise<Data> => {
    const { data, errors } = await ask(caller, document, variables);
    const [error] = errors ?? [];
    if (error !== undefined) throw new Refused(inToolWords(error.message), String(error.extensions['code']));
    return data as Data;
  };
  return {
    agentId: caller.agentId,
    works: caller.role !== 'ANALYST',
    place,
    saysNotice,
    query,
    async mutate<Data>(document: string, input: Record<string, unknown>) {
      const { answer } = await query<{ answer: Data & Erroneous }>(document, { input });
      if (answer.code !== undefined)
        throw new Refused(
          `${inToolWords(answer.toolResult?.content ?? answer.message!)}${schemaNote(answer.schema)}`,
          answer.code,
          {
            ...(answer.schema !== undefined && { schema: answer.schema }),
            ...(answer.candidates !== undefined && { candidates: answer.candidates }),
          },
        );
      return answer;
    },
  };
}

/** What refusals advise, in the words of the tools. */
const words: Record<string, string> = {
  acceptHandoff: 'baton_accept',
  rejectHandoff: 'baton_reject',
  advancePipeline: 'baton_handoff with outcome',
  completeSession: 'baton_handoff with outcome COMPLETED',
  failSession: 'baton_handoff with outcome FAILED',
  appendTurn: 'baton_note',
  recordDecision: 'baton_note',
  setTasks: 'baton_note',
  initiateHandoff: 'baton_handoff',
  askPerson: 'baton_ask',
  cancelHandoff: 'baton_reject with its id',
  executeHandoffTool: 'baton_handoff',
  resumeSession: 'an operator has to resume it',
  reassignSession: 'an operator has to move it',
  handoffToolDefinitions: 'tools/list',
  contextVariables: 'variables',
};

const inToolWords = (message: string): string =>
  message.replace(/\b[a-z]+[A-Z][A-Za-z]+\b/g, (word) => (Object.hasOwn(words, word) ? words[word]! : word));
