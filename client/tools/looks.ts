import type { ToolFormat } from '../gql/graphql.ts';
import type { Look } from '../ui/Badge.tsx';

export const formatWords: Record<ToolFormat, string> = {
  ANTHROPIC: 'Anthropic',
  OPENAI_CHAT: 'OpenAI Chat',
  OPENAI_RESPONSES: 'OpenAI Responses',
  MCP: 'MCP',
};

interface State {
  generated: boolean;
  enabled: boolean;
  archivedAt?: string | null | undefined;
}

/** Where a tool comes from, and why it cannot be called. */
export function looksOf({ generated, enabled, archivedAt }: State): Look[] {
  return [
    generated ? { tone: 'calm', icon: 'bot', word: 'Generated' } : { tone: 'violet', icon: 'user', word: 'Defined' },
    ...(archivedAt != null
      ? [{ tone: 'bad', icon: 'ban', word: 'Archived' } as const]
      : enabled
        ? []
        : [{ tone: 'wait', icon: 'alert', word: 'Target is archived' } as const]),
  ];
}
