import { GraphQLError } from 'graphql';
import { httpStatusOf } from '../../core/httpStatus.ts';
import { parseJson, TooDeep, TooManyValues } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { CallerRequest } from '../../core/request.ts';
import { Turns } from '../../core/turns.ts';
import type { Caller } from '../../core/work.ts';
import { type Body, BrokenOff, readText } from '../../infra/http/body.ts';
import { isOriginAllowed } from '../../infra/http/originCheck.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { badArgument } from '../graphql/input/badArgument.ts';
import { decodeArgs } from '../graphql/input/schemas.ts';
import { demandMutation } from '../graphql/mutation.ts';
import { ProcessorTime } from '../graphql/processorTime.ts';
import { importAgentsInput, runAgentImport } from './mutations.ts';

export interface ImportRouteOptions {
  createContext: (caller: Caller) => GraphQLContext;
  maskError: (error: unknown, request?: CallerRequest) => Error;
  /** Origins whose pages may send files. */
  allowedOrigins: readonly string[];
}

/** GraphQL refuses unknown names by itself; here a misspelt `dryRun` would import. */
const strictInput = importAgentsInput.strict();
const maxBytes = limits.body.definitions;

/**
 * `POST /agents/import`: importAgents with its input as the body, up to 8 MB. Returns the report as JSON, or an error in the
 * form of a GraphQL error. The caller's role is checked before the body is read.
 */
export const importRoute = ({ createContext, maskError, allowedOrigins }: ImportRouteOptions) => {
  const turns = new Turns(limits.uploads);
  return async (
    request: Request,
    caller: () => Promise<Caller>,
    _ask: unknown,
    made: CallerRequest,
    sent: Body,
  ): Promise<Response | undefined> => {
    const url = new URL(request.url);
    if (url.pathname !== '/agents/import') return undefined;
    if (request.method !== 'POST')
      return refusal(made, 405, 'BAD_REQUEST', 'Send the files with POST.', { allow: 'POST' });
    if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
      return refusal(made, 415, 'BAD_REQUEST', 'Send the files as application/json.');
    if (!isOriginAllowed(request.headers.get('origin') ?? undefined, url.origin, allowedOrigins))
      return refusal(made, 403, 'BAD_REQUEST', 'Pages of other origins may not send files.');
    let endTurn: (() => void) | null = null;
    try {
      const context = {
        ...createContext(await caller()),
        processorTime: new ProcessorTime(limits.definitions.processorMs),
      };
      demandMutation(context.caller, 'importAgents');
      endTurn = await turns.take(context.caller.principal);
      if (endTurn === null)
        return refusal(
          made,
          503,
          'UNAVAILABLE',
          'Other files are being imported: nothing was changed, send them again in a moment.',
          { 'retry-after': '5' },
        );
      const body = await readText(sent, maxBytes);
      if (body === null)
        return refusal(
          made,
          413,
          'REQUEST_ENTITY_TOO_LARGE',
          `The files are larger than ${maxBytes} bytes: import them in several requests.`,
        );
      const { report } = await runAgentImport(context, decodeArgs(strictInput, parsed(body)));
      return Response.json(report, { headers: { 'cache-control': 'no-store' } });
    } catch (error) {
      if (error instanceof BrokenOff)
        return refusal(
          made,
          400,
          'BAD_REQUEST',
          'The body ended before the files were complete: nothing was changed, send them again.',
        );
      const masked = maskError(error, made);
      const { http, ...extensions } = masked instanceof GraphQLError ? masked.extensions : {};
      const { headers = {} } = (http ?? {}) as { headers?: Record<string, string> };
      return refusal(made, httpStatusOf(String(extensions['code'])), extensions, masked.message, headers);
    } finally {
      endTurn?.();
    }
  };
};

function parsed(body: string): object {
  try {
    const value: unknown = parseJson(body, limits.definitions.values);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    if (error instanceof TooDeep || error instanceof TooManyValues)
      throw badArgument(`The body is ${error.message}: send fewer`, []);
    // Refused below.
  }
  throw badArgument('The body is not a JSON object: send the input of importAgents', []);
}

const refusal = (
  made: CallerRequest,
  status: number,
  code: string | object,
  message: string,
  headers: Record<string, string> = {},
): Response =>
  Response.json(
    { errors: [{ message, extensions: { ...(typeof code === 'string' ? { code } : code), requestId: made.id } }] },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  );
