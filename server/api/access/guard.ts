import { isObjectType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { ForbiddenError } from '../../core/errors.ts';
import type { Caller } from '../../core/work.ts';
import type { Access, Roles } from './roles.ts';

interface RequestContext {
  caller: Caller;
}
type Resolve = GraphQLFieldResolver<unknown, RequestContext>;
type Field = GraphQLField<unknown, RequestContext>;

/**
 * Checks the caller's access before each field resolves: the field's `access`, or else its type's. Throws when neither has one.
 * Mutations are not guarded here, since their input is checked first (order of refusals): each calls `demandRole` itself,
 * which `matrix.test.ts` verifies for every mutation and role.
 */
export function guard(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const access = (field.extensions['access'] ?? type.extensions['access']) as Access | undefined;
      if (access === undefined)
        throw new Error(
          `${type.name}.${field.name} has no access: declare beside the field, or its type, who may ask for it`,
        );
      if (access !== 'inherit' && type !== schema.getMutationType())
        protect(field as Field, `${type.name}.${field.name}`, access);
    }
  }
  return schema;
}

function protect(field: Field, name: string, access: 'ownAgent' | Roles): void {
  const demand = (parent: unknown, { caller }: RequestContext): void => {
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

/** Baton itself has no role and may do everything. @throws ForbiddenError when the caller's role is not one of `roles`. */
export function demandRole({ role }: Caller, name: string, roles: Roles): void {
  if (role !== null && !roles.includes(role))
    throw new ForbiddenError(`${name} is not allowed for your role: it requires a key of role ${roles.join(' or ')}`);
}
