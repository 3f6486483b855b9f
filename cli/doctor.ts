import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { type Api, createApi, Refused } from '../client/api/request.ts';
import { commandLine } from '../server/core/place.ts';
import { StartError } from '../server/core/startError.ts';
import { readArguments, type Command } from './command.ts';
import { isOurHook, isObject, type Json, serverName, tools, type Tool } from './connect/entries.ts';
import { settingsFiles } from './connect/settingsFiles.ts';
import { stateFolder } from './connect/stateFolder.ts';
import { workIn } from './hook/work.ts';
import { printLine } from './output.ts';
import { serverUrl, urlUsage } from './serverUrl.ts';

const usage = `${commandLine('doctor')} [options]

Tries the whole way of a handoff from this folder, changes nothing, and prints each step as right, or wrong with its remedy:
the server, the key, the folder for what hooks remember, and for each connected program its settings, hooks, agent, places, tools of
MCP, collaborators and a handoff on trial. Exit code 1 when a step is wrong.

${urlUsage}

Set BATON_KEY where the server requires a key.`;

/** What a step found. A step that is wrong says what to do. */
type Finding = { right: string } | { wrong: string; remedy: string };

async function run(args: string[]): Promise<void> {
  const { values } = readArguments({ args, options: { url: { type: 'string' } } });
  const url = serverUrl(values.url);
  let wrongs = 0;
  /** Returns whether the step is right: what builds on it is not tried otherwise. */
  const step = async (name: string, find: () => Finding | Promise<Finding>): Promise<boolean> => {
    const found = await find();
    if ('right' in found) printLine(`right  ${name}: ${found.right}`);
    else {
      wrongs += 1;
      printLine(`WRONG  ${name}: ${found.wrong}`);
      printLine(`       ${found.remedy}`);
    }
    return 'right' in found;
  };
  await step('state', stateStep);
  const ask = createApi({ url, key: process.env['BATON_KEY'] || undefined });
  const isThere = (await step('server', () => serverStep(url))) && (await step('key', () => keyStep(ask)));
  const connected = tools.flatMap((tool) => connectionsOf(tool));
  if (connected.length === 0)
    await step('programs', () => ({
      wrong: 'neither Claude Code nor Codex is connected in this folder',
      remedy: `Run '${commandLine('connect claude-code')}' or '${commandLine('connect codex')}' here.`,
    }));
  for (const connection of connected) {
    const { tool, agent } = connection;
    await step(`${tool}, hooks`, () => hooksStep(connection));
    if (isThere && (await step(`${tool}, agent`, () => agentStep(ask, connection)))) {
      await step(`${tool}, tools`, () => toolsStep(connection));
      await step(`${tool}, handoff`, () => handoffStep(ask, tool, agent));
    }
  }
  if (wrongs > 0) throw new StartError(`${wrongs} ${wrongs === 1 ? 'step is' : 'steps are'} wrong`);
}

function stateStep(): Finding {
  try {
    return { right: stateFolder('hooks') };
  } catch (error) {
    return { wrong: messageOf(error), remedy: 'Hooks, connect and watch keep there what they have done.' };
  }
}

async function serverStep(url: string): Promise<Finding> {
  const began = performance.now();
  const remedy = 'Start Baton there, or give its address with --url or BATON_URL.';
  try {
    const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) });
    return status === 200
      ? { right: `${url} answered in ${Math.round(performance.now() - began)} ms` }
      : { wrong: `${url} answered ${status}`, remedy };
  } catch {
    return { wrong: `nothing answers at ${url}`, remedy };
  }
}

async function keyStep(ask: Api): Promise<Finding> {
  try {
    const { viewer } = await ask<{ viewer: { role: string } }>('query DoctorKey { viewer { role } }', {});
    return { right: `accepted, role ${viewer.role}` };
  } catch (error) {
    return {
      wrong: messageOf(error),
      remedy: `Set BATON_KEY to the agent's key in the environment in which the program starts: '${commandLine('key')}' makes one.`,
    };
  }
}

/** A program that is connected in this folder, or for all folders of the user. */
interface Connection {
  tool: Tool;
  /** Of its settings; null: its MCP server is not there. */
  mcp: string | null;
  agent: string;
  hooks: { command: string }[];
  isGlobal: boolean;
}

/** Reads what 'connect' wrote, also by hand changed. */
function connectionsOf(tool: Tool): Connection[] {
  return [false, true].flatMap((isGlobal) => {
    const files = settingsFiles(tool, isGlobal, { mcp: '', needsKey: false, command: '' });
    const settings = files.flatMap(({ path, format }) => (existsSync(path) ? [parsed(path, format.parse)] : []));
    const [server] = settings
      .flatMap((each) => [each['mcpServers'], each['mcp_servers']].filter(isObject))
      .map((each) => each[serverName])
      .filter(isObject);
    const mcp = typeof server?.['url'] === 'string' ? server['url'] : null;
    const hooks = settings
      .flatMap(({ hooks: byEvent }) => (isObject(byEvent) ? Object.values(byEvent).flat() : []))
      .flatMap((group) => (isObject(group) && Array.isArray(group['hooks']) ? (group['hooks'] as unknown[]) : []))
      .filter((hook): hook is { command: string } => isOurHook(hook));
    if (mcp === null && hooks.length === 0) return [];
    const agent = /\/mcp\/([^/?]+)/.exec(mcp ?? '')?.[1] ?? / --agent (\S+)/.exec(hooks[0]?.command ?? '')?.[1] ?? '';
    return [{ tool, mcp, agent, hooks, isGlobal }];
  });
}

function parsed(path: string, parse: (text: string) => Json): Json {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new StartError(`${path} ${messageOf(error)}`);
  }
}

const again = ({ tool, agent, isGlobal }: Connection): string =>
  `Run '${commandLine(`connect ${tool}${agent === '' ? '' : ` --agent ${agent}`}${isGlobal ? ' --global' : ''}`)}' again.`;

function hooksStep(connection: Connection): Finding {
  const { tool, hooks } = connection;
  if (hooks.length === 0) return { wrong: 'no hook records the turns', remedy: again(connection) };
  const missing = hooks
    .flatMap(({ command }) =>
      [...command.matchAll(/(?:^| )(?:'([^']+)'|(\/\S+))/g)].map(([, quoted, plain]) => quoted ?? plain!),
    )
    .find((path) => path.startsWith('/') && !existsSync(path));
  if (missing !== undefined) return { wrong: `they start ${missing}, which is not there`, remedy: again(connection) };
  return {
    right: `${hooks.length} in its settings${tool === 'codex' ? '; Codex runs them after /hooks has approved them' : ''}`,
  };
}

async function agentStep(ask: Api, connection: Connection): Promise<Finding> {
  const { agent: id } = connection;
  const { agent } = await ask<{
    agent: {
      status: string;
      freePlaces: number;
      currentLoad: number;
      maxCapacity: number;
      archivedAt: string | null;
    } | null;
  }>('query DoctorAgent($id: ID!) { agent(id: $id) { status freePlaces currentLoad maxCapacity archivedAt } }', { id });
  if (agent === null) return { wrong: `Baton has no agent '${id}' that the key may read`, remedy: again(connection) };
  if (agent.archivedAt !== null)
    return {
      wrong: `${id} is archived: nothing is recorded`,
      remedy: `Connect another agent: '${commandLine(`connect ${connection.tool} --agent <another>`)}'.`,
    };
  if (agent.status === 'DRAINING' || agent.status === 'OFFLINE')
    return {
      wrong: `${id} is ${agent.status}: it gets no session, so that work in other folders is not recorded`,
      remedy: 'An operator makes it AVAILABLE with setAgentStatus.',
    };
  if (agent.freePlaces < 1)
    return {
      wrong: `${id} holds ${agent.currentLoad} sessions and has ${agent.maxCapacity} places: work in other folders is recorded, but no handoff reaches it`,
      remedy: 'An operator raises maxCapacity with updateAgent, or completes sessions that have ended.',
    };
  return { right: `${id} is ${agent.status} with ${agent.freePlaces} of ${agent.maxCapacity} places free` };
}

async function toolsStep(connection: Connection): Promise<Finding> {
  const { mcp } = connection;
  if (mcp === null) return { wrong: 'the settings have no MCP server of Baton', remedy: again(connection) };
  const here = workIn(realpathSync('.')).workspace.id;
  const of = new URL(mcp).searchParams.get('workspace');
  if (!connection.isGlobal && of !== here)
    return {
      wrong: of === null ? 'the address of MCP names no folder' : 'the address of MCP names another folder',
      remedy: again(connection),
    };
  const key = process.env['BATON_KEY'];
  const began = performance.now();
  try {
    const response = await fetch(mcp, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      signal: AbortSignal.timeout(30_000),
    });
    const { result, error } = (await response.json()) as {
      result?: { tools: { name: string }[] };
      error?: { message: string };
    };
    if (result === undefined)
      return { wrong: error?.message ?? `${mcp} answered ${response.status}`, remedy: again(connection) };
    return { right: `${result.tools.length} from ${mcp} in ${Math.round(performance.now() - began)} ms` };
  } catch (error) {
    return { wrong: `${mcp} does not answer: ${messageOf(error)}`, remedy: again(connection) };
  }
}

/** Asks whether the session of the folder could be handed off now; without a session, whether there is an agent to hand off to. */
async function handoffStep(ask: Api, tool: Tool, agent: string): Promise<Finding> {
  const { externalId } = workIn(realpathSync('.'));
  const { agent: found, session } = await ask<{
    agent: { collaborators: { id: string }[] } | null;
    session: { id: string; agent: { id: string } | null } | null;
  }>(
    'query DoctorHandoff($id: ID!, $externalId: String!) { agent(id: $id) { collaborators { id } } session(externalId: $externalId) { id agent { id } } }',
    { id: agent, externalId },
  );
  const ids = (found?.collaborators ?? []).map(({ id }) => id);
  if (ids.length === 0)
    return {
      wrong: `${agent} has no agent to hand off to`,
      remedy: `Run '${commandLine(`connect ${tool} --agent ${agent} --with <another agent>`)}'.`,
    };
  if (session?.agent?.id !== agent) return { right: `${agent} may hand off to ${ids.join(', ')}` };
  const outcomes = await Promise.all(
    ids.slice(0, 10).map(async (id) => {
      const { simulateHandoff: trial } = await ask<{
        simulateHandoff: {
          wouldSucceed: boolean;
          verdicts: { passed: boolean | null; message: string | null }[];
        } | null;
      }>(
        'query DoctorTrial($session: ID!, $target: ID!) { simulateHandoff(sessionId: $session, targetAgentId: $target) { wouldSucceed verdicts { passed message } } }',
        { session: session.id, target: id },
      );
      const reason = trial?.verdicts.find(({ passed }) => passed === false)?.message;
      return { id, reason: trial?.wouldSucceed === true ? null : (reason ?? 'it would be refused') };
    }),
  );
  const possible = outcomes.filter(({ reason }) => reason === null).map(({ id }) => id);
  if (possible.length > 0) return { right: `the session of this folder could go to ${possible.join(', ')} now` };
  return {
    wrong: `no handoff of the session of this folder would succeed: ${outcomes.map(({ id, reason }) => `${id}: ${reason}`).join('; ')}`,
    remedy: 'Correct what the reason names, or let it hand off to another agent with --with.',
  };
}

const messageOf = (error: unknown): string =>
  error instanceof Refused ? `${error.code}: ${error.message}` : error instanceof Error ? error.message : String(error);

export const doctor: Command = { usage, run };
