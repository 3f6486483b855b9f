import { isObject } from '../transcripts/transcript.ts';
import type { Item } from './items.ts';
import type { Target } from './target.ts';

/** Not those that name what only the session knew in which they ran: tasks, shells and agents in the background. */
const tools = new Set(
  'Agent AskUserQuestion Bash Edit EnterPlanMode ExitPlanMode Glob Grep MultiEdit NotebookEdit Read Skill Task TodoWrite WebFetch WebSearch Write'.split(
    ' ',
  ),
);

/** A session of Claude Code 2.1: each entry names the one before it. Claude Code shows its model the entries with `isMeta`, and not the user. */
export const claudeCode: Target = {
  hasTool: (name, given) => tools.has(name) && isObject(given),
  // Of 200,000 tokens: the rest is for the instructions, the tools and the work.
  defaultTokens: 120_000,

  begin({ id, title, folder, session }) {
    let count = 0;
    let before: string | null = null;
    const entry = (item: Item, type: 'user' | 'assistant', message: object, more: object = {}): string => {
      count += 1;
      const uuid = `${id.slice(0, 24)}${count.toString(16).padStart(12, '0')}`;
      const fields = {
        parentUuid: before,
        isSidechain: false,
        userType: 'external',
        cwd: folder,
        sessionId: id,
        version: '2.1.197',
        gitBranch: '',
        type,
      };
      before = uuid;
      return JSON.stringify({ ...fields, message, uuid, timestamp: item.at.toISOString(), ...more, baton: item.mark });
    };
    const said = (item: Item, content: string | object[], more: object = {}): string =>
      entry(item, 'user', { role: 'user', content }, more);
    // The name of a model would be used to go on; this one counts no tokens.
    const model = (item: Item, messageId: string, block: object): string =>
      entry(item, 'assistant', {
        id: messageId,
        type: 'message',
        role: 'assistant',
        model: '<synthetic>',
        content: [block],
        stop_reason: null,
        stop_sequence: null,
        usage,
      });

    return {
      head: JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: id, baton: { session } }),
      linesOf(item) {
        if (item.kind === 'user') return [said(item, item.text)];
        if (item.kind === 'note') return [said(item, item.text, { isMeta: true })];
        if (item.kind === 'assistant')
          return [model(item, `msg_baton_${item.mark.message}`, { type: 'text', text: item.text })];
        const { id: callId, name, arguments: input, outcome, message } = item;
        return [
          model(item, message === null ? `msg_baton_c${item.mark.call}` : `msg_baton_${message}`, {
            type: 'tool_use',
            id: callId,
            name,
            input,
          }),
          said(item, [{ type: 'tool_result', tool_use_id: callId, content: outcome.text, is_error: outcome.failed }]),
        ];
      },
    };
  },
};

const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
