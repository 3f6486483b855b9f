import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { commandLine } from '../server/core/place.ts';
import { AwayError, StartError } from '../server/core/startError.ts';
import type { ImportReport } from '../server/work/log/importReport.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { chosen, formatSessions, recentSessions, rememberImport } from './native/recentSessions.ts';
import { oneLine, print, printJson, printLine, tell, tellLine, tellOver, tellsOnTerminal } from './output.ts';
import { keyRefused, nothingAnswers, requireServer, serverUrl, urlUsage } from './serverUrl.ts';

const usage = `${commandLine('import [<session id or "new"> <file>]')} [options]

Imports a transcript of Claude Code, Codex, Gemini CLI, OpenCode, Copilot CLI, Cursor CLI or Aider into a session; "new" creates the session.
Without a file it lists the newest sessions of Claude Code and Codex on this machine, and asks on a terminal which one to import
into a new session.

  --agent <id>        the agent that wrote the turns; with "new", also the holder of the new session
  --format <format>   AUTO (default), CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE, COPILOT_CLI, CURSOR_CLI or AIDER
  --sidechain         the whole file is a sub-agent's transcript
  --skip-damaged      leaves out damaged lines, instead of refusing the file
  --title <title>     the title of the new session; default: the transcript's title, or its first request
  --limit <n>         how many sessions to list, 1 to 1000; default: 20
  --json              lists the sessions as JSON
${urlUsage}

Set BATON_KEY where the server requires a key.
Sends the file again, up to 30 times, while Baton is busy (503 with Retry-After).`;

/** Attempts to send a file while Baton is busy. */
const maxTries = 30;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      agent: { type: 'string' },
      format: { type: 'string', default: 'AUTO' },
      sidechain: { type: 'boolean', default: false },
      'skip-damaged': { type: 'boolean', default: false },
      title: { type: 'string' },
      limit: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const [session, file, ...more] = positionals;
  if (session === undefined) return importRecent(values);
  if (file === undefined || more.length > 0 || values.json) throw new UsageError();
  await importFile(session, file, values);
}

interface Options {
  agent?: string | undefined;
  format: string;
  sidechain: boolean;
  'skip-damaged': boolean;
  title?: string | undefined;
  url?: string | undefined;
}

/** Lists the sessions of the programs, and imports the one that a person chooses. */
async function importRecent({ limit, json, ...options }: Options & { limit: string; json: boolean }): Promise<void> {
  if (!/^[1-9]\d{0,2}$|^1000$/.test(limit)) throw new UsageError(`--limit is '${limit}': give a number from 1 to 1000`);
  const { sessions, more } = await recentSessions({ url: serverUrl(options.url), limit: Number(limit) });
  if (json) return printJson(sessions, 2);
  if (sessions.length === 0) return print('Claude Code and Codex have no session on this machine');
  print(formatSessions(sessions, new Date()));
  if (more > 0) print(`${more} older: list more with --limit`);
  if (!process.stdin.isTTY)
    throw new UsageError(`Choose one and import it: ${commandLine('import new <file>')}. --json lists the files`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal
    .question('Number of the session to import, or Enter for none: ')
    .finally(() => terminal.close());
  const choice = chosen(answer, sessions);
  if (choice === undefined) throw new UsageError(`'${answer}' is no number of the list`);
  if (choice !== null) await importFile(choice.exportedFrom ?? 'new', choice.path, options);
}

async function importFile(session: string, file: string, values: Options): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => {
      throw new StartError(`File ${file} does not exist: check the path`);
    },
  );
  const base = serverUrl(values.url);
  await requireServer(base);
  const query = new URLSearchParams({
    format: values.format,
    sidechain: String(values.sidechain),
    skipDamaged: String(values['skip-damaged']),
    ...(values.agent !== undefined && { agentId: values.agent }),
    ...(values.title !== undefined && { title: values.title }),
  });
  const answer = (await sendWithRetries(`${base}/sessions/${encodeURIComponent(session)}/transcript?${query}`, () => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(withProgress(file, size))) as ReadableStream,
    duplex: 'half',
  }))) as ImportReportAsJson;
  rememberImport(base, resolve(file), size);
  if (session === 'new') printLine(`Session ${answer.sessionId} was created`);
  print(formatReport(answer));
}

/** Prints the progress: one updated line on a terminal, else a line per 25 %. */
async function* withProgress(file: string, size: number): AsyncGenerator<Uint8Array> {
  const step = tellsOnTerminal() ? 1 : 25;
  let sent = 0;
  let printed = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    yield chunk;
    sent += chunk.length;
    const percent = Math.floor((sent / Math.max(size, 1)) * 100);
    if (percent < printed + step) continue;
    printed = percent - (percent % step);
    (tellsOnTerminal() ? tellOver : tell)(`sent ${percent} % of ${size} bytes`);
  }
  if (tellsOnTerminal()) tell('');
}

type RequestOptions = RequestInit & { duplex?: 'half' };

interface Failure {
  errors?: { message: string }[];
}

/** Repeats a request that was refused with 503 and Retry-After: such a request changed nothing. */
async function sendWithRetries(url: string, options: () => RequestOptions): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    const response = await send(url, options());
    const body = (await response.json().catch(() => ({}))) as Failure;
    if (response.ok && body.errors === undefined) return body;
    if (response.status === 401) throw keyRefused(new URL(url).origin);
    const message = body.errors?.[0]?.message ?? `Baton answered ${response.status}`;
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (response.status !== 503 || !Number.isFinite(seconds)) throw new StartError(message);
    if (tries === maxTries) throw new AwayError(message);
    tellLine(`${message}. The file is sent again in ${seconds} s (try ${tries + 1} of ${maxTries})`);
    await wait(seconds * 1_000);
  }
}

async function send(url: string, options: RequestOptions): Promise<Response> {
  const key = process.env['BATON_KEY'];
  const headers = {
    ...(options.headers as Record<string, string>),
    ...(key !== undefined && key !== '' && { authorization: `Bearer ${key}` }),
  };
  return fetch(url, { ...options, headers }).catch((error: unknown) => {
    throw nothingAnswers(new URL(url).origin, error);
  });
}

type ImportReportAsJson = Omit<ImportReport, 'firstAt' | 'lastAt'> & {
  sessionId: string;
  firstAt: string | null;
  lastAt: string | null;
};

function formatReport(report: ImportReportAsJson): string {
  const { usage: tokens } = report;
  const pending = report.tasks.filter(({ status }) => status !== 'DONE').length;
  const lines: [string, string][] = [
    ['session', report.sessionId],
    ['format', report.format],
    [
      'lines',
      `${report.lines} (${report.badLines} broken, ${report.hugeLines} of them too long; ${report.alreadyKnown} already imported)`,
    ],
    ['from, to', `${report.firstAt ?? '?'}, ${report.lastAt ?? '?'}`],
    ['entries', counts(report.entryTypes.map(({ type, count }) => [type, count]))],
    ['unknown entries', counts(report.unknownTypes.map(({ type, count }) => [type, count]))],
    [
      'messages',
      `${report.humanMessages} of users, ${report.assistantMessages} of models; ${report.thinkingBlocks} thinking blocks not stored`,
    ],
    ['tool calls', `${counts(report.toolCalls.map(({ name, count }) => [name, count]))}; ${report.toolErrors} failed`],
    ['files modified', report.filesModified.join(', ') || 'none'],
    ['tasks', `${report.tasks.length}, ${pending} not done`],
    [
      'tokens',
      `${tokens.inputTokens} in, ${tokens.outputTokens} out, ${tokens.cacheCreationInputTokens} written to caches, ${tokens.cacheReadInputTokens} read from caches`,
    ],
    ['compactions', String(report.compactions)],
    ['sub-agent lines', String(report.sidechainLines)],
    [
      'added',
      `${report.turnsAdded} turns, ${report.messagesAdded} messages, ${report.toolCallsAdded} tool calls; ${report.resultsFilled} results filled in`,
    ],
    [
      'changed',
      `${report.redactions} secrets redacted, ${report.replacedCharacters} characters replaced, ${report.shortened} values shortened`,
    ],
  ];
  return lines.map(([name, value]) => oneLine(`${`${name}:`.padEnd(20)}${value}`)).join('\n');
}

const counts = (list: [string, number][]): string =>
  list.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';

export const importCommand: Command = { usage, run };
