import { spawn } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { briefingOf } from './hook/briefing.ts';
import { endCleared, endIdle } from './hook/ends.ts';
import { Failed, type Server } from './hook/request.ts';
import { formats, type Tool, type Transcript } from './hook/lines.ts';
import { sendNew, type Sending } from './hook/send.ts';
import { isHeldBy, lastSessionOf, workOf } from './hook/session.ts';
import { isTidyDue, log, pruneState, StateFile } from './hook/state.ts';
import { callIsWritten, endingOf, endOfTurn } from './hook/turnEnd.ts';
import { workIn, type Work } from './hook/work.ts';
import { printJson, tell } from './output.ts';

// This file and what it imports is all that a hook loads: it starts before each prompt. No module of the server.

/** The longest wait for Baton at the start and at a prompt. The process itself takes 90 ms (measured): together they are below 300 ms. */
const defaultWaitMs = 150;
/** The import before a handoff. */
const handoffBudgetMs = 5_000;
/** An import in the background. */
const backgroundMs = 120_000;

/** Input of both tools. */
interface HookInput {
  hook_event_name?: unknown;
  transcript_path?: unknown;
  cwd?: unknown;
  tool_name?: unknown;
  tool_use_id?: unknown;
  tool_input?: unknown;
  reason?: unknown;
  last_assistant_message?: unknown;
}

interface Call {
  tool: Tool;
  agent: string;
  server: Server;
  waitMs: number;
  args: string[];
  background: string | undefined;
}

/**
 * Answers one event of a tool, which comes as JSON on standard input. Never fails the tool: without Baton it writes one line to
 * its own log, and sends later what is missing. Returns the exit code; never 2, by which a hook forbids what the tool is about to do.
 */
export async function runHook(args: string[]): Promise<number> {
  const call = callOf(args);
  if (call === null) {
    tell('Wrong arguments: see baton hook --help');
    return 1;
  }
  try {
    if (call.background === undefined) await answer(call, JSON.parse(await readInput()) as HookInput);
    else await sendInBackground(call, JSON.parse(call.background) as Background);
  } catch (error) {
    note(call, error instanceof Failed ? `${error.code}: ${error.message}` : String(error));
  }
  return 0;
}

function callOf(args: string[]): Call | null {
  try {
    const options = {
      agent: { type: 'string' },
      url: { type: 'string' },
      wait: { type: 'string', default: String(defaultWaitMs) },
      background: { type: 'string' },
    } as const;
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [tool, ...more] = positionals;
    const { BATON_URL, PORT, BATON_BASE_PATH, BATON_KEY, BATON_SESSION, BATON_AGENT } = process.env;
    // `baton watch` names the session of its command, with the agent and the server.
    const isWatched = Boolean(BATON_SESSION && BATON_AGENT && BATON_URL);
    const url = (
      (isWatched ? undefined : values.url) ??
      (BATON_URL || `http://127.0.0.1:${PORT || '4000'}${BATON_BASE_PATH ?? ''}`)
    ).replace(/\/+$/, '');
    if ((tool !== 'claude-code' && tool !== 'codex') || more.length > 0 || !/^https?:$/.test(new URL(url).protocol))
      return null;
    const waitMs = Number(values.wait);
    if (!Number.isInteger(waitMs) || waitMs < 1) return null;
    return {
      waitMs,
      tool,
      agent: (isWatched ? BATON_AGENT : values.agent) ?? (tool === 'codex' ? 'codex-1' : 'claude-1'),
      server: { url, key: BATON_KEY },
      args,
      background: values.background,
    };
  } catch {
    return null;
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function answer(call: Call, input: HookInput): Promise<void> {
  const { hook_event_name: event, transcript_path: given, cwd, last_assistant_message: last, reason } = input;
  const folder = realpathSync(typeof cwd === 'string' ? cwd : process.cwd());
  const path = typeof given === 'string' ? given : undefined;
  const work = (): Work => workIn(folder, path);
  /** An import may be long: a process of its own makes it, and the tool goes on. */
  const importNew = (how: Partial<Import>): void => {
    if (path !== undefined && existsSync(path))
      startInBackground(call, { ...nothing, path, folder, ending: null, ...how });
  };
  switch (event) {
    case 'SessionStart':
      await brief(call, work(), event);
      if (isTidyDue()) startInBackground(call, { folder, tidies: true });
      return;
    case 'UserPromptSubmit':
      return brief(call, work(), event);
    case 'PreToolUse':
      return path === undefined ? undefined : beforeCall(call, input, path, folder);
    case 'Stop':
      return importNew({
        turnEnd: path === undefined ? null : sizeOf(path),
        ending: typeof last === 'string' ? endingOf(last) : null,
      });
    case 'PreCompact':
      return importNew({ compacts: true });
    case 'SessionEnd':
      return importNew({ ends: true, clears: reason === 'clear' });
  }
}

/** Null when there is no such file. */
const sizeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.size ?? null;

/** Imports before a handoff tool runs: the Context is read from the log. Says which session the call means, when the model does not. */
async function beforeCall(
  call: Call,
  { tool_name: name, tool_use_id: callId, tool_input: given }: HookInput,
  path: string,
  folder: string,
): Promise<void> {
  const [, tool] = /^mcp__baton__(baton_handoff|baton_note|transfer_to_.*)$/.exec(String(name)) ?? [];
  if (tool === undefined) return;
  const signal = AbortSignal.timeout(handoffBudgetMs);
  try {
    if (tool === 'baton_note') return;
    if (call.tool === 'claude-code' && typeof callId === 'string') await callIsWritten(path, callId);
    await send(call, { ...nothing, path, folder, handsOff: true }, signal);
  } finally {
    await nameSession(call, tool, isObject(given) ? given : {}, workIn(folder, path), signal);
  }
}

/** Gives a call that names no session the one of this folder. Without one Baton says what the call may mean. */
async function nameSession(
  { tool, agent, server }: Call,
  called: string,
  input: Record<string, unknown>,
  work: Work,
  signal: AbortSignal,
): Promise<void> {
  if (input['session'] !== undefined || input['_handoff_session'] !== undefined) return;
  const session = await lastSessionOf(server, work, signal);
  if (session === null || !isHeldBy(agent, session)) return;
  const updatedInput = { ...input, [called.startsWith('baton_') ? 'session' : '_handoff_session']: session.id };
  // Codex takes no other input without this; Claude Code asks the user as ever.
  const decision = tool === 'codex' ? { permissionDecision: 'allow' } : {};
  printJson({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision, updatedInput } });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

async function brief(
  { server, agent, waitMs }: Call,
  work: Work,
  event: 'SessionStart' | 'UserPromptSubmit',
): Promise<void> {
  const { session, waiting } = await workOf(server, agent, work, AbortSignal.timeout(waitMs));
  const additionalContext = briefingOf(agent, session, waiting, event === 'SessionStart');
  if (additionalContext !== null) printJson({ hookSpecificOutput: { hookEventName: event, additionalContext } });
}

interface Import {
  path: string;
  folder: string;
  turnEnd: number | null;
  /** The end of the last message of the turn; null when it is unknown. */
  ending: string | null;
  compacts: boolean;
  ends: boolean;
  /** Whether the conversation ended for good. */
  clears: boolean;
}
const nothing = { turnEnd: null, compacts: false, ends: false, clears: false };

type Background = Import | { folder: string; tidies: true };

function startInBackground({ args }: Call, background: Background): void {
  const child = spawn(
    process.execPath,
    [process.argv[1]!, 'hook', ...args, '--background', JSON.stringify(background)],
    { detached: true, stdio: 'ignore', cwd: background.folder },
  );
  child.on('error', (error) => log(String(error)));
  child.unref();
}

async function sendInBackground(call: Call, background: Background): Promise<void> {
  const signal = AbortSignal.timeout(backgroundMs);
  if (!('tidies' in background)) return sendTurn(call, background, signal);
  pruneState();
  await endIdle(call.server, call.agent, workIn(background.folder), signal);
}

async function sendTurn(call: Call, { ending, ...turn }: Import, signal: AbortSignal): Promise<void> {
  const { path, turnEnd } = turn;
  const file = new StateFile(call.server.url, path);
  let from = 0;
  // After an import of the turn before, which may still run.
  await file.locked(signal, async () => void (from = file.read().from));
  const end = ending === null ? turnEnd : await endOfTurn(path, from, ending);
  await send(call, { ...turn, turnEnd: end, handsOff: false }, signal);
}

async function send(
  call: Call,
  { path, folder, clears, ...how }: Omit<Import, 'ending'> & { handsOff: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { server, agent, tool } = call;
  const transcript: Transcript = { path, format: formats[tool] };
  const sending: Sending = { server, agent, work: workIn(folder, path), transcript, ...how };
  const file = new StateFile(server.url, path);
  await file.locked(signal, async () => {
    const reason = await sendNew(file, sending, signal);
    if (reason !== null) note(call, reason);
    if (clears && sending.work.sessionId === null) await endCleared(server, agent, sending.work, signal);
  });
}

function note({ tool, agent }: Call, text: string): void {
  try {
    log(`${tool} ${agent}: ${text}`);
  } catch {
    // The log cannot be written: nothing is left to do without disturbing the tool.
  }
}
