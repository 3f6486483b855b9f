import { getOperationAST, GraphQLError, OperationTypeNode, type ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { limits } from '../../core/limits.ts';
import { Turns, type TurnLimits } from '../../core/turns.ts';
import type { Caller } from '../../core/work.ts';
import { costOf } from './plugin.ts';

/**
 * Limits concurrent queries of a high cost, fairly between keys: otherwise they could take every database connection. Must
 * come after every plugin that replaces the execute function. Mutations and events of subscriptions never wait.
 */
export function heavyReadsPlugin({ cost, ...chosen }: { cost: number } & TurnLimits = limits.heavyReads): Plugin {
  const turns = new Turns(chosen);
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName, contextValue } = args as unknown as ExecutionArgs & {
        contextValue: { caller: Caller };
      };
      if (
        (costOf(contextValue) ?? 0) < cost ||
        getOperationAST(document, operationName)?.operation !== OperationTypeNode.QUERY
      )
        return;
      const execute = executeFn as (args: ExecutionArgs) => unknown;
      setExecuteFn(async (given: ExecutionArgs) => {
        const end = await turns.take(contextValue.caller.principal);
        if (end === null) return { errors: [noTurn()] };
        try {
          return await execute(given);
        } finally {
          end();
        }
      });
    },
  };
}

const noTurn = (): GraphQLError =>
  new GraphQLError(
    'Other large queries are being answered: nothing was changed, try again in a moment, or ask for smaller pages',
    {
      extensions: { code: 'UNAVAILABLE', http: { status: 503, headers: { 'retry-after': '1' } } },
    },
  );
