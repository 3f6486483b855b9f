import type { HandoffPayloadFragment } from '../../gql/graphql.ts';

type LeftOut = NonNullable<HandoffPayloadFragment['leftOut']>;

const words: [keyof LeftOut, string, string][] = [
  ['messages', 'message', 'messages'],
  ['calls', 'tool call', 'tool calls'],
  ['unansweredCalls', 'tool call without an answer', 'tool calls without an answer'],
  ['decisions', 'decision', 'decisions'],
  ['files', 'file', 'files'],
  ['tasks', 'task', 'tasks'],
  ['tools', 'tool', 'tools'],
];

/** "12 messages, 1 decision"; empty when nothing was left out. */
export function leftOutText(left: LeftOut): string {
  const parts = words
    .filter(([key]) => Number(left[key]) > 0)
    .map(([key, one, many]) => `${Number(left[key]).toLocaleString()} ${left[key] === 1 ? one : many}`);
  if (left.shortened > 0)
    parts.push(`the rest of ${left.shortened} shortened ${left.shortened === 1 ? 'item' : 'items'}`);
  return parts.join(', ');
}
