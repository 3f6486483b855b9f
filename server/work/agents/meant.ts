import { foldedTitle } from '../tools/detect/styles.ts';

interface Named {
  id: string;
  name?: string | null;
  role?: string | null;
  type?: string;
}

/** Of letters with accents, all forms and cases are one. A sign that only looks like an ASCII letter stays another. */
const plain = (text: string): string =>
  foldedTitle(text)
    .replace(/\P{M}\p{M}+/gu, (letter) => letter.normalize('NFC'))
    .replace(/[^\0-\x7f\u212a\u0130]/g, (letter) => letter.toLowerCase());

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
