import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { RegisterAgentDocument } from '../client/api/operations.ts';
import { commandLine, packageFolder } from '../server/core/place.ts';
import { StartError } from '../server/core/startError.ts';
import { withApi } from './api.ts';
import { isChange, makeChanges, planChange, type Change } from './connect/change.ts';
import { tools, type Tool } from './connect/entries.ts';
import { exclude, include } from './connect/exclude.ts';
import { ofThisMachine, settingsFiles } from './connect/settingsFiles.ts';
import { workspaceIn } from './hook/work.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { print, tell, tellLine } from './output.ts';
import { serverUrl, urlUsage } from './serverUrl.ts';

const defaultAgents: Record<Tool, string> = { 'claude-code': 'claude-1', codex: 'codex-1' };

const usage = `${commandLine('connect <claude-code or codex>')} [options]

Connects a tool with Baton: writes Baton's MCP server and hooks into the tool's own settings, for this folder. From then on
the tool's transcript is kept in Baton, and the model can hand off and take over. Prints each change before it is made and
keeps a back-up. Everything else in the settings stays as it is, byte for byte. Registers the agent when Baton has none of
this id.

  --agent <id>        the agent that the tool works as; default: claude-1 or codex-1
  --with <agent>      lets this agent and that one hand off to each other; give it once for each
  --global            the settings of the user, for all folders
  --print             prints the changes and writes nothing
  --remove            removes what 'connect' wrote
${urlUsage}

Claude Code: .mcp.json and .claude/settings.local.json. Codex: .codex/config.toml. They name this folder and programs of this
machine: git leaves them out of commits (.git/info/exclude), unless it has them in commits already. '${commandLine('doctor')}' tries the whole way.
When BATON_KEY is set, the settings refer to that variable: the key itself is not written into them.`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      agent: { type: 'string' },
      with: { type: 'string', multiple: true, default: [] },
      global: { type: 'boolean', default: false },
      print: { type: 'boolean', default: false },
      remove: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const tool = tools.find((name) => name === positionals[0]);
  if (tool === undefined || positionals.length > 1)
    throw new UsageError(positionals.length === 0 ? '' : `Give one tool: ${tools.join(' or ')}.`);
  const agent = values.agent ?? defaultAgents[tool];
  for (const id of [agent, ...values.with])
    if (!/^[a-z0-9]([a-z0-9_-]{0,50}[a-z0-9])?$/.test(id))
      throw new UsageError(`'${id}' is not the id of an agent: use lower-case letters, digits, '-' and '_'.`);
  if (values.with.includes(agent)) throw new UsageError(`--with is '${agent}', the agent itself: give another one.`);
  const url = serverUrl(values.url);
  const needsKey = Boolean(process.env['BATON_KEY']);
  const command = values.remove ? '' : `${program()} hook ${tool} --agent ${agent} --url ${quoted(url)}`;
  const files = settingsFiles(tool, values.global, {
    // In the settings of the user for all folders only the hooks know the folder.
    mcp: `${url}/mcp/${agent}${values.global ? '' : `?workspace=${workspaceIn(realpathSync('.')).id}`}`,
    needsKey,
    command,
  });
  const changes = files.map((file) => planChange(file, values.remove));
  for (const change of changes) print(differenceOf(change).trimEnd());
  if (values.print) return;
  const isNew = changes.some(isChange);
  if (isNew || values.remove) makeChanges(changes, values.remove);
  if (!values.global) keepOut(ofThisMachine[tool], values.remove);
  if (values.remove) return;
  if (isNew) for (const note of notes[tool](needsKey)) tell(note);
  if (isNew) tell(`To undo this: ${commandLine(`connect ${tool}${values.global ? ' --global' : ''} --remove`)}`);
  await setAgents(url, agent, tool, values.with);
}

/** Keeps settings that name this machine out of commits, or no longer. */
function keepOut(files: readonly string[], isRemoval: boolean): void {
  if (isRemoval) return include(files);
  const { listed, tracked } = exclude(files);
  for (const file of listed)
    tellLine(`${file} names this machine: git leaves it out of commits now (.git/info/exclude).`);
  for (const file of tracked)
    tellLine(`${file} names this machine, and git has it in commits: do not commit this change.`);
}

/** Each folder and branch in which the tool works is a session that the agent holds. */
const maxCapacity = 100;

/** Rollouts of Codex state the size of the window; transcripts of Claude Code do not. */
const kinds = { 'claude-code': { type: 'CLAUDE', contextWindow: 200_000 }, codex: { type: 'CODEX' } } satisfies Record<
  Tool,
  object
>;

/** Registers the agent when Baton has none of this id, and lets it and others hand off to each other. The settings are written in any case: Baton may start later. */
async function setAgents(url: string, id: string, tool: Tool, others: readonly string[]): Promise<void> {
  try {
    await withApi(url, async (ask) => {
      const find = async (of: string): Promise<{ collaborators: { id: string }[] } | null> =>
        (
          await ask<{ agent: { collaborators: { id: string }[] } | null }>(
            'query BatonAgent($id: ID!) { agent(id: $id) { collaborators { id } } }',
            { id: of },
          )
        ).agent;
      if ((await find(id)) === null) {
        await ask(RegisterAgentDocument, { input: { id, ...kinds[tool], maxCapacity } });
        tellLine(`Agent ${id} was registered.`);
      }
      for (const other of others) {
        for (const [from, to] of [
          [id, other],
          [other, id],
        ] as const) {
          const agent = await find(from);
          if (agent === null || (await find(to)) === null) {
            tellLine(`Agent ${other} is not registered: connect its program with --with ${id}.`);
            break;
          }
          const collaborators = agent.collaborators.map((each) => each.id);
          if (!collaborators.includes(to)) {
            await ask(
              'mutation BatonWith($input: UpdateAgentInput!) { answer: updateAgent(input: $input) { __typename ... on Error { code message } } }',
              { input: { id: from, collaborators: [...collaborators, to] } },
            );
            tellLine(`Agent ${from} may hand off to ${to} now.`);
          } else tellLine(`Agent ${from} may hand off to ${to}.`);
        }
      }
    });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    tellLine(
      `Agent ${id} could not be set up. ${error.message}. ${others.length === 0 ? 'Register it when Baton has none of this id' : `Do this again as an operator: ${commandLine(`connect ${tool} --agent ${id} --with ${others.join(' --with ')}`)}`}.`,
    );
  }
}

const notes: Record<Tool, (needsKey: boolean) => string[]> = {
  'claude-code': (needsKey) => [
    ...keyNote(needsKey),
    "Claude Code asks once whether to use the MCP server 'baton' of this folder.",
  ],
  codex: (needsKey) => [...keyNote(needsKey), 'Codex runs the hooks after you trust them: type /hooks in Codex.'],
};

const keyNote = (needsKey: boolean): string[] =>
  needsKey ? ['Set BATON_KEY in the environment in which the tool starts.'] : [];

function differenceOf(change: Change): string {
  const { path, now, next } = change;
  const shown = relative(process.cwd(), path).startsWith('..') ? path : relative(process.cwd(), path);
  if (!isChange(change)) return `${shown}: no change`;
  const name = (content: Buffer | null): string => (content === null ? '/dev/null' : shown);
  return createTwoFilesPatch(name(now), name(next), now?.toString() ?? '', next?.toString() ?? '', '', '', {
    context: 2,
    headerOptions: undefined,
  });
}

/** The command line of the hooks, without their words. Where there is a shell it asks the process that stays. @throws StartError */
function program(): string {
  const started = process.argv[1] ?? '';
  // In a clone `baton` is TypeScript, which starts too slowly for a hook: the package's program is used.
  const file = started.endsWith('.ts') ? join(packageFolder, 'lib/baton.js') : realpathSync(started);
  if (!existsSync(file))
    throw new StartError('Hooks run the program of the package, which is not built: run `npm run prepack` first');
  const words = [process.execPath, file].map(quoted).join(' ');
  return process.platform === 'win32' ? words : `sh ${quoted(join(dirname(file), 'baton.sh'))} ${words}`;
}

/** A word for a shell. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

export const connect: Command = { usage, run };
