import type { IncomingMessage } from 'node:http';
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { processRegularResult } from 'graphql-yoga';
import { parseJson, TooDeep, TooManyValues } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';

export const isJson = (type: string | null | undefined): boolean => /^application\/json\s*(;|$)/i.test(type ?? '');

/** Whether the body is JSON of a known, allowed length and the first type of `Accept` is JSON. */
export function isPlainPost({ method, headers }: IncomingMessage, mostBytes: number): boolean {
  const { 'content-length': length = '', 'content-type': type = '', 'transfer-encoding': chunked, accept } = headers;
  return (
    method === 'POST' &&
    chunked === undefined &&
    /^\d{1,15}$/.test(length) &&
    Number(length) <= mostBytes &&
    isJson(type) &&
    answerType(accept) !== null
  );
}

/** The media type of the answer when the first type of `Accept` is JSON. Null: Yoga chooses. */
function answerType(accept = '*/*'): JsonType | null {
  const [first = ''] = accept.toLowerCase().split(',');
  const [type, ...parameters] = first.replace(/\s/g, '').split(';');
  if (parameters.some((each) => each.includes('charset=') && each !== 'charset=utf-8')) return null;
  if (type === 'application/graphql-response+json') return type;
  return type === 'application/json' || type === 'application/*' || type === '*/*' ? 'application/json' : null;
}

const { most: mostValues } = limits.values;
const tooLong = String(limits.body.json + 1);

/** `body`: null when it was not read, because of the method or type, or not to its end, because it is larger than allowed. */
export function toFetchRequest(
  { url, method = 'GET', headers }: IncomingMessage,
  body: string | null,
  base: string,
  { Request }: { Request: typeof globalThis.Request },
): Request {
  const known = headers as Record<string, string>;
  // Yoga refuses a body that is too large by its length, which a body in chunks does not say.
  const described = body === null && method === 'POST' ? { ...known, 'content-length': tooLong } : known;
  const read = new Request(`${base}${url}`, { method, headers: described, body });
  // Hides the stream, which Yoga would limit, pipe and watch: a tenth of the time of a list.
  Object.defineProperty(read, 'body', { value: null });
  return body === null ? read : Object.defineProperty(read, 'json', { value: () => jsonOf(body) });
}

/** The body as JSON. Yoga takes an object with a member `then` for a promise; it is refused here as Yoga refuses other unknown members. */
function jsonOf(body: string): unknown {
  const sent = shallow(body);
  if (isObject(sent) && 'then' in sent)
    throw new GraphQLError('Unexpected parameter "then" in the request body.', {
      extensions: { code: 'BAD_REQUEST', http: { status: 400, spec: true } },
    });
  return sent;
}

function shallow(body: string): unknown {
  try {
    return parseJson(body, mostValues);
  } catch (error) {
    if (error instanceof TooManyValues)
      throw new GraphQLError(`The request body is ${error.message}: send fewer`, {
        extensions: {
          code: 'LIMIT_EXCEEDED',
          what: 'values',
          limit: error.limit,
          actual: error.limit + 1,
          http: { status: 400, spec: true },
        },
      });
    if (!(error instanceof TooDeep)) throw error;
    throw new GraphQLError(`The request body is ${error.message}: send fewer`, {
      extensions: { code: 'BAD_USER_INPUT', http: { status: 400, spec: true } },
    });
  }
}

/** A valid request of GraphQL over HTTP without further members. */
export interface PlainParams {
  query: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
}

const names = new Set(['query', 'operationName', 'variables', 'extensions']);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object in a body; null for anything else, which Yoga refuses. */
export function objectIn(body: string): Record<string, unknown> | null {
  try {
    const sent: unknown = parseJson(body, mostValues);
    return isObject(sent) ? sent : null;
  } catch {
    return null;
  }
}

/**
 * The query or mutation that was sent, with the document that `read` finds. Null for anything else (wrong types, unknown names,
 * subscriptions): Yoga answers or refuses it. Charges nothing.
 */
export function readParams(
  sent: Record<string, unknown>,
  read: (sent: Record<string, unknown>) => Record<string, unknown>,
): PlainParams | null {
  try {
    const params = read(sent);
    const { query, variables, extensions } = params;
    if (typeof query !== 'string' || query === '' || /\bsubscription\b/.test(query)) return null;
    if ((variables != null && !isObject(variables)) || (extensions != null && !isObject(extensions))) return null;
    return Object.keys(params).every((name) => names.has(name) || params[name] == null)
      ? (params as unknown as PlainParams)
      : null;
  } catch {
    return null;
  }
}

/** The result of Yoga's `getEnveloped` for one request. */
export interface Enveloped {
  schema: GraphQLSchema;
  parse(source: string): DocumentNode;
  validate(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[];
  contextFactory(): object | Promise<object>;
  execute(args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult>;
}

/** Parses, validates and executes a request, as Yoga does. */
export async function executeParams(
  { schema, ...engine }: Enveloped,
  { query, operationName, variables }: PlainParams,
  maskError: (error: unknown) => Error,
): Promise<ExecutionResult> {
  try {
    const document = engine.parse(query);
    const errors = engine.validate(schema, document);
    if (errors.length > 0) return { errors };
    const contextValue = await engine.contextFactory();
    return await engine.execute({ schema, document, contextValue, operationName, variableValues: variables });
  } catch (error) {
    const errors: unknown[] = error instanceof AggregateError ? error.errors : [error];
    return { errors: errors.map((each) => maskError(each) as GraphQLError) };
  }
}

/** The part of `Response` that a text answer needs. */
export class TextAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    readonly body: string,
    { status, headers }: { status: number; headers: Record<string, string> },
  ) {
    this.status = status;
    this.headers = headers;
  }
}

type JsonType = 'application/json' | 'application/graphql-response+json';

/** Yoga's answer for `result`: status, headers and text. */
export const answerOf = (result: ExecutionResult, { headers }: IncomingMessage): TextAnswer =>
  regularAnswer(result, answerType(headers.accept)!);

export function regularAnswer(result: ExecutionResult, type: JsonType): TextAnswer {
  const fetchAPI = { Response: TextAnswer } as unknown as Parameters<typeof processRegularResult>[1];
  return processRegularResult(result as never, fetchAPI, type) as unknown as TextAnswer;
}
