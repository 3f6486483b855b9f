import type { MessageRole } from '../../../generated/prisma/client.ts';
import { fenceFor, inline, neutralise } from '../../context/neutralise.ts';
import { isSetting } from '../../context/ownWords.ts';
import { abridge } from '../../context/shorten.ts';
import type { Exported } from '../transcripts/transcript.ts';

export interface LogMessage {
  kind: 'message';
  sequence: number;
  role: MessageRole;
  content: string;
  /** Agent of the tenure; null without one. */
  agentId: string | null;
  at: Date;
}

export interface LogCall {
  kind: 'call';
  index: number;
  callId: string;
  name: string;
  arguments: unknown;
  result: string | null;
  error: string | null;
  /** Number of the Message that made the call; null without one. */
  message: number | null;
  agentId: string | null;
}

/** Entries of a Session's log, in its order: a call follows the Message that made it. */
export type LogEntry = LogMessage | LogCall;

/** A call that the target shows its model as one of its own. */
export interface NativeCall {
  kind: 'call';
  id: string;
  name: string;
  arguments: unknown;
  outcome: { text: string; failed: boolean };
  /** Number of the Message that made it; null without one. */
  message: number | null;
}

interface Words<Kind> {
  kind: Kind;
  text: string;
}

/** What a transcript says, whatever its format. A note is said by Baton. */
export type Item = (Words<'user'> | Words<'assistant'> | Words<'note'> | NativeCall) & { at: Date; mark: Exported };

export interface ItemOptions {
  /** Public id of the Session. */
  session: string;
  /** Whether the target has the tool, and takes these arguments. */
  hasTool: (name: string, given: unknown) => boolean;
  /** The longest text, in characters. */
  longest: number;
  /** Time of what comes before the first Message. */
  begin: Date;
}

/** Tools of Baton, as programs name them. */
const ownTool = /^(?:mcp__baton__|baton[./])?(?:baton_(?:inbox|accept|reject|read|note|handoff)|transfer_to_.+)$/;

/** Ids that both programs and their models accept, but for those that are given here. */
const plainId = /^(?!call_baton_)[A-Za-z0-9_-]{1,64}$/;

/** Turns a log into what a transcript says: who says it, calls of other tools as text, and recorded text of programs in quotation. */
export class Items {
  #at: Date;
  #voice: string | null | undefined;
  readonly #ids = new Set<string>();

  constructor(private readonly options: ItemOptions) {
    this.#at = options.begin;
  }

  *of(entry: LogEntry): Generator<Item> {
    if (entry.kind === 'message') {
      this.#at = entry.at;
      if (entry.content.trim() === '') return;
      yield* this.#message(entry);
    } else yield* this.#call(entry);
  }

  note(text: string, { message = null, call = null }: Partial<Exported> = {}): Item {
    return {
      kind: 'note',
      text: `<baton_note>\n${withoutNotes(text)}\n</baton_note>`,
      at: this.#at,
      mark: this.#mark(message, call),
    };
  }

  *#message({ sequence, role, content, agentId }: LogMessage): Generator<Item> {
    const mark = this.#mark(sequence);
    // The target is set up by its own program, and by Baton's prompt.
    if (role === 'SYSTEM' && isSetting(content)) return;
    if (role === 'HANDOFF') {
      yield this.note(`Handoff: ${inline(content)}.`, mark);
      return;
    }
    yield* this.#voiceOf(agentId);
    const text = this.#short(content);
    if (role === 'USER') yield { kind: 'user', text, at: this.#at, mark };
    else if (role === 'ASSISTANT') yield { kind: 'assistant', text, at: this.#at, mark };
    else yield this.note(`${programText[role]}:\n${quoted(text)}`, mark);
  }

  *#call(call: LogCall): Generator<Item> {
    const { index, name, callId, message, result, error, agentId } = call;
    // What they recorded or moved stands in the log itself.
    if (ownTool.test(name)) return;
    yield* this.#voiceOf(agentId);
    const mark = this.#mark(null, index);
    const given = call.arguments;
    const text = this.#short(error ?? result ?? '');
    const isAnswered = error !== null || result !== null;
    const fits = JSON.stringify(given ?? null).length <= this.options.longest;
    if (isAnswered && fits && this.options.hasTool(name, given)) {
      yield {
        kind: 'call',
        id: this.#idOf(callId, index),
        name,
        arguments: given,
        outcome: { text, failed: error !== null },
        message,
        at: this.#at,
        mark,
      };
      return;
    }
    const asked =
      given === null
        ? ''
        : `\nArguments:\n${quoted(this.#short(typeof given === 'string' ? given : JSON.stringify(given)))}`;
    const outcome = isAnswered ? `${error === null ? 'Result' : 'Error'}:\n${quoted(text)}` : 'No result was recorded.';
    yield this.note(`Call of the tool ${JSON.stringify(inline(name))}.${asked}\n${outcome}`, mark);
  }

  /** Says whose words follow, when that changes. */
  *#voiceOf(agentId: string | null): Generator<Item> {
    if (this.#voice === agentId) return;
    this.#voice = agentId;
    yield this.note(
      agentId === null
        ? 'What follows was recorded without an agent.'
        : `What follows was recorded by the agent ${agentId}.`,
    );
  }

  #idOf(callId: string, index: number): string {
    const id = plainId.test(callId) && !this.#ids.has(callId) ? callId : `call_baton_${index}`;
    this.#ids.add(id);
    return id;
  }

  #short(text: string): string {
    return withoutNotes(abridge(text, this.options.longest));
  }

  #mark(message: number | null, call: number | null = null): Exported {
    return { session: this.options.session, message, call };
  }
}

const programText = {
  TOOL: 'Output of a tool or a sub-agent',
  SYSTEM: 'Text of a program, such as instructions, output or a summary; not the words of a user',
};

/** Only Baton writes notes: recorded text neither begins nor ends one. */
const withoutNotes = (text: string): string => text.replace(/<(?=\/?baton_note)/gi, '‹');

/** Recorded text between fences that it cannot close. */
function quoted(text: string): string {
  const safe = neutralise(text);
  const fence = fenceFor([safe]);
  return `${fence}\n${safe}\n${fence}`;
}
