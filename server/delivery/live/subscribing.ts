import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Caller } from '../../core/work.ts';
import type { Params } from '../../infra/limits/plugin.ts';
import type { SocketServer } from './sockets.ts';

// What live delivery needs of the floors above it, and gives to them: types only.

/** What live delivery reads of the context of resolvers. */
export interface SubscriberContext {
  caller: Caller;
  /** `exceeded`: why an execution held too much, and its result is not sent. */
  held: { readonly exceeded: GraphQLError | null };
}

/** Runs operations of sockets with the same limits and plugins as HTTP. */
export interface SocketOperations {
  /** Prepares one request. @throws GraphQLError; `parse` throws one too, or an AggregateError of several. */
  ask(
    caller: Caller,
    request: Record<string, unknown>,
  ): {
    params: Params;
    /** Context value for `execute`. */
    context: object;
    schema: GraphQLSchema;
    parse(source: string): DocumentNode;
    validate(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[];
  };
  execute(args: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult;
}

/** What sockets need of the server. */
export interface SocketEngine extends SocketOperations {
  /** Identifies the caller. Rejects as `authenticate` does, and with RATE_LIMITED after too many failed logins of the address. */
  identify(address: string, authorization: string | undefined): Promise<Caller>;
}

/** Subscriptions, over sockets and as Server-Sent Events. */
export interface AppLive {
  plugin: Plugin;
  /** Number of groups of subscribers that share results. */
  readonly groups: number;
  readonly openSockets: number;
  sockets(engine: SocketEngine): SocketServer;
  /** Ends all streams, so that their HTTP answers end. */
  endStreams(): Promise<void>;
  /** Unavailable services that this server can do without. */
  degraded(): string[];
}
