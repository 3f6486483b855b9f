import { spawn } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { briefingOf, notRecorded, type Told } from './hook/briefing.ts';
import { endCleared, endIdle } from './hook/ends.ts';
import { isPassing, probe, processSilenceMs, StillAway, TooSlow, whileToolWaits } from './hook/reach.ts';
import { type Asked, residentSilenceMs, startsResident, stay } from './hook/resident.ts';
import { Failed, type Server } from './hook/request.ts';
import { formats, type Tool, type Transcript } from './hook/lines.ts';
import { sendNew, type Sending } from './hook/send.ts';
import { confirmNotice, isHeldBy, isTakenOver, lastSessionOf, workOf, type Session } from './hook/session.ts';
import { isTidyDue, log, Memory, pruneState, StateFile } from './hook/state.ts';
import { callIsWritten, endingOf, endOfTurn } from './hook/turnEnd.ts';
import { workIn, type Work } from './hook/work.ts';
import { recordTree, treeDifference, workingTreeIn, type WorkingTree } from './hook/workingTree.ts';
import { printedJson, tell } from './output.ts';

// This file and what it imports is all that a hook loads: it starts before each prompt. No module of the server.

/** The longest wait for Baton until a conversation has its first words, and then at a prompt. */
const firstWaitMs = 2_000;
const promptWaitMs = 1_000;
/** The import before a handoff. */
const handoffBudgetMs = 7_000;
/** An import in the background. */
const backgroundMs = 120_000;
/** A hook and what it starts end by themselves, whatever they wait for. The tool gives a hook before a call 20 s: a starved machine takes 3 s more. */
const lifeMs = { hook: 9_000, background: backgroundMs + 30_000 };

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
  source?: unknown;
}

interface Call {
  tool: Tool;
  agent: string;
  server: Server;
  /** Null: the usual waits, less when Baton is away. */
  waitMs: number | null;
  args: string[];
  background: string | undefined;
  /** Whether a process that answers the next hooks starts afterwards. */
  startsResident: boolean;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The wait for a sign of life of Baton. */
  silenceMs: number;
  /** Resolves when the tool has it. @throws when nothing reads it */
  print: (answer: object) => Promise<void>;
}

/**
 * Answers one event of a tool, which comes as JSON on standard input. Never fails the tool: without Baton it writes one line to
 * its own log, and sends later what is missing. Returns the exit code; never 2, by which a hook forbids what the tool is about to do.
 */
export async function runHook(args: string[]): Promise<number> {
  if (args[0] === 'resident') {
    await stay(answerAsked);
    return 0;
  }
  const { env } = process;
  const call = callOf({ args, env, cwd: process.cwd(), silenceMs: processSilenceMs(), print: printedJson });
  if (call === null) {
    tell('Wrong arguments: see baton hook --help');
    return 1;
  }
  setTimeout(() => process.exit(0), lifeMs[call.background === undefined ? 'hook' : 'background']).unref();
  await orNote(call, async () => {
    if (call.background === undefined) await answer(call, JSON.parse(await readInput()) as HookInput);
    else await sendInBackground(call, JSON.parse(call.background) as Background);
  });
  if (call.startsResident && startsResident()) start(call, ['resident'], '/');
  return 0;
}

/** The same for a hook that another process asks. Null: it starts a process of its own. */
function answerAsked({ input, ...asked }: Asked): Promise<void> | null {
  const call = callOf({ ...asked, silenceMs: residentSilenceMs });
  const event = JSON.parse(input) as HookInput;
  // An import while a call waits takes its processor time.
  if (call === null || event.hook_event_name === 'PreToolUse') return null;
  return orNote(call, () => answer(call, event));
}

async function orNote(call: Call, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof StillAway))
      note(call, error instanceof Failed ? `${error.code}: ${error.message}` : String(error));
  }
}

function callOf({ args, ...from }: Pick<Call, 'args' | 'env' | 'cwd' | 'silenceMs' | 'print'>): Call | null {
  try {
    const options = {
      agent: { type: 'string' },
      url: { type: 'string' },
      wait: { type: 'string' },
      background: { type: 'string' },
      resident: { type: 'boolean', default: false },
    } as const;
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [tool, ...more] = positionals;
    const { BATON_URL, PORT, BATON_BASE_PATH, BATON_KEY, BATON_SESSION, BATON_AGENT } = from.env;
    // `baton watch` names the session of its command, with the agent and the server.
    const isWatched = Boolean(BATON_SESSION && BATON_AGENT && BATON_URL);
    const url = (
      (isWatched ? undefined : values.url) ??
      (BATON_URL || `http://127.0.0.1:${PORT || '4000'}${BATON_BASE_PATH ?? ''}`)
    ).replace(/\/+$/, '');
    if ((tool !== 'claude-code' && tool !== 'codex') || more.length > 0 || !/^https?:$/.test(new URL(url).protocol))
      return null;
    const waitMs = values.wait === undefined ? null : Number(values.wait);
    if (waitMs !== null && (!Number.isInteger(waitMs) || waitMs < 1)) return null;
    return {
      ...from,
      waitMs,
      tool,
      agent: (isWatched ? BATON_AGENT : values.agent) ?? (tool === 'codex' ? 'codex-1' : 'claude-1'),
      server: { url, key: BATON_KEY },
      args: args.filter((arg) => arg !== '--resident'),
      background: values.background,
      startsResident: values.resident,
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
  const { hook_event_name: event, transcript_path: given, cwd, last_assistant_message: last, reason, source } = input;
  const folder = realpathSync(typeof cwd === 'string' ? cwd : call.cwd);
  const path = typeof given === 'string' ? given : undefined;
  const work = (): Work => workIn(folder, path, call.env);
  /** An import may be long: a process of its own makes it, and the tool goes on. */
  const importNew = (how: Partial<Import>): void => {
    if (path !== undefined && existsSync(path))
      startInBackground(call, { ...nothing, path, folder, ending: null, ...how });
  };
  switch (event) {
    case 'SessionStart':
      await brief(call, work(), event, path ?? folder, source !== undefined && source !== 'startup');
      if (path !== undefined) sendLeft(call, work(), path);
      if (isTidyDue()) startInBackground(call, { folder, tidies: true });
      return;
    case 'UserPromptSubmit':
      return brief(call, work(), event, path ?? folder);
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

/** The conversations of a folder that are looked at for what they left. */
const mostLeft = 5;

/** The newest conversation of a folder and branch, and those before of which something is not sent. */
const conversationsOf = ({ server, agent }: Call, { externalId }: Work): Memory<string[]> =>
  new Memory(server.url, `${agent} ${externalId}`, 'left');

/** Sends what earlier conversations left in this folder: a program that was killed ended no turn, and Baton may have been away then. */
function sendLeft(call: Call, work: Work, path: string): void {
  const {
    sessionId,
    workspace: { folder },
  } = work;
  // `baton watch` sends what its commands leave.
  if (sessionId !== null) return;
  const memory = conversationsOf(call, work);
  const left = (memory.read() ?? []).filter(
    (before) => before !== path && (sizeOf(before) ?? 0) > new StateFile(call.server.url, before).read().sentTo,
  );
  memory.write([...left, path].slice(-mostLeft));
  for (const before of left) startInBackground(call, { ...nothing, path: before, folder, ending: null, ends: true });
}

/** Null when there is no such file. */
const sizeOf = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.size ?? null;

/**
 * Imports before a handoff tool runs: the Context is read from the log. Says which session the call means, when the model does not.
 * Forbids a handoff that would lack a part of the log, with the reason.
 */
async function beforeCall(
  call: Call,
  { tool_name: name, tool_use_id: callId, tool_input: given }: HookInput,
  path: string,
  folder: string,
): Promise<void> {
  const [, tool] = /^mcp__baton__(baton_handoff|baton_note|transfer_to_.*)$/.exec(String(name)) ?? [];
  if (tool === undefined) return;
  const handsOff = tool !== 'baton_note';
  const denials = new Memory<Denials | null>(call.server.url, path, 'denied');
  let isRead = !handsOff;
  let session: Session | null = null;
  try {
    await whenReachable(call, folder, handoffBudgetMs, async (signal) => {
      const tree = handsOff ? workingTreeIn(folder, signal, call.env) : null;
      if (handsOff) {
        if (call.tool === 'claude-code' && typeof callId === 'string' && existsSync(path))
          await callIsWritten(path, callId, signal);
        const refusal = await send(call, { ...nothing, path, folder, handsOff }, signal).then((found) => {
          session = found;
          return null;
        }, refusalOf);
        if (refusal !== null) note(call, refusal);
        if (refusal !== null && (await denyOnce(call, denials, refusal))) return;
        denials.write(null);
        isRead = true;
      }
      const input = isObject(given) ? given : {};
      if (tree !== null || namedIn(input) === undefined) {
        session ??= await lastSessionOf(call.server, workIn(folder, path, call.env), signal);
        if (session !== null) await nameSession(call, tool, input, { session, tree }, signal);
      }
    });
  } catch (error) {
    // What is read is handed off, also when the call names no session.
    if (isRead) throw error;
    if (!(error instanceof TooSlow)) {
      if (!(await denyOnce(call, denials, error instanceof Error ? error.message : String(error)))) denials.write(null);
      throw error;
    }
    const file = new StateFile(call.server.url, path);
    const read = file.read().sentTo;
    const before = denials.read() ?? { times: 0, read: -1 };
    if (before.times >= mostDenials && read === before.read) {
      denials.write(null);
      throw error;
    }
    if (!file.isLocked()) startInBackground(call, { ...nothing, path, folder, ending: null });
    const times = read > before.read ? 1 : before.times + 1;
    denials.write({ times, read });
    const size = sizeOf(path) ?? 0;
    const [unit, bytes] = size < 1_000_000 ? ['KB', 1_000] : ['MB', 1_000_000];
    const lacks = `Baton has read ${Math.floor(read / bytes)} of ${Math.ceil(size / bytes)} ${unit} of this conversation, and the next agent would not get the rest`;
    await deny(
      call,
      times < mostDenials
        ? `${lacks}: it reads on. Call the tool again now: the call waits for it.`
        : `${lacks}: it comes no further. Tell the user. To hand off without the rest, call the tool again, with what is missing in the reason.`,
    );
  }
}

/** How often a handoff is forbidden in a row while Baton reads nothing more: each time it waits for its whole time. */
const mostDenials = 12;
interface Denials {
  times: number;
  /** Bytes that were read. */
  read: number;
}

/** Forbids a handoff whose turn cannot be recorded. False: it goes on, since it was forbidden already or that cannot be remembered. */
async function denyOnce(call: Call, denials: Memory<Denials | null>, reason: string): Promise<boolean> {
  if (denials.read() !== null) return false;
  denials.write({ times: mostDenials, read: -1 });
  if (denials.read() === null) return false;
  await deny(
    call,
    `Baton did not record your turn (${reason}): the next agent would not get it. Tell the user. To hand off without it, call the tool again, with what is missing in the reason.`,
  );
  return true;
}

const deny = ({ print }: Call, permissionDecisionReason: string): Promise<void> =>
  print({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
  });

/** The session that a call names. */
const namedIn = (input: Record<string, unknown>): unknown => input['session'] ?? input['_handoff_session'];

/**
 * Gives a call that names no session the one of this folder; without one Baton says what the call may mean. Before a handoff records
 * the state of the folder's files in it.
 */
async function nameSession(
  call: Call,
  called: string,
  input: Record<string, unknown>,
  { session, tree }: { session: Session; tree: Promise<WorkingTree | null> | null },
  signal: AbortSignal,
): Promise<void> {
  const { tool, agent, server } = call;
  const named = namedIn(input);
  if (!isHeldBy(agent, session) || (named !== undefined && named !== session.id)) return;
  const taken = await tree;
  if (taken != null) {
    const problem = await recordTree(server, session.id, taken, signal);
    if (problem !== null) note(call, problem);
  }
  if (named !== undefined) return;
  const updatedInput = { ...input, [called.startsWith('baton_') ? 'session' : '_handoff_session']: session.id };
  // Codex takes no other input without this; Claude Code asks the user as ever.
  const decision = tool === 'codex' ? { permissionDecision: 'allow' } : {};
  await call.print({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision, updatedInput } });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Of a conversation that was resumed, compacted or cleared: it gets its first words again. */
const lost = 'lost';

/** Says what the conversation does not have yet. What could not be asked or printed now is said at the next event. */
async function brief(
  call: Call,
  work: Work,
  event: 'SessionStart' | 'UserPromptSubmit',
  conversation: string,
  isAgain = false,
): Promise<void> {
  const { server, agent } = call;
  const memory = new Memory<Told | typeof lost | null>(server.url, conversation, 'told');
  if (event === 'SessionStart') memory.write(isAgain ? lost : null);
  const remembered = memory.read();
  const before = remembered === lost ? null : remembered;
  const mostMs = before === null ? firstWaitMs : promptWaitMs;
  const answer = await whenReachable(call, work.workspace.folder, mostMs, (signal) =>
    workOf(server, agent, work, event === 'SessionStart' && conversationsOf(call, work).read() === null, signal),
  ).catch((error: unknown) => ({ refusal: refusalOf(error) }));
  // Only who takes work over compares: git takes a while in a large repository.
  const isTaken =
    !('refusal' in answer) &&
    answer.session !== null &&
    answer.session.id !== before?.session &&
    isTakenOver(agent, answer.session);
  const difference = isTaken
    ? treeDifference(answer.session!.workingTree, await workingTreeIn(work.workspace.folder, undefined, call.env))
    : null;
  const problem = 'refusal' in answer ? answer.refusal : memory.problem();
  const briefing =
    'refusal' in answer
      ? null
      : briefingOf(
          agent,
          answer.session,
          answer.waiting,
          answer.notices,
          before?.problem === undefined ? before : null,
          difference,
          remembered === lost,
        );
  const text =
    problem === null ? (briefing?.text ?? null) : problem === before?.problem ? null : notRecorded(agent, problem);
  if (text !== null) await call.print({ hookSpecificOutput: { hookEventName: event, additionalContext: text } });
  memory.write(problem === null ? briefing!.told : { session: null, problem });
  for (const noticeId of problem === null ? briefing!.said : [])
    await whenReachable(call, work.workspace.folder, mostMs, (signal) => confirmNotice(server, noticeId, signal));
}

/** Why Baton does not record the work, of its answer. @throws the reason why it did not answer, which another event may not meet */
function refusalOf(error: unknown): string {
  if (!(error instanceof Failed) || isPassing(error)) throw error;
  return `${error.code}: ${error.message}`;
}

/** Asks for at most `mostMs`, or for the time of `--wait`, whatever Baton does. */
const whenReachable = <Result>(
  call: Call,
  folder: string,
  mostMs: number,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> =>
  call.waitMs === null
    ? whileToolWaits(
        call.server,
        { mostMs, silenceMs: call.silenceMs },
        () => startInBackground(call, { folder, probes: true }),
        ask,
      )
    : inTime(AbortSignal.timeout(call.waitMs), ask);

async function inTime<Result>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  try {
    return await ask(signal);
  } catch (error) {
    throw signal.aborted ? new TooSlow(error) : error;
  }
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

type Background = Import | { folder: string; tidies: true } | { folder: string; probes: true };

const startInBackground = (call: Call, background: Background): void =>
  start(call, [...call.args, '--background', JSON.stringify(background)], background.folder);

function start({ env }: Call, args: string[], cwd: string): void {
  const child = spawn(process.execPath, [process.argv[1]!, 'hook', ...args], {
    detached: true,
    stdio: 'ignore',
    cwd,
    env,
  });
  child.on('error', (error) => log(String(error)));
  child.unref();
}

async function sendInBackground(call: Call, background: Background): Promise<void> {
  const signal = AbortSignal.timeout(backgroundMs);
  if ('probes' in background) return probe(call.server);
  if (!('tidies' in background)) return sendTurn(call, background, signal);
  pruneState();
  await endIdle(call.server, call.agent, workIn(background.folder, undefined, call.env), signal);
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
): Promise<Session | null> {
  const { server, agent, tool } = call;
  const transcript: Transcript = { path, format: formats[tool] };
  const sending: Sending = { server, agent, work: workIn(folder, path, call.env), transcript, ...how };
  const file = new StateFile(server.url, path);
  let session: Session | null = null;
  await file.locked(signal, async () => {
    const sent = await sendNew(file, sending, signal);
    session = sent.session;
    if (sent.refusal !== null) note(call, sent.refusal);
    if (clears && sending.work.sessionId === null) await endCleared(server, agent, sending.work, signal);
  });
  return session;
}

function note({ tool, agent }: Call, text: string): void {
  try {
    log(`${tool} ${agent}: ${text}`);
  } catch {
    // The log cannot be written: nothing is left to do without disturbing the tool.
  }
}
