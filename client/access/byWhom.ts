import type { Role } from '../gql/graphql.ts';

interface Actor {
  role?: Role | null | undefined;
  name?: string | null | undefined;
}

const roles: Record<Role, string> = {
  AGENT: 'the agent',
  OPERATOR: 'an operator',
  ANALYST: 'an analyst',
  ADMIN: 'an admin',
};

/** Who acted: a person by the name of the key, without one by the role; null when it is not known. */
export function actorText(actor: Actor | null | undefined): string | null {
  if (actor == null) return null;
  const { role, name } = actor;
  if (role == null) return 'Baton';
  return role === 'AGENT' ? roles.AGENT : (name ?? roles[role]);
}

export function byWhom(actor: Actor | null | undefined): string | null {
  const text = actorText(actor);
  return text === null ? null : `by ${text}`;
}
