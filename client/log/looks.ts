import type { MessageKind, MessageRole } from '../gql/graphql.ts';

/** The speaker's label where no agent is named. */
export const roleWords: Record<MessageRole, string> = {
  USER: 'User',
  ASSISTANT: 'Agent',
  SYSTEM: 'System',
  TOOL: 'Tool',
  HANDOFF: 'Handoff',
};

export const kindWords: Record<MessageKind, string> = {
  TEXT: 'Message',
  ERROR: 'Error',
  STATUS: 'Status',
  SKILL: 'Skill',
  SUBTASK: 'Sub-task',
};
