import { abridge, shorten } from '../shorten.ts';
import { bodyOf } from './actions.ts';
import { membersIn } from './json.ts';
import { fieldsOf, type RecordedMessage, type RecordedReport } from './log.ts';
import { isAccount, withoutOpening } from './talk.ts';

/** What another agent reported to the one that gave it a part of the work. */
export interface Report {
  /** What it was asked for. */
  job: string;
  text: string;
  /** Whether the log holds a longer text. */
  shortened: boolean;
  callId: string;
  /** The call in the log. */
  toolCallId: string;
  /** Whether the agent gave an account since. */
  older?: true;
}

const jobCharacters = 80;
const reportCharacters = 3_000;
/** Of one before an account, which may tell most of it. */
const olderCharacters = 1_000;
const onlyBegins = 'said only that it begins, and reported nothing';
/** Starts another agent whose report comes later, or says nothing in words. */
const leastWords = 4;
const started = /^(?:Async agent launched|Agent (?:launched|started|spawned)|Command running in background)\b/i;
/** What the program adds for the agent that called. */
const added =
  /^agentId: \S+.*$|^<usage>[^]*?(?:<\/usage>|$)|^tool_uses: \d+$|^duration_ms: \d+<\/usage>$|^<task_metadata>[^]*?(?:<\/task_metadata>|$)/gm;

/**
 * Reports of sub-agents that no message tells, oldest first. Of one before an account the beginning is told; an account is a message that
 * says more than the agent's next step.
 */
export function reportsOf(
  reports: readonly RecordedReport[],
  messages: readonly RecordedMessage[],
  tells: (text: string) => boolean,
): Report[] {
  const accounts = messages
    .filter(({ role, content }) => role === 'ASSISTANT' && isAccount(content))
    .map(({ sequence }) => sequence);
  const newest = Math.max(0, ...accounts);
  const told = new Map<string, Report>();
  for (const { id, callId, sequence, name, arguments: given, outcome, failed, cut } of reports) {
    const said = textOf(outcome);
    const isOlder = newest > sequence;
    const begins =
      said === '' && !/^\s*[{[]/.test(bodyOf(outcome)) && bodyOf(outcome).split(/\s+/).length >= leastWords;
    if (!begins && (said.split(/\s+/).length < leastWords || started.test(said) || tells(said))) continue;
    const text = begins ? onlyBegins : abridge(said, isOlder ? olderCharacters : reportCharacters);
    told.set(begins ? callId : said, {
      job: jobOf(name, given),
      text: failed ? `failed: ${text}` : text,
      shortened: !begins && (cut || text !== said),
      callId,
      toolCallId: id,
      ...(isOlder && { older: true }),
    });
  }
  return [...told.values()];
}

/** Without the call's frame; of JSON its longest text. */
function textOf(outcome: string): string {
  const body = bodyOf(outcome).replace(added, '').trim();
  if (!/^[{[]/.test(body)) return withoutOpening(body);
  const [longest = ''] = membersIn(body)
    .map(({ value }) => value.trim())
    .sort((a, b) => b.length - a.length);
  return withoutOpening(longest);
}

/** Its name, or what was asked when that is as short as a name; a longer order says nothing that the report does not. */
function jobOf(name: string, given: unknown): string {
  const fields = fieldsOf(given);
  const textIn = (names: readonly string[], most: number): string | undefined =>
    names
      .map((field) => fields[field])
      .find((value): value is string => typeof value === 'string' && value.trim() !== '' && value.length <= most);
  const job =
    textIn(['description', 'title', 'task_name'], Infinity) ??
    textIn(['objective', 'message', 'prompt', 'task', 'query', 'request'], jobCharacters) ??
    textIn(['subagent_type', 'agent_type'], Infinity) ??
    name;
  return shorten(job.replace(/\s+/g, ' ').trim(), jobCharacters);
}
