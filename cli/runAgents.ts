import { resolve } from 'node:path';
import { WebSocket } from 'ws';
import { createApi, type Api } from '../client/api/request.ts';
import { openStream, type EventStream } from '../client/stream/index.ts';
import { commandLine } from '../server/core/place.ts';
import { StartError } from '../server/core/startError.ts';
import { commandError } from './api.ts';
import { readArguments, UsageError, wholeNumber, type Command } from './command.ts';
import { readModelsFile } from './run/modelsFile.ts';
import { reportTo, type Report } from './run/report.ts';
import { Runner } from './run/runner.ts';
import { newRunnerId } from './run/runnerId.ts';
import { Secrets } from './run/secrets.ts';
import { servedAgents, type Settings } from './run/served.ts';
import { requireServer, serverUrl, urlUsage } from './serverUrl.ts';
import { onSignals } from './signals.ts';
import { patient } from './watch/patience.ts';

const usage = `${commandLine('run [agent...]')} [options]

Works for the named agents, or for all whose definition names a model that is known here: takes the sessions that they are
given, calls the model, runs its tools, records each step, and hands off or finishes as the model says. Prints one line for each step.

Several processes may run for one agent, also on several machines: each tenure is worked on by one of them. What a killed
process left is gone on with by the next one. Work that another program records for an agent, such as Claude Code, is taken only
when the agent is named.

  --parallel <n>      sessions at once, 1 to 100; default: 4
  --max-steps <n>     answers of the model for each time that an agent has a session, after which it pauses; default: 40
  --models <file>     the models, in YAML or JSON; default: BATON_MODELS
  --folder <folder>   where the tools work, and where scripts of answers are; default: this folder
  --on-limit <how>    when no model of the agent answers: wait, or handoff, to an agent that it may hand off to; default: wait
  --json              prints a JSON object for each event
${urlUsage}

The key in BATON_KEY acts as the agents: one of an operator works for all, one of an agent for that agent. The keys of models stay
in this process. SIGTERM and Ctrl-C end after the steps that run now; a second one ends at once.`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      parallel: { type: 'string', default: '4' },
      'max-steps': { type: 'string', default: '40' },
      models: { type: 'string' },
      folder: { type: 'string', default: '.' },
      'on-limit': { type: 'string', default: 'wait' },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const onLimit = values['on-limit'];
  if (onLimit !== 'wait' && onLimit !== 'handoff')
    throw new UsageError(`--on-limit is '${onLimit}': give wait or handoff.`);
  const url = serverUrl(values.url);
  const key = process.env['BATON_KEY'] || undefined;
  const settings: Settings = {
    file: readModelsFile(values.models ?? (process.env['BATON_MODELS'] || undefined)),
    folder: resolve(values.folder),
    env: process.env,
    secrets: new Secrets(),
  };
  const report = reportTo(values.json);
  const ask = patient(createApi({ url, key }));
  const runner = new Runner({
    ask,
    runnerId: newRunnerId(),
    parallel: wholeNumber('--parallel', values.parallel, 1, 100),
    maxSteps: wholeNumber('--max-steps', values['max-steps'], 1, 10_000),
    onLimit,
    report,
    secrets: settings.secrets,
  });
  await requireServer(url);
  try {
    await serve(runner, ask, { url, key, named: positionals, settings, report });
  } catch (error) {
    throw commandError(error, url);
  }
}

interface Serving {
  url: string;
  key: string | undefined;
  named: readonly string[];
  settings: Settings;
  report: Report;
}

/** Looks also without an event: for what another runner left. */
const lookMs = 10_000;

/** Works until a signal. @throws StreamError, Refused, StartError */
async function serve(runner: Runner, ask: Api, { url, key, named, settings, report }: Serving): Promise<void> {
  const told = new Set<string>();
  const readAgents = async (): Promise<void> => {
    const { served, problems, hints } = await servedAgents(ask, named, settings);
    if (named.length > 0 && problems[0] !== undefined) throw new StartError(problems[0]);
    for (const text of [...problems, ...hints].filter((each) => !told.has(each))) {
      told.add(text);
      report({ event: 'not served', text });
    }
    runner.serve(served);
    const text =
      served.length === 0
        ? 'serves no agent yet: give a definition a model, such as anthropic/claude-sonnet-4-5, and import it'
        : `serves ${served.map(({ id, models }) => `${id} (${models.map(({ name }) => name).join(', ')})`).join(', ')} at ${url}`;
    if (!told.has(text)) {
      told.add(text);
      report({ event: 'live', text });
    }
  };
  await readAgents();
  const stream = streamFor({ url, key }, report);
  const release = onSignals((n) => {
    if (n > 1) process.exit(1);
    if (runner.running > 0)
      report({
        event: 'stopping',
        text: `ends after the steps that run in ${runner.running} ${runner.running === 1 ? 'session' : 'sessions'}`,
      });
    runner.stop();
    stream.stop();
  });
  // `baton start` has ended, which started this process.
  process.once('disconnect', () => process.exit(0));
  try {
    await Promise.race([runner.work(lookMs), listen(stream, runner, readAgents)]);
    await runner.allEnd();
    report({ event: 'stopped', text: 'has stopped' });
  } finally {
    stream.stop();
    release();
  }
}

function streamFor(connection: { url: string; key: string | undefined }, report: Report): EventStream {
  const { url, key } = connection;
  return openStream({
    url,
    ...(key !== undefined && { key }),
    webSocket: WebSocket,
    topic: { kind: 'handoffEvents' },
    onExpired: () => undefined,
    onStatus: (status) => {
      if (status.state === 'waiting') report({ event: 'away', text: `lost the server (${status.reason})` });
    },
  });
}

/** Each event is a reason to look. Ends when the stream was stopped and the runner has ended. @throws StreamError */
async function listen(stream: EventStream, runner: Runner, readAgents: () => Promise<void>): Promise<void> {
  for await (const { type } of stream) {
    if (type === 'AGENT_CHANGED') await readAgents();
    runner.wake();
  }
  await runner.allEnd();
}

export const runAgents: Command = { usage, run };
