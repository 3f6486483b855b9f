import { realpathSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Refused } from '../client/api/request.ts';
import { openStream, StreamError, type EventStream } from '../client/stream/index.ts';
import { commandLine } from '../server/core/place.ts';
import { StartError } from '../server/core/startError.ts';
import { commandError } from './api.ts';
import { readArguments, UsageError, wholeNumber, type Command } from './command.ts';
import { workspaceIn } from './hook/work.ts';
import { isProgram } from './native/toolFolders.ts';
import { requireServer, serverUrl, urlUsage } from './serverUrl.ts';
import { onSignals } from './signals.ts';
import { resumableIn, takesHistory } from './watch/history.ts';
import { reportTo } from './watch/report.ts';
import { Runs } from './watch/runs.ts';
import type { Watched } from './watch/watched.ts';
import { Watcher } from './watch/watcher.ts';

const usage = `${commandLine('watch')} --agent <agent> --exec '<command>' [options]

Takes the handoffs of an agent as they are assigned. For each it accepts, runs the command in a shell with the handoff's
prompt on standard input, and imports the transcript that Claude Code or Codex writes. When the command exits with 0, the
handoff is completed; otherwise it fails with the last lines of the output, and the session goes back. When the model hands
the session off itself, that counts. Several processes may watch for one agent, also on several machines: each handoff runs once.

It takes the work of this folder: of sessions whose workspace is the repository or worktree around it. Of other handoffs a line
says why they are not taken.

  --agent <agent>     the agent
  --exec <command>    the command, such as 'codex exec -' or 'claude -p'
  --any               takes work too of which nobody said in which folder it is done
  --clones            takes work too of other clones and worktrees of this repository; the command is told how they differ
  --parallel <n>      commands that run at once, 1 to 100; default: 1
  --native <program>  claude-code or codex: the command goes on with the log of the session, as a session of that program;
                      none: it begins with the prompt. Default: what the command starts, for 'claude -p' and 'codex exec'
  --once              works on the handoffs that wait now, then ends; exit code 1 when a command failed
  --grace <seconds>   how long SIGTERM and Ctrl-C wait for commands that run; default: 30
  --json              prints a JSON object for each event
${urlUsage}

{resume} in the command becomes what resumes the log in this folder: 'claude {resume} -p', 'codex exec {resume} -'. A command that is
'claude ... -p ...' or 'codex exec ...' and nothing else gets it there by itself. BATON_RESUME has its id, BATON_TRANSCRIPT its file. When there is nothing to resume, a line says why, {resume} becomes nothing,
and the prompt is all that the command gets.

The command gets BATON_URL, BATON_AGENT, BATON_SESSION, BATON_HANDOFF, TRACEPARENT and the environment of this process, with BATON_KEY.
SIGTERM takes nothing more, waits, then stops the commands and fails their handoffs; a second one ends at once. What a
killed process left is resumed or failed by the next one, and no command runs twice.`;

async function run(args: string[]): Promise<void> {
  const { values } = readArguments({
    args,
    options: {
      agent: { type: 'string' },
      exec: { type: 'string' },
      any: { type: 'boolean', default: false },
      clones: { type: 'boolean', default: false },
      parallel: { type: 'string', default: '1' },
      native: { type: 'string' },
      once: { type: 'boolean', default: false },
      grace: { type: 'string', default: '30' },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const { agent, exec: given, native, once } = values;
  if (agent === undefined || given === undefined || given.trim() === '')
    throw new UsageError('Give --agent and --exec.');
  if (native !== undefined && native !== 'none' && !isProgram(native))
    throw new UsageError(`--native is '${native}': give claude-code, codex or none.`);
  if (native === undefined && takesHistory(given))
    throw new UsageError('--exec resumes a session: say with --native of which program it is, claude-code or codex.');
  const found = native === undefined ? resumableIn(given) : null;
  const command = found?.command ?? given;
  const url = serverUrl(values.url);
  const here = workspaceIn(realpathSync('.'));
  const watched = {
    agent,
    command,
    native: found?.native ?? (isProgram(native) ? native : null),
    url,
    key: process.env['BATON_KEY'] || undefined,
    parallel: wholeNumber('--parallel', values.parallel, 1, 100),
    here,
    also: { any: values.any, clones: values.clones },
    runs: new Runs(url, agent, here.id),
    report: reportTo(values.json),
  };
  const graceMs = wholeNumber('--grace', values.grace, 0, 86_400) * 1_000;
  await requireServer(url);
  try {
    await watch(watched, { once, graceMs });
  } catch (error) {
    throw commandError(error, url);
  }
}

const isAway = (error: unknown): error is Refused =>
  error instanceof Refused && (error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED');

/** Looks also without an event: for what a process on this machine left that was killed. */
const lookMs = 30_000;

/** @throws StreamError, Refused; StartError when `once` and a command failed */
async function watch(watched: Watched, { once, graceMs }: { once: boolean; graceMs: number }): Promise<void> {
  const { agent, url, report } = watched;
  const watcher = new Watcher(watched);
  let wake: () => void = () => undefined;
  const stream = once ? null : streamFor(watched, () => wake());
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  const release = onSignals((n) => {
    if (n > 1) {
      watcher.stopCommands('SIGKILL', '');
      process.exit(1);
    }
    stopping.abort();
    watcher.stopTaking();
    stream?.stop();
    wake();
  });
  try {
    await stream?.ready.catch((error: unknown) => {
      if (!(error instanceof StreamError && error.code === 'STOPPED')) throw error;
    });
    const ending = stream === null ? new Promise<void>(() => undefined) : listen(stream, watched, () => wake());
    // It may end while the loop asks for what waits.
    ending.catch(() => undefined);
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const looked = watcher.takeWaiting().catch((error: unknown) => {
        // The stream says when Baton is back.
        if (once || !isAway(error)) throw error;
      });
      await Promise.race([looked, stopped]);
      if (once && watcher.running === 0) break;
      const look = new AbortController();
      await Promise.race([
        woken,
        watcher.oneEnds(),
        ending,
        wait(lookMs, undefined, { signal: look.signal }).catch(() => undefined),
      ]);
      look.abort();
    }
    if (stopping.signal.aborted) {
      await giveBack(watcher, graceMs, report);
      report({ event: 'stopped', text: `${agent} has stopped watching ${url}` });
      // A request to a server that is away would keep the process for a minute.
      process.exit(0);
    }
  } finally {
    stream?.stop();
    release();
  }
  if (watcher.failures > 0)
    throw new StartError(`${watcher.failures} ${watcher.failures === 1 ? 'command' : 'commands'} failed`);
}

function streamFor({ agent, url, key, runs, report }: Watched, wake: () => void): EventStream {
  const after = runs.cursor;
  return openStream({
    url,
    ...(key !== undefined && { key }),
    webSocket: WebSocket,
    topic: { kind: 'handoffAssigned', agentId: agent },
    ...(after !== undefined && { after }),
    // What waits is asked for in any case.
    onExpired: wake,
    onStatus: (status) => {
      if (status.state === 'live') report({ event: 'live', text: `${agent} waits for handoffs at ${url}` });
      if (status.state === 'waiting')
        report({
          event: 'away',
          reason: status.reason,
          text: `lost the server (${status.reason}); next try in ${Math.max(0, status.until - Date.now())} ms`,
        });
      if (status.state === 'live') wake();
    },
  });
}

/** Each event is a reason to look. Ends with the stream. @throws StreamError */
async function listen(stream: EventStream, { runs }: Watched, wake: () => void): Promise<void> {
  for await (const { cursor } of stream) {
    runs.cursor = cursor;
    wake();
  }
}

/** Between SIGTERM and SIGKILL of a command, and for telling Baton afterwards. */
const stopMs = 5_000;

/** Waits for what runs, then stops it and fails its handoffs. What Baton cannot be told now, the next process tells it. */
async function giveBack(watcher: Watcher, graceMs: number, report: Watched['report']): Promise<void> {
  if (watcher.running === 0) return;
  report({
    event: 'stopping',
    text: `waits up to ${graceMs / 1_000} s for ${watcher.running} ${watcher.running === 1 ? 'command' : 'commands'}; a second signal ends at once`,
  });
  if (await endsWithin(watcher, graceMs)) return;
  const reason = `baton watch was stopped, and its command had not ended ${graceMs / 1_000} s later.`;
  watcher.stopCommands('SIGTERM', reason);
  if (await endsWithin(watcher, stopMs)) return;
  watcher.stopCommands('SIGKILL', reason);
  if (await endsWithin(watcher, stopMs)) return;
  report({ event: 'left', text: `${watcher.running} handoffs could not be given back: the next start does it` });
  process.exit(1);
}

async function endsWithin(watcher: Watcher, ms: number): Promise<boolean> {
  const over = new AbortController();
  const isOver = await Promise.race([
    watcher.allEnd().then(() => true),
    wait(ms, false, { signal: over.signal }).catch(() => true),
  ]);
  over.abort();
  return isOver;
}

export const watchCommand: Command = { usage, run };
