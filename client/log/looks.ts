import type { MessageRole } from '../gql/graphql.ts';

/** The speaker's label where no agent is named. */
export const roleWords: Record<MessageRole, string> = {
  USER: 'User',
  ASSISTANT: 'Agent',
  SYSTEM: 'System',
  TOOL: 'Tool',
  HANDOFF: 'Handoff',
};
