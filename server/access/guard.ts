import { isObjectType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { ForbiddenError } from '../core/errors.ts';
import type { Caller } from '../core/work.ts';
import type { Access, Roles } from './roles.ts';

interface Asking {
  caller: Caller;
}
type Resolve = GraphQLFieldResolver<unknown, Asking>;
type Field = GraphQLField<unknown, Asking>;

/**
 * Asks before every field whether the caller may. What a field does not say in its `access`, its type says for it; without
 * either the schema is not built. Mutations are not guarded here, since their input comes first (order of refusals): each
 * calls `demandRole` itself. `matrix.test.ts` makes every mutation as every role, and finds one that does not.
 */
export function guard(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const access = (field.extensions['access'] ?? type.extensions['access']) as Access | undefined;
      if (access === undefined) throw new Error(`${type.name}.${field.name} has no access: declare beside the field, or its type, who may ask for it`);
      if (access !== 'inherit' && type !== schema.getMutationType()) protect(field as Field, `${type.name}.${field.name}`, access);
    }
  }
  return schema;
}

function protect(field: Field, name: string, access: 'ownAgent' | Roles): void {
  const demand = (parent: unknown, { caller }: Asking): void => {
    if (access !== 'ownAgent') return demandRole(caller, name, access);
    if (caller.role === 'AGENT' && (parent as { id: string }).id !== caller.agentId) {
      throw new ForbiddenError(`${name} is readable only by that agent and by people: leave it out`);
    }
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

/** Baton itself has no role, and may. @throws ForbiddenError when the caller's role may not ask for it, on whatever record. */
export function demandRole({ role }: Caller, name: string, roles: Roles): void {
  if (role !== null && !roles.includes(role)) throw new ForbiddenError(`${name} is not allowed for your role: it requires a key of role ${roles.join(' or ')}`);
}
