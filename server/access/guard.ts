import { isObjectType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { ForbiddenError } from '../core/errors.ts';
import type { Caller } from '../core/work.ts';
import { ruleOf, type Rule } from './policy.ts';

interface Asking {
  caller: Caller;
}
type Resolve = GraphQLFieldResolver<unknown, Asking>;
type Field = GraphQLField<unknown, Asking>;

/**
 * Puts the policy in front of every field, once, when the schema is built; a field without an entry keeps it from being
 * built. Mutations are not guarded here, since their input comes first (rule: order of refusals): each asks `demandMutation` itself, most
 * of them by `run`. `matrix.test.ts` makes every mutation of the schema as every role, and finds one that does not ask.
 */
export function guard(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const rule = ruleOf(type.name, field.name);
      if (rule === undefined) throw new Error(`${type.name}.${field.name} has no entry in server/access/policy.ts: say there who may ask for it`);
      if (rule !== 'inherit' && type !== schema.getMutationType()) protect(field as Field, `${type.name}.${field.name}`, rule);
    }
  }
  return schema;
}

function protect(field: Field, name: string, rule: Exclude<Rule, 'inherit'>): void {
  const demand = (parent: unknown, { caller }: Asking): void => {
    const mayAsk = rule === 'ownAgent' ? caller.role !== 'AGENT' || (parent as { id: string }).id === caller.agentId : includes(rule, caller);
    if (!mayAsk) throw rule === 'ownAgent' ? new ForbiddenError(`${name} is for that agent itself and for people: leave it out`) : refusal(name, rule);
  };
  const before =
    (then: Resolve): Resolve =>
    (parent, args, context, info) => {
      demand(parent, context);
      return then(parent, args, context, info);
    };
  if (field.resolve !== undefined) field.resolve = before(field.resolve);
  if (field.subscribe !== undefined) field.subscribe = before(field.subscribe);
}

/** @throws ForbiddenError when the caller's role may not make this mutation, on whatever record. */
export function demandMutation(caller: Caller, mutation: string): void {
  const rule = ruleOf('Mutation', mutation);
  if (!Array.isArray(rule) || !includes(rule as Exclude<Rule, string>, caller)) throw refusal(mutation, rule as Exclude<Rule, string>);
}

/** Baton itself has no role, and may. */
const includes = (roles: Exclude<Rule, string>, { role }: Caller): boolean => role === null || roles.includes(role);

const refusal = (name: string, roles: Exclude<Rule, string>): ForbiddenError =>
  new ForbiddenError(`${name} is not for your role: it takes a key of role ${roles.join(' or ')}`);
