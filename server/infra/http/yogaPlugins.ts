import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { CallerRequest } from '../../core/request.ts';
import type { Caller } from '../../core/work.ts';
import { withRequestId } from './named.ts';
import { isJson } from './plainPost.ts';

/** The context of Yoga's hooks: what `answer` passes to it, or a resolver's. */
interface OfCaller {
  caller?: Caller;
}

/** Masks errors before Yoga does, which does not know of what request they are, and puts its id into those that Yoga answers. */
export const maskingErrors = (maskError: (error: unknown, request?: CallerRequest) => Error): Plugin => ({
  onExecute({ args }) {
    const request = (args.contextValue as OfCaller).caller?.request;
    return {
      onExecuteDone({ result, setResult }) {
        if (!(Symbol.asyncIterator in result) && result.errors !== undefined)
          setResult({ ...result, errors: result.errors.map((error) => maskError(error, request) as GraphQLError) });
      },
    };
  },
  onResultProcess({ result, setResult, serverContext }) {
    if (!Array.isArray(result) && !(Symbol.asyncIterator in result))
      setResult(withRequestId(result, (serverContext as OfCaller).caller?.request));
  },
});

/** Refuses bodies that pages of other sites can send without a preflight (forms, plain text). */
export const jsonOnly: Plugin = {
  onRequestParse({ request, endResponse, fetchAPI, serverContext }) {
    if (request.method !== 'POST' || isJson(request.headers.get('content-type'))) return;
    const extensions = { code: 'BAD_REQUEST', requestId: (serverContext as OfCaller).caller?.request?.id };
    endResponse(
      fetchAPI.Response.json(
        { errors: [{ message: 'Send the operation as application/json.', extensions }] },
        { status: 415 },
      ),
    );
  },
};
