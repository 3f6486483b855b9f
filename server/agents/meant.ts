import { foldedTitle } from '../tools/detect/styles.ts';

interface Named {
  id: string;
  name?: string | null;
  role?: string | null;
  type?: string;
}

/** Letters of all languages: a name leads nowhere unless one agent alone has it. */
const plain = (text: string): string => foldedTitle(text).toLowerCase();

/**
 * The agents that a text means: those with this id, else this display name, else this role, else this type; case, `-`, `_`
 * and spaces aside. Of several, those that are preferred. Pure.
 */
export function meantBy<Agent extends Named>(
  agents: readonly Agent[],
  text: string,
  isPreferred: (agent: Agent) => boolean,
  by: readonly ('id' | 'name' | 'role' | 'type')[] = ['id', 'name', 'role', 'type'],
): Agent[] {
  const wanted = plain(text);
  for (const name of by) {
    const found = agents.filter((agent) => agent[name] != null && plain(agent[name]) === wanted);
    const exact = found.filter((agent) => agent[name] === text);
    const preferred = found.filter(isPreferred);
    if (name === 'id' && exact.length === 1) return exact;
    if (found.length > 0) return preferred.length > 0 ? preferred : found;
  }
  return [];
}
