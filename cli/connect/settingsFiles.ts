import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { addToJson, parseJson, removeFromJson } from './jsonFile.ts';
import { addToToml, parseToml, removeFromToml } from './tomlFile.ts';
import { homes } from '../native/toolFolders.ts';
import { hooksOf, type Entries, type Json, type Tool } from './entries.ts';

/** A settings file of a tool and Baton's entries in it. */
export interface SettingsFile {
  path: string;
  entries: Entries;
  format: {
    parse(text: string): Json;
    add(text: string, entries: Entries): string;
    remove(text: string, entries: Entries): string;
  };
  /** Whether earlier versions wrote Baton's entries into it: they are taken out. */
  isFormer?: boolean;
}

export interface Connection {
  /** Address of the agent's MCP server, with the workspace of the folder. */
  mcp: string;
  /** Whether the server needs the key in BATON_KEY. Settings name the variable, never the key. */
  needsKey: boolean;
  /** The command line of the hooks. */
  command: string;
}

/** Names the session of a run of `baton watch`, which its commands have in BATON_SESSION. */
const sessionHeader = 'Baton-Session';

const json = { parse: parseJson, add: addToJson, remove: removeFromJson };
const toml = { parse: parseToml, add: addToToml, remove: removeFromToml };

/** Claude Code asks its model first when the tools of MCP are there: it waits up to this long, which a Baton that takes 1.5 s for each request meets. */
const waitForTools = { MCP_CONNECTION_NONBLOCKING: 'false', MCP_CONNECT_TIMEOUT_MS: '10000' };

/** The settings of a folder that name programs and folders of this machine: they are kept out of commits. */
export const ofThisMachine: Record<Tool, string[]> = {
  'claude-code': ['.mcp.json', '.claude/settings.local.json'],
  codex: ['.codex/config.toml'],
};

/** The settings files of a tool: of this folder, or of the user. */
export function settingsFiles(
  tool: Tool,
  isGlobal: boolean,
  { mcp, needsKey, command }: Connection,
  env: NodeJS.ProcessEnv = process.env,
): SettingsFile[] {
  const home = homes(env);
  const hooks = hooksOf(command);
  if (tool === 'codex') {
    const path = isGlobal ? join(home.codex, 'config.toml') : resolve('.codex/config.toml');
    const server = {
      url: mcp,
      env_http_headers: { [sessionHeader]: 'BATON_SESSION' },
      ...(needsKey && { bearer_token_env_var: 'BATON_KEY' }),
    };
    return [{ path, entries: { servers: { name: 'mcp_servers', server }, hooks }, format: toml }];
  }
  const headers = {
    [sessionHeader]: '${BATON_SESSION:-}',
    ...(needsKey && { Authorization: 'Bearer ${BATON_KEY}' }),
  };
  const serversIn = (path: string): SettingsFile => ({
    path,
    entries: { servers: { name: 'mcpServers', server: { type: 'http', url: mcp, headers } }, hooks: null },
    format: json,
  });
  if (isGlobal)
    return [
      serversIn(join(env['CLAUDE_CONFIG_DIR'] ? home['claude-code'] : homedir(), '.claude.json')),
      {
        path: join(home['claude-code'], 'settings.json'),
        entries: { servers: null, hooks, env: waitForTools },
        format: json,
      },
    ];
  const former = resolve('.claude/settings.json');
  return [
    serversIn(resolve('.mcp.json')),
    {
      path: resolve('.claude/settings.local.json'),
      entries: { servers: null, hooks, env: waitForTools },
      format: json,
    },
    ...(existsSync(former)
      ? [{ path: former, entries: { servers: null, hooks: {} }, format: json, isFormer: true }]
      : []),
  ];
}
