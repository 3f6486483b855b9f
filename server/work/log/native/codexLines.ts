import { ownWords } from '../../context/ownWords.ts';
import { outcomeOf } from '../transcripts/codex.ts';
import { isObject } from '../transcripts/transcript.ts';
import type { Item } from './items.ts';
import type { Target } from './target.ts';

const functions = new Set('exec_command write_stdin shell shell_command update_plan view_image'.split(' '));
const isPatch = (name: string, given: unknown): given is string => name === 'apply_patch' && typeof given === 'string';

/** A rollout of Codex 0.169: items for its model, and events from which it shows the conversation. */
export const codex: Target = {
  hasTool: (name, given) => isPatch(name, given) || (functions.has(name) && isObject(given)),
  // Of 272,000 tokens.
  defaultTokens: 160_000,

  begin({ id, folder, at, session }) {
    const line = ({ at: when, mark }: Pick<Item, 'at'> & { mark: object }, type: string, payload: object): string =>
      JSON.stringify({ timestamp: when.toISOString(), type, payload, baton: mark });
    const message = (item: Item, role: 'user' | 'assistant', text: string): string =>
      line(item, 'response_item', {
        type: 'message',
        role,
        content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
      });
    const meta = {
      id,
      timestamp: at.toISOString(),
      cwd: folder,
      originator: 'baton',
      cli_version: '0.169.0',
      source: 'cli',
    };

    return {
      head: line({ at, mark: { session } }, 'session_meta', meta),
      linesOf(item) {
        if (item.kind === 'note') return [message(item, 'user', item.text)];
        if (item.kind === 'assistant')
          return [
            message(item, 'assistant', item.text),
            line(item, 'event_msg', { type: 'agent_message', message: item.text }),
          ];
        if (item.kind === 'user') {
          const event = line(item, 'event_msg', { type: 'user_message', message: item.text, images: [] });
          return ownWords(item.text) !== ''
            ? [message(item, 'user', item.text), event]
            : [message(item, 'user', item.text)];
        }
        const { id: callId, name, arguments: given, outcome } = item;
        const patch = isPatch(name, given);
        const call = patch
          ? { type: 'custom_tool_call', status: 'completed', call_id: callId, name, input: given }
          : { type: 'function_call', name, arguments: JSON.stringify(given), call_id: callId };
        return [
          line(item, 'response_item', call),
          line(item, 'response_item', {
            type: patch ? 'custom_tool_call_output' : 'function_call_output',
            call_id: callId,
            output: outputOf(outcome),
          }),
        ];
      },
    };
  },
};

/** The text itself when it says whether the call failed, else the text with that. */
function outputOf(outcome: { text: string; failed: boolean }): string {
  const read = outcomeOf(outcome.text);
  return read.text === outcome.text && read.failed === outcome.failed
    ? outcome.text
    : JSON.stringify({ content: outcome.text, success: !outcome.failed });
}
