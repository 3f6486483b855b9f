import type { CarriedMessages, CarriedToolCalls, SavedToolFragment } from '../gql/graphql.ts';

export const messageWords: Record<CarriedMessages, string> = {
  ALL: 'all messages',
  LAST: 'the newest messages',
  HUMAN: "people's messages",
  NONE: 'no messages',
};
export const callWords: Record<CarriedToolCalls, string> = {
  ALL: 'tool calls',
  SUMMARY: 'the number of tool calls',
  NONE: 'no tool calls',
};

export type Carry = NonNullable<SavedToolFragment['carry']>;

/** "the newest 5 messages, no tool calls, files, no tasks, decisions, the variables a and b; at most 2,000 tokens". */
export function carryText({
  messages,
  lastMessages,
  toolCalls,
  files,
  tasks,
  decisions,
  variables,
  maxTokens,
}: Carry): string {
  const parts = [
    messages === 'LAST' && lastMessages != null
      ? `the newest ${lastMessages === 1 ? 'message' : `${lastMessages} messages`}`
      : messageWords[messages],
    callWords[toolCalls],
    files ? 'files' : 'no files',
    tasks ? 'tasks' : 'no tasks',
    decisions ? 'decisions' : 'no decisions',
    variables == null
      ? 'all variables'
      : variables.length === 0
        ? 'no variables'
        : `the variable${variables.length === 1 ? '' : 's'} ${variables.join(', ')}`,
  ];
  return `${parts.join(', ')}${maxTokens == null ? '' : `; at most ${maxTokens.toLocaleString()} tokens`}`;
}
