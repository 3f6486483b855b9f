import { isDeepStrictEqual } from 'node:util';

/** Tools whose settings `baton connect` writes. */
export const tools = ['claude-code', 'codex'] as const;
export type Tool = (typeof tools)[number];

/** Baton's entries in one settings file. */
export interface Entries {
  /** Name of the object that holds the MCP servers, and Baton's server; null when they are in another file. */
  servers: { name: 'mcpServers' | 'mcp_servers'; server: object | null } | null;
  /** Hook groups by event; null when they are in another file. */
  hooks: Record<string, HookGroup> | null;
  /** Variables that the tool sets for itself. Those that the settings have already stay as they are. */
  env?: Record<string, string>;
}

export interface HookGroup {
  matcher?: string;
  hooks: { type: 'command'; command: string; timeout: number }[];
}

export type Json = Record<string, unknown>;

/** Name of Baton's MCP server in every tool. */
export const serverName = 'baton';

/** Tools of Baton that mean a session; before those that move custody the transcript is imported. */
const sessionTools = `mcp__${serverName}__(baton_handoff|baton_note|transfer_to_.*)`;

const timeouts = { SessionStart: 5, UserPromptSubmit: 5, PreToolUse: 20, PreCompact: 5, Stop: 5, SessionEnd: 3 };

/** Hook groups that call `command` for every event. Both tools have these events, with the same input and output. */
export function hooksOf(command: string): Record<string, HookGroup> {
  const group = (event: string, timeout: number): HookGroup => ({
    ...(event === 'PreToolUse' && { matcher: sessionTools }),
    hooks: [{ type: 'command', command, timeout }],
  });
  return Object.fromEntries(Object.entries(timeouts).map(([event, timeout]) => [event, group(event, timeout)]));
}

const ourCommand = /\bbaton[^\s]*["']? hook (claude-code|codex)( |$)/;

export const isOurHook = (hook: unknown): boolean =>
  isObject(hook) && typeof hook['command'] === 'string' && ourCommand.test(hook['command']);

/** A server of this name that `baton connect` did not write is kept, and refused. */
export const isOurServer = (server: unknown): boolean =>
  isObject(server) && typeof server['url'] === 'string' && /\/mcp\/[^/]+$/.test(server['url']);

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** The settings cannot take the entries. The message says why. */
export class Unfit extends Error {}

/** The same settings with Baton's entries, which they must not have yet. @throws Unfit */
export function withEntries(settings: Json, { servers, hooks, env = {} }: Entries): Json {
  const next = { ...settings };
  if (Object.keys(env).length > 0) next['env'] = { ...env, ...objectAt(settings, 'env') };
  if (servers?.server != null) {
    const known = objectAt(settings, servers.name);
    if (Object.hasOwn(known, serverName))
      throw new Unfit(`has an MCP server '${serverName}' of its own: rename or remove that`);
    next[servers.name] = { ...known, [serverName]: servers.server };
  }
  if (hooks === null || Object.keys(hooks).length === 0) return next;
  const known = objectAt(settings, 'hooks');
  const groups = { ...known };
  for (const [event, group] of Object.entries(hooks)) {
    const others = Object.hasOwn(known, event) ? known[event] : [];
    if (!Array.isArray(others)) throw new Unfit(`has 'hooks.${event}', which is not a list: correct that`);
    groups[event] = [...(others as unknown[]), group];
  }
  return { ...next, hooks: groups };
}

function objectAt(settings: Json, name: string): Json {
  const value = Object.hasOwn(settings, name) ? settings[name] : {};
  if (!isObject(value)) throw new Unfit(`has '${name}', which is not an object: correct that`);
  return value;
}

/** Paths of Baton's entries in settings, containers that hold nothing else included; the last ones first. */
export function pathsOfEntries(settings: Json, { servers, hooks, env = {} }: Entries): (string | number)[][] {
  const paths: (string | number)[][] = [];
  const variables = settings['env'];
  if (isObject(variables)) {
    const ours = Object.keys(env).filter((name) => variables[name] === env[name]);
    paths.push(
      ...(ours.length > 0 && ours.length === Object.keys(variables).length
        ? [['env']]
        : ours.map((name) => ['env', name])),
    );
  }
  if (servers !== null) {
    const known = settings[servers.name];
    if (isObject(known) && isOurServer(known[serverName]))
      paths.push(Object.keys(known).length === 1 ? [servers.name] : [servers.name, serverName]);
  }
  const known = settings['hooks'];
  if (hooks === null || !isObject(known)) return paths;
  const ofEvents = Object.entries(known).map(([event, groups]) => ({ event, ...hooksIn(groups, ['hooks', event]) }));
  const emptied = ofEvents.filter(({ paths: [path] }) => path?.length === 2).length;
  if (emptied > 0 && emptied === ofEvents.length) return [...paths, ['hooks']];
  return [...paths, ...ofEvents.flatMap((found) => found.paths)];
}

function hooksIn(groups: unknown, path: string[]): { paths: (string | number)[][] } {
  if (!Array.isArray(groups)) return { paths: [] };
  const inGroups = groups.map((group: unknown, index) => {
    const list: unknown = isObject(group) ? group['hooks'] : null;
    const ours = Array.isArray(list) ? list.flatMap((hook, at) => (isOurHook(hook) ? [at] : [])) : [];
    if (ours.length === 0) return [];
    return ours.length === (list as unknown[]).length
      ? [[...path, index]]
      : ours.reverse().map((at) => [...path, index, 'hooks', at]);
  });
  const whole = inGroups.length > 0 && inGroups.every(([found]) => found?.length === path.length + 1);
  return { paths: whole ? [path] : inGroups.reverse().flat() };
}

/** The settings without what `paths` name, which come last first. */
export function withoutPaths(settings: Json, paths: (string | number)[][]): Json {
  const next = structuredClone(settings);
  for (const path of paths) {
    const last = path.at(-1)!;
    const container = path.slice(0, -1).reduce<unknown>((value, name) => (value as Json)[name as string], next);
    if (Array.isArray(container)) container.splice(last as number, 1);
    else delete (container as Json)[last as string];
  }
  return next;
}

export const areEqual = (one: unknown, other: unknown): boolean => isDeepStrictEqual(plain(one), plain(other));

/** Without prototypes; the order of names does not count. */
const plain = (value: unknown): unknown => structuredClone(value);
