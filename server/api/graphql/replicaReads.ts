import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { DomainError } from '../../core/errors.ts';
import { observed } from '../../core/observed.ts';
import { callerReads } from './callerReads.ts';
import type { GraphQLContext } from './context.ts';
import { causeOf, hasState } from './errors/away.ts';
import { HeldBytes } from './heldBytes.ts';

/** A read-only copy of the database. */
export interface Copy extends Pick<GraphQLContext, 'pool' | 'prisma'> {
  /** Whether it has everything that was committed before this call. Never rejects. */
  caughtUp(): Promise<boolean>;
  /** The result of a query on it, or null as soon as it is lost. */
  whileFollowed<T>(query: Promise<T> | T): Promise<T | null>;
}

/**
 * Executes queries on a replica that has everything that was committed before the query, else on the primary (rule: replica). A
 * query that fails on the replica is executed again on the primary, unless the time limit of a statement ended it there: the primary is to
 * get no query that is too slow. Mutations, subscriptions and whatever is asked without a plugin (downloads,
 * the archive) never read the replica. Must come after every plugin that replaces the execute function.
 */
export function replicaReads(replica: Copy, { pool, prisma }: Pick<GraphQLContext, 'pool' | 'prisma'>): Plugin {
  /** Queries that lock what they read. */
  const ofPrimary = new WeakSet<DocumentNode>();

  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { document, operationName } = args as unknown as ExecutionArgs;
      if (getOperationAST(document, operationName)?.operation !== OperationTypeNode.QUERY) return;
      const execute = executeFn as (args: ExecutionArgs) => Promise<ExecutionResult> | ExecutionResult;

      setExecuteFn(async (given: ExecutionArgs) => {
        const context = given.contextValue as GraphQLContext;
        if (!ofPrimary.has(document) && (await replica.caughtUp())) {
          const contextValue: GraphQLContext = {
            ...context,
            pool: replica.pool,
            prisma: callerReads({ ...context, prisma: replica.prisma, pool: replica.pool }),
          };
          const result = await replica.whileFollowed(execute({ ...given, contextValue }));
          const causes = result?.errors?.map(causeOf) ?? [];
          if (result !== null && (!causes.some(isOfDatabase) || causes.some((cause) => hasState(cause, cancelled)))) {
            observed('query', pool, { from: 'replica' });
            return result;
          }
          if (causes.some((cause) => hasState(cause, readOnly))) ofPrimary.add(document);
          const held = new HeldBytes(context.held.limit);
          Object.assign(context, { held, prisma: callerReads({ ...context, prisma, held }) });
        }
        observed('query', pool, { from: 'primary' });
        return execute(given);
      });
    },
  };
}

/** By the time limit of a statement, or by an operator of the replica. For a change of the primary PostgreSQL cancels with other codes. */
const cancelled = '57014';
/** PostgreSQL refused a statement that only a primary may execute. */
const readOnly = '25006';

/** Whether the cause is neither a refusal nor a limit, which the primary would give too. */
const isOfDatabase = (cause: unknown): boolean => !(cause instanceof GraphQLError || cause instanceof DomainError);
