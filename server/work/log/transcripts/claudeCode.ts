import { apart, wordsOfRefusal } from '../../context/ownWords.ts';
import { isCursor } from './cursor.ts';
import { maxTasks, type Draft, type Place } from './draft.ts';
import { shortHash } from './lines.ts';
import type { Reader } from './reader.ts';
import {
  fieldsOf,
  instantOf,
  isObject,
  listOf,
  tokensOf,
  type CallEntry,
  type Fields,
  type MessageEntry,
} from './transcript.ts';

const types: ReadonlySet<unknown> = new Set(
  'user assistant system summary progress attachment file-history-snapshot queue-operation permission-mode custom-title ai-title last-prompt pr-link'.split(
    ' ',
  ),
);

const fields = ['sessionId', 'message', 'summary', 'snapshot', 'uuid'];

export const isClaudeCode = (entry: Fields): boolean =>
  types.has(entry['type']) && fields.some((field) => field in entry) && !isCursor(entry);

/** Claude Code writes it when a resumed session ends with words of the user's side. */
const isFiller = ({ model }: Fields, texts: string[]): boolean =>
  model === '<synthetic>' && texts.length === 1 && texts[0] === 'No response requested.';

/** Reads session transcripts of Claude Code: one JSON entry per line. */
export function claudeCodeReader(draft: Draft, sidechainFile: boolean): Reader {
  const list = new TaskList();
  const uuids = new Set<unknown>();
  const tree = new Conversation();
  const queue = new Queue();
  const summaries: Fields[] = [];
  let titled = false;
  let named = false;

  /** A custom title precedes a generated one. */
  function name({ type, customTitle, aiTitle }: Fields): void {
    if (type === 'ai-title' && named) return;
    named ||= type === 'custom-title';
    titled = true;
    draft.name(type === 'custom-title' ? customTitle : aiTitle);
  }

  function user(entry: Fields, place: Place, sidechain: boolean): void {
    const { content } = fieldsOf(entry['message']);
    const blocks = blocksOf(content);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    for (const block of results) {
      const outcome = { text: textOf(block['content']), failed: block['is_error'] === true };
      draft.answer(block['tool_use_id'], outcome, place, (call) => {
        if (!outcome.failed && !sidechain) list.apply(call, entry['toolUseResult'], draft, place);
      });
      const words = outcome.failed && !sidechain ? wordsOfRefusal(outcome.text) : '';
      if (words !== '') tree.answer(entry, draft.addPersonMessage([words], place));
    }
    const texts = textsOf(blocks);
    const mayBeOwn = entry['isMeta'] !== true && entry['isCompactSummary'] !== true && results.length === 0;
    const { own, program } = apart(mayBeOwn ? texts : []);
    // Not from a person: prompts of sub-agents and of `baton watch`, expanded slash commands, output of hooks and interruptions.
    if (sidechain) draft.addMessage('SYSTEM', texts, place, { kind: 'SUBTASK' });
    else if (!mayBeOwn)
      draft.addMessage('SYSTEM', texts, place, entry['isCompactSummary'] === true ? { kind: 'STATUS' } : {});
    else tree.say(entry, said(own, program, place));
  }

  function said(own: string[], program: string[], place: Place): MessageEntry | null {
    const before = queue.delivered(own.join('\n'));
    if (before !== undefined) draft.demote(before);
    const message = own.length > 0 ? draft.addPersonMessage(own, place) : null;
    draft.addMessage('SYSTEM', program, place);
    return message;
  }

  /** The program takes words out of its queue when it gives them to a working agent; older versions write no other entry with them. */
  function queueOperation({ operation, content }: Fields, place: Place): void {
    if (operation === 'enqueue') queue.add(content);
    else if (operation === 'popAll') queue.clear();
    else if (operation === 'dequeue') queue.next(content);
    else if (operation === 'remove') {
      const { own } = apart([queue.next(content)]);
      if (own.length === 0 || isTypedCommand.test(own[0]!)) return;
      const message = draft.addPersonMessage(own, place);
      if (message !== null) queue.deliver(own[0]!, message);
    }
  }

  /** Words of a person that came while the agent worked. */
  function queued({ attachment }: Fields, place: Place): void {
    const { type, prompt, commandMode, origin, isMeta } = fieldsOf(attachment);
    if (type !== 'queued_command' || commandMode !== 'prompt' || isMeta === true) return;
    if ((fieldsOf(origin)['kind'] ?? 'human') !== 'human') return;
    const { own, program } = apart(textsOf(blocksOf(prompt)));
    said(own, program, place);
  }

  function assistant(entry: Fields, place: Place, sidechain: boolean): void {
    const message = fieldsOf(entry['message']);
    const id = typeof message['id'] === 'string' ? message['id'] : `line ${draft.lines[place.line]!.key}`;
    draft.assistant(id);
    const blocks = blocksOf(message['content']);
    draft.counts.thinkingBlocks += blocks.filter(
      ({ type }) => type === 'thinking' || type === 'redacted_thinking',
    ).length;
    // Messages of a sub-agent count as tool output, so that the agent's own last message stays the last.
    const texts = textsOf(blocks);
    const added = draft.addMessage(
      sidechain ? 'TOOL' : isFiller(message, texts) ? 'SYSTEM' : 'ASSISTANT',
      texts,
      place,
      {
        id,
        ...(sidechain
          ? { kind: 'SUBTASK' as const }
          : entry['isApiErrorMessage'] === true && { kind: 'ERROR' as const }),
      },
    );
    if (!sidechain) tree.answer(entry, added);
    for (const block of blocks) {
      if (block['type'] === 'tool_use')
        draft.call(block['id'], block['name'], block['input'], writtenBy(block), place, id);
    }
    const usage = fieldsOf(message['usage']);
    const tokens = {
      inputTokens: tokensOf(usage['input_tokens']),
      outputTokens: tokensOf(usage['output_tokens']),
      cacheCreationInputTokens: tokensOf(usage['cache_creation_input_tokens']),
      cacheReadInputTokens: tokensOf(usage['cache_read_input_tokens']),
    };
    // A sub-agent has its own window.
    if (!sidechain) draft.reportWindow(tokens, place);
    const model =
      typeof message['model'] === 'string' && !message['model'].startsWith('<')
        ? draft.clean.name(message['model'], 'unknown')
        : null;
    draft.setUsage(`message ${id}`, tokens, model, place);
  }

  return {
    knows: ({ type }) => types.has(type),
    typeOf: ({ type }) => type,
    keyOf: ({ sessionId, uuid }) =>
      typeof uuid === 'string' ? shortHash(`${typeof sessionId === 'string' ? sessionId : ''} ${uuid}`) : null,
    at: ({ timestamp }) => instantOf(timestamp),
    read(entry, place) {
      uuids.add(entry['uuid']);
      const sidechain = sidechainFile || entry['isSidechain'] === true;
      if (sidechain) draft.counts.sidechainLines += 1;
      else tree.add(entry, place.at);
      if (entry['type'] === 'user') user(entry, place, sidechain);
      else if (entry['type'] === 'assistant') assistant(entry, place, sidechain);
      else if (entry['type'] === 'attachment' && !sidechain) queued(entry, place);
      else if (entry['type'] === 'queue-operation' && !sidechain) queueOperation(entry, place);
      else if (entry['type'] === 'system' && entry['subtype'] === 'compact_boundary' && !sidechain)
        draft.compact(place);
      else if (entry['type'] === 'custom-title' || entry['type'] === 'ai-title') name(entry);
      else if (entry['type'] === 'summary' && summaries.length < 100) summaries.push(entry);
      // The branch is empty outside a repository, and `HEAD` when none is checked out.
      if (!sidechain)
        draft.setWorkspace(
          { folder: entry['cwd'], branch: entry['gitBranch'] === 'HEAD' ? null : entry['gitBranch'] },
          place,
        );
    },
    end() {
      for (const message of tree.left()) draft.withdraw(message);
      // The file may contain summaries of other sessions.
      const own = titled
        ? undefined
        : summaries.findLast(({ leafUuid }) => leafUuid === undefined || uuids.has(leafUuid));
      if (own !== undefined) draft.name(own['summary']);
    },
  };
}

/** A command of the program without arguments: it runs outside the conversation. */
const isTypedCommand = /^\/[\w:-]+$/;

const maxQueued = 1_000;

/** Words that people typed while the agent worked, in order. */
class Queue {
  #waiting: string[] = [];
  readonly #delivered = new Map<string, MessageEntry>();

  add(content: unknown): void {
    if (typeof content === 'string' && this.#waiting.length < maxQueued) this.#waiting.push(content);
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Takes the given words out of the queue; an operation that names no words takes the oldest. Returns an empty text when nothing waits. */
  next(content: unknown): string {
    const at = typeof content === 'string' ? this.#waiting.indexOf(content) : 0;
    return at < 0 ? String(content) : (this.#waiting.splice(at, 1)[0] ?? '');
  }

  deliver(words: string, message: MessageEntry): void {
    if (this.#delivered.size < maxQueued) this.#delivered.set(words.trim(), message);
  }

  /** The message with these words, once: an entry of their own takes its place. */
  delivered(words: string): MessageEntry | undefined {
    const message = this.#delivered.get(words.trim());
    this.#delivered.delete(words.trim());
    return message;
  }
}

interface Node {
  parent: unknown;
  at: Date | null;
  messages: MessageEntry[];
  isPerson: boolean;
}

/** The tree of the entries: a person who goes back to an earlier message and says something else begins a branch. */
class Conversation {
  readonly #nodes = new Map<unknown, Node>();

  add({ uuid, parentUuid, logicalParentUuid }: Fields, at: Date | null): void {
    if (typeof uuid === 'string')
      this.#nodes.set(uuid, { parent: parentUuid ?? logicalParentUuid, at, messages: [], isPerson: false });
  }

  say(entry: Fields, message: MessageEntry | null): void {
    this.answer(entry, message);
    const node = this.#nodes.get(entry['uuid']);
    if (node !== undefined && message !== null) node.isPerson = true;
  }

  answer({ uuid }: Fields, message: MessageEntry | null): void {
    if (message !== null) this.#nodes.get(uuid)?.messages.push(message);
  }

  /** The messages of branches that were left: of several things said in the same place, the one on the way to the newest entry counts, else the newest. */
  left(): MessageEntry[] {
    const siblings = new Map<unknown, unknown[]>();
    let newest: [unknown, Node] | null = null;
    for (const [uuid, node] of this.#nodes) {
      if (newest === null || (node.at ?? 0) >= (newest[1].at ?? 0)) newest = [uuid, node];
      if (!node.isPerson || typeof node.parent !== 'string') continue;
      const group = siblings.get(node.parent);
      if (group === undefined) siblings.set(node.parent, [uuid]);
      else group.push(uuid);
    }
    const groups = [...siblings.values()].filter((group) => group.length > 1);
    if (groups.length === 0 || newest === null) return [];
    const way = new Set<unknown>();
    for (let at: unknown = newest[0]; this.#nodes.has(at) && !way.has(at); at = this.#nodes.get(at)!.parent)
      way.add(at);
    const gone = new Map<unknown, boolean>();
    for (const group of groups) {
      const time = (uuid: unknown): number => this.#nodes.get(uuid)!.at?.getTime() ?? 0;
      const kept = group.find((uuid) => way.has(uuid)) ?? group.reduce((a, b) => (time(b) >= time(a) ? b : a));
      for (const uuid of group) if (uuid !== kept) gone.set(uuid, true);
    }
    return [...this.#nodes].flatMap(([uuid, { messages }]) => (this.#isGone(uuid, gone) ? messages : []));
  }

  /** Whether an entry comes after one that was left, or is one; remembers it. */
  #isGone(uuid: unknown, gone: Map<unknown, boolean>): boolean {
    const passed: unknown[] = [];
    let at = uuid;
    for (; !gone.has(at) && this.#nodes.has(at); at = this.#nodes.get(at)!.parent) {
      passed.push(at);
      gone.set(at, false);
    }
    const isGone = gone.get(at) ?? false;
    for (const each of passed) gone.set(each, isGone);
    return isGone;
  }
}

const taskTools = new Set(['TodoWrite', 'TaskCreate', 'TaskUpdate']);

/** TodoWrite contains the whole list; newer versions create and update single tasks. */
class TaskList {
  readonly #tasks = new Map<string, { content: unknown; status: unknown }>();

  apply(call: CallEntry, answer: unknown, draft: Draft, place: Place): void {
    const { name, result } = call;
    if (taskTools.has(name))
      draft.useArguments(call, (args) => this.#change(name, fieldsOf(args), result, answer, draft, place));
  }

  #change(name: string, input: Fields, result: string | null, answer: unknown, draft: Draft, place: Place): void {
    if (name === 'TodoWrite') {
      draft.setTasks(
        listOf(input['todos']).map((todo) => ({
          content: fieldsOf(todo)['content'],
          status: fieldsOf(todo)['status'],
        })),
        place,
      );
      return;
    }
    if (name === 'TaskCreate') {
      const { id } = fieldsOf(fieldsOf(answer)['task']);
      const number = typeof id === 'string' ? id : (/#(\w+)/.exec(result ?? '')?.[1] ?? String(this.#tasks.size + 1));
      // Each change lists all tasks.
      if (this.#tasks.size < 2 * maxTasks) this.#tasks.set(number, { content: described(input), status: 'pending' });
    } else {
      const { taskId } = input;
      const id = typeof taskId === 'number' ? String(taskId) : taskId;
      const task = typeof id === 'string' ? this.#tasks.get(id) : undefined;
      if (typeof id !== 'string' || task === undefined) return;
      if (input['status'] === 'deleted') this.#tasks.delete(id);
      else this.#tasks.set(id, { content: input['subject'] ?? task.content, status: input['status'] ?? task.status });
    }
    draft.setTasks([...this.#tasks.values()], place);
  }
}

/** A task with what makes it done. */
function described({ subject, description }: Fields): unknown {
  if (typeof subject !== 'string' || typeof description !== 'string' || description.trim() === '') return subject;
  return description.includes(subject) ? description : `${subject}: ${description}`;
}

const writers = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

function writtenBy({ name, input }: Fields): unknown[] {
  const { file_path, notebook_path } = fieldsOf(input);
  return typeof name === 'string' && writers.has(name) ? [file_path ?? notebook_path] : [];
}

const blocksOf = (content: unknown): Fields[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).filter(isObject);

const textsOf = (blocks: Fields[]): string[] =>
  blocks.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : type === 'image' ? ['[image]'] : [],
  );

const textOf = (content: unknown): string => textsOf(blocksOf(content)).join('\n');
