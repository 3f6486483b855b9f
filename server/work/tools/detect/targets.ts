import { distance } from 'fastest-levenshtein';
import { meantBy } from '../../agents/meant.ts';
import type { Problem, ProblemCode } from './detection.ts';
import type { Known } from './known.ts';
import { byFoldedName, folded, foldedTitle } from './styles.ts';

export type Target = { agentId: string } | { problem: Problem };

/** At most this many names of one answer get suggestions, since each is compared with all agents. */
const suggestedNames = 20;
const suggestionsEach = 3;
/** The longest name that gets suggestions. Agent ids have at most 52 characters. */
const longestName = 100;

/** Finds the agents that calls name. */
export function createTargets({ agentId, tools, agents }: Known) {
  // Made when the first call needs it: most answers hold no handoff, and there may be thousands of agents.
  let groups: ReadonlyMap<string, Known['agents'][number][]> | undefined;
  const alike = (foldedName: string) => (groups ??= byFoldedName(agents, ({ id }) => id)).get(foldedName) ?? [];
  const offered = new Set(
    tools.flatMap((tool) =>
      tool.enumTargets ? tool.enumTargets.agentIds : tool.targetAgentId === null ? [] : [tool.targetAgentId],
    ),
  );
  const suggested = new Map<string, readonly string[]>();

  const problem = (
    code: ProblemCode,
    message: string,
    path: readonly string[],
    suggestions: readonly string[],
  ): Target => {
    const meant = suggestions.length === 0 ? '' : `: did you mean ${suggestions.map(quoted).join(' or ')}?`;
    return { problem: { code, message: `${message}${meant}`, path, suggestions } };
  };

  function nearest(name: string): readonly string[] {
    const wanted = foldedTitle(name);
    const known = suggested.get(wanted);
    if (known !== undefined) return known;
    if (wanted.length > longestName || suggested.size >= suggestedNames) return [];
    const farthest = Math.max(2, Math.floor(wanted.length / 3));
    const near = agents
      .filter(({ id, archived }) => !archived && id !== agentId && Math.abs(id.length - wanted.length) <= farthest)
      .map(({ id }) => ({ id, away: distance(folded(id), wanted) }))
      .filter(({ away }) => away <= farthest)
      .sort((a, b) => a.away - b.away || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
    // The agents that it may hand off to, if one of them is near.
    const allowed = near.filter((id) => offered.has(id));
    const best = (allowed.length > 0 ? allowed : near).slice(0, suggestionsEach);
    suggested.set(wanted, best);
    return best;
  }

  /** The agent with this id, if the model may hand off to it. */
  function withId(id: string, path: readonly string[] = []): Target {
    const agent = alike(folded(id)).find((each) => each.id === id);
    if (agent === undefined) return problem('UNKNOWN_TARGET', `Agent ${quoted(id)} does not exist`, path, nearest(id));
    if (agent.archived) return problem('ARCHIVED_TARGET', `Agent ${quoted(id)} is archived`, path, nearest(id));
    if (id === agentId)
      return problem('SAME_AGENT', `Agent ${quoted(id)} is the one that called: name another agent`, path, []);
    return { agentId: id };
  }

  /** The agents with this display name, else this role, else this type; of several those that it may hand off to. */
  const otherwise = (name: string, among?: readonly string[]): string[] =>
    name.length > longestName
      ? []
      : meantBy(
          agents.filter(({ id, archived }) => !archived && id !== agentId && (among?.includes(id) ?? true)),
          name,
          ({ id }) => offered.has(id),
          ['name', 'role', 'type'],
        ).map(({ id }) => id);

  /** The one agent that a name means, case and `-`/`_` aside. Archived agents count: their names are never reused. */
  function named(name: string | null, path: readonly string[], among?: readonly string[]): Target {
    if (name === null)
      return problem(
        'MISSING_TARGET',
        path.length === 0
          ? 'The call names no agent'
          : `The argument ${quoted(path[0]!)} names no agent: give the id of one`,
        path,
        [],
      );
    if (among?.includes(name)) return withId(name, path);
    const byId = alike(path.length === 0 ? folded(name) : foldedTitle(name))
      .map(({ id }) => id)
      .filter((id) => among?.includes(id) ?? true);
    const ids = byId.length > 0 ? byId : otherwise(name, among);
    const [id] = ids;
    if (id === undefined) return problem('UNKNOWN_TARGET', `No agent is named ${quoted(name)}`, path, nearest(name));
    return ids.length === 1
      ? withId(id, path)
      : problem('AMBIGUOUS_TARGET', `${quoted(name)} may mean several agents`, path, ids);
  }

  return { withId, named };
}

export const quoted = (name: string): string => (name.length > 60 ? `'${name.slice(0, 60)}...'` : `'${name}'`);
