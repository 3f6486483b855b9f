import { setTimeout as wait } from 'node:timers/promises';
import { resolve } from 'node:path';
import { WebSocket } from 'ws';
import { Refused, type Api } from '../client/api/request.ts';
import { openStream } from '../client/stream/index.ts';
import { commandLine } from '../server/core/place.ts';
import { StartError } from '../server/core/startError.ts';
import { demandWhole, sendDefinitions } from './agents.ts';
import { withApi } from './api.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { rootsOf } from './definitionFiles.ts';
import { print, printJson, printLine, tellLine } from './output.ts';
import { beginSession, type Beginner } from './run/beginSession.ts';
import { endTenure } from './run/ends.ts';
import { chainOf, decideAt, Follower, type Followed } from './run/follow.ts';
import { readModelsFile } from './run/modelsFile.ts';
import { Runner, type Served } from './run/runner.ts';
import { newRunnerId } from './run/runnerId.ts';
import { Secrets } from './run/secrets.ts';
import { servedAgents } from './run/served.ts';
import { serverUrl, urlUsage } from './serverUrl.ts';
import { onSignals } from './signals.ts';

const usage = `${commandLine('ask "<request>"')} [options]

Creates a session for the request, gives it to the agent that suits best, works for the agents that no other runner works for,
shows the conversation as it grows, and ends with the result.

  --agent <agent>     the agent that begins; default: the best of those whose model is known here
  --pipeline <name>   a pipeline that the session goes through, instead
  --agents <folder>   imports the definitions of this folder first; one of them begins
  --models <file>     the models, in YAML or JSON; default: BATON_MODELS
  --folder <folder>   where the tools work, and where scripts of answers are; default: this folder
  --json              prints { session, status, result, reason, chain, usage } at the end, and nothing before
${urlUsage}

It waits while a person has to approve a handoff or to answer; with --json a question ends it. Ctrl-C pauses the session, unless it
waits for a person. Exit code 0: completed. 1: failed, cancelled, paused, or refused. 2: wrong arguments. 75: Baton does not answer.`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      agent: { type: 'string' },
      pipeline: { type: 'string' },
      agents: { type: 'string' },
      models: { type: 'string' },
      folder: { type: 'string', default: '.' },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const [request = '', ...more] = positionals;
  if (request.trim() === '' || more.length > 0) throw new UsageError('Give one request, in quotation marks.');
  if (values.agent !== undefined && values.pipeline !== undefined)
    throw new UsageError('Give --agent or --pipeline, not both.');
  const url = serverUrl(values.url);
  const settings = {
    file: readModelsFile(values.models ?? (process.env['BATON_MODELS'] || undefined)),
    folder: resolve(values.folder),
    env: process.env,
    secrets: new Secrets(),
  };
  await withApi(url, async (ask) => {
    const team = values.agents === undefined ? null : await importTeam(values.agents, url);
    const { served, problems, hints } = await servedAgents(ask, [], settings);
    const ofTeam = ({ id }: { id: string }): boolean => team === null || team.includes(id);
    for (const text of [...problems, ...hints].filter((each) => ofTeam({ id: agentIn(each) }))) tellLine(text);
    const show = values.json ? () => undefined : printLine;
    const { id: sessionId, choice } = await beginSession(
      ask,
      request,
      beginnerOf(values, served.filter(ofTeam), problems),
    );
    if (choice !== null)
      show(`${choice.agent.id} begins, ahead of the next by ${choice.confidence.toFixed(2)}: ${choice.explanation}`);
    show(`session ${sessionId}`);
    await follow(ask, { url, sessionId, served, problems, show, isJson: values.json, secrets: settings.secrets });
  });
}

/** Imports the definitions of a folder and returns their agents. @throws StartError */
async function importTeam(folder: string, url: string): Promise<string[]> {
  const report = await sendDefinitions(await rootsOf([folder]), { url, type: undefined, dryRun: false });
  demandWhole(report);
  return report.agents.map(({ id }) => id);
}

/** The agent that a problem or hint is about. */
const agentIn = (text: string): string => /^Agent '([^']+)'/.exec(text)?.[1] ?? '';

/** @throws StartError when there is no agent to choose, or none that can work here */
function beginnerOf(
  { agent, pipeline }: { agent?: string | undefined; pipeline?: string | undefined },
  served: readonly Served[],
  problems: readonly string[],
): Beginner {
  if (pipeline !== undefined) return { pipeline };
  if (agent !== undefined) {
    const problem = problems.find((text) => agentIn(text) === agent);
    if (problem !== undefined) throw new StartError(problem);
    return { agentId: agent };
  }
  if (served.length === 0)
    throw new StartError(
      'No agent has a model that is known here: give a definition one, such as anthropic/claude-sonnet-4-5, and import it with --agents',
    );
  return { choose: true, chooseFrom: served.map(({ id }) => id) };
}

interface Following {
  url: string;
  sessionId: string;
  served: readonly Served[];
  problems: readonly string[];
  show: (line: string) => void;
  isJson: boolean;
  secrets: Secrets;
}

const lookMs = 2_000;
/** How long a Session may wait for an agent that nothing works for here. */
const strandedMs = 5_000;

/** Works on the Session until it ends. @throws StartError when it ends without a result */
async function follow(ask: Api, { url, sessionId, served, problems, show, isJson, secrets }: Following): Promise<void> {
  const runner = new Runner({
    ask,
    runnerId: newRunnerId(),
    parallel: 1,
    maxSteps: 40,
    onLimit: 'pause',
    secrets,
    sessionId,
    report: (line) => {
      if (line.event === 'retry' || line.event === 'failed') tellLine(line.text);
    },
  });
  runner.serve(served);
  const key = process.env['BATON_KEY'] || undefined;
  let wake: () => void = () => undefined;
  const stream = openStream({
    url,
    ...(key !== undefined && { key }),
    webSocket: WebSocket,
    topic: { kind: 'sessionUpdated', sessionIds: [sessionId] },
    onExpired: () => undefined,
  });
  const stopping = new AbortController();
  const release = onSignals((n) => {
    if (n > 1) process.exit(1);
    stopping.abort();
    // The Session pauses, so that nothing more could be recorded.
    runner.stop({ atOnce: true });
    wake();
  });
  const listening = (async () => {
    for await (const _ of stream) {
      runner.wake();
      wake();
    }
  })();
  listening.catch(() => undefined);
  const working = runner.work(lookMs);
  try {
    const follower = new Follower(ask, { sessionId, url }, show);
    const followed = await untilEnd(follower, working, {
      stopping: stopping.signal,
      woken: () => new Promise((resolve) => (wake = resolve)),
      isDone: ({ status, agent, question }) =>
        status !== 'RUNNING' && (status !== 'PAUSED' || (agent !== null && (question === null || isJson))),
      isStranded: ({ agent, agentSession, approval }) =>
        approval === null &&
        (agent === null || (!served.some(({ id }) => id === agent.id) && !isClaimed(agentSession))),
    });
    runner.stop();
    if (followed !== null) return await printEnd(ask, { sessionId, url }, followed, { isJson, problems });
    await pause(ask, sessionId, `${commandLine('ask')} was stopped`);
    throw new StartError(
      `Paused: resume it at ${url}/sessions/${sessionId} while ${commandLine('run')} works for its agents`,
    );
  } finally {
    runner.stop();
    stream.stop();
    release();
    await working;
  }
}

const isClaimed = (tenure: Followed['agentSession']): boolean =>
  tenure?.claim != null && new Date(tenure.claim.until) > new Date();

/** The Session when it has ended or nobody works on it, as one that waits for a person; null when this process is stopped in other work. */
async function untilEnd(
  follower: Follower,
  working: Promise<void>,
  {
    stopping,
    woken,
    isDone,
    isStranded,
  }: {
    stopping: AbortSignal;
    woken: () => Promise<void>;
    isDone: (followed: Followed) => boolean;
    isStranded: (followed: Followed) => boolean;
  },
): Promise<Followed | null> {
  let strandedSince: number | null = null;
  for (;;) {
    const next = woken();
    const isStopping = stopping.aborted;
    // What was under way may have asked a person.
    if (isStopping) await working;
    const followed = await follower.look();
    if (isDone(followed)) return followed;
    if (isStopping) return followed.approval === null ? null : followed;
    strandedSince = isStranded(followed) ? (strandedSince ?? Date.now()) : null;
    if (strandedSince !== null && Date.now() - strandedSince > strandedMs) return followed;
    const look = new AbortController();
    await Promise.race([
      next,
      // It ends only with an error before it is stopped.
      working.then(() => next),
      wait(lookMs, undefined, { signal: look.signal }).catch(() => undefined),
    ]);
    look.abort();
  }
}

/** Unless it has ended meanwhile. */
async function pause(ask: Api, sessionId: string, reason: string): Promise<void> {
  await endTenure(ask, 'pause', { sessionId, reason }).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
  });
}

/** @throws StartError when there is no result */
async function printEnd(
  ask: Api,
  { sessionId, url }: { sessionId: string; url: string },
  { status, result, endReason, pauseReason, agent, question, approval, usage }: Followed,
  { isJson, problems }: { isJson: boolean; problems: readonly string[] },
): Promise<void> {
  const problem =
    status === 'RUNNING' && approval === null ? problems.find((text) => agentIn(text) === agent?.id) : undefined;
  // Another runner, with the key of another project, is not to find it.
  if (problem !== undefined) await pause(ask, sessionId, problem);
  if (isJson) {
    const reason = problem ?? endReason ?? pauseReason;
    const chain = await chainOf(ask, sessionId);
    printJson(
      { session: sessionId, status: problem === undefined ? status : 'PAUSED', result, reason, chain, usage },
      2,
    );
  }
  if (status === 'COMPLETED') {
    if (!isJson) print(`\n${typeof result === 'string' ? result : JSON.stringify(result, null, 2)}`);
    return;
  }
  if (status !== 'RUNNING' && status !== 'PAUSED')
    throw new StartError(`The session is ${status}${endReason === null ? '' : `: ${endReason}`}`);
  if (agent === null) throw new StartError(`The session waits for an agent: look at ${sessionId} in the dashboard`);
  const page = `${url}/sessions/${sessionId}`;
  if (question !== null) {
    const options = question.options === null ? '' : ` (${question.options.join(' / ')})`;
    throw new StartError(
      `'${agent.id}' asks a person: ${question.text}${options}\nAnswer at ${decideAt({ url, sessionId })}; then ${commandLine(`run ${agent.id}`)} goes on`,
    );
  }
  if (approval !== null)
    throw new StartError(
      `The session waits for a person to approve a handoff of '${agent.id}'.\nDecide at ${decideAt({ url, sessionId })}; then ${commandLine('run')} goes on, for the agent that has the session`,
    );
  if (status === 'PAUSED')
    throw new StartError(
      `The session is paused${pauseReason === null ? '' : `: ${pauseReason.replace(/^paused: /, '')}`}. Resume it at ${page} while ${commandLine(`run ${agent.id}`)} works`,
    );
  throw new StartError(
    problem ??
      `Nothing works for '${agent.id}': give its definition a model, or start its program; the session waits for it`,
  );
}

export const askCommand: Command = { usage, run };
