import type { MessageKind } from '../../../generated/prisma/client.ts';

const kinds: readonly (readonly [MessageKind, RegExp])[] = [
  [
    'STATUS',
    /^\s*(\[Request interrupted by user|<(local-command-(stdout|stderr)|bash-(stdout|stderr)|turn_aborted|user_shell_command|baton_note)\b|Warning: apply_patch was requested via )/,
  ],
  ['SKILL', /^\s*(Base directory for this skill: |<skill\b)/],
  ['SUBTASK', /^\s*<(task-notification|subagent_notification)\b/],
];

/** The kind of a text that Claude Code or Codex wrote in a person's place, by its beginning. */
export const kindOfNotice = (text: string): MessageKind =>
  kinds.find(([, beginning]) => beginning.test(text))?.[0] ?? 'TEXT';
