import type { Entry } from './command.ts';

/** The commands of `baton`. A name may have two words. */
export const commands: Record<string, Entry> = {
  start: { summary: 'starts the server', load: async () => (await import('../server/app/commands/start.ts')).start },
  migrate: {
    summary: 'migrates the database',
    load: async () => (await import('../server/app/commands/migrate.ts')).migrate,
  },
  backup: {
    summary: 'writes a back-up of the database',
    load: async () => (await import('../server/app/commands/backup.ts')).backup,
  },
  restore: {
    summary: 'restores a back-up into an empty database',
    load: async () => (await import('../server/app/commands/restore.ts')).restore,
  },
  key: {
    summary: 'creates, lists and revokes keys',
    load: async () => (await import('../server/app/commands/key.ts')).key,
  },
  import: {
    summary: 'imports a transcript of Claude Code, Codex or another program, or lists them',
    load: async () => (await import('./import.ts')).importCommand,
  },
  export: {
    summary: 'writes a session as a transcript of Claude Code or Codex, to go on with it',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  'agents import': {
    summary: 'registers agents from Markdown files',
    load: async () => (await import('./agents.ts')).agentsImport,
  },
  'pipelines import': {
    summary: 'defines a pipeline, and registers its agents',
    load: async () => (await import('./pipelines.ts')).pipelinesImport,
  },
  hook: {
    summary: 'answers the hooks of Claude Code and Codex',
    load: async () => (await import('./hookUsage.ts')).hook,
  },
  connect: {
    summary: 'connects Claude Code or Codex with Baton',
    load: async () => (await import('./connect.ts')).connect,
  },
  doctor: {
    summary: 'tries the whole way of a handoff from this folder',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  inbox: { summary: 'lists the handoffs that wait for an agent', load: async () => (await import('./inbox.ts')).inbox },
  handoff: { summary: 'hands a session off to an agent', load: async () => (await import('./handoff.ts')).handoff },
  watch: {
    summary: 'runs a command for each handoff of an agent',
    load: async () => (await import('./watch.ts')).watchCommand,
  },
  run: {
    summary: 'works for agents whose definitions name a model',
    load: async () => (await import('./runAgents.ts')).runAgents,
  },
  ask: {
    summary: 'gives a request to agents and shows how they work on it',
    load: async () => (await import('./ask.ts')).askCommand,
  },
  mcp: { summary: 'gives a program the MCP tools of an agent', load: async () => (await import('./mcp.ts')).mcp },
  agent: { summary: 'works as an example agent', load: async () => (await import('./agent.ts')).agent },
  complete: {
    summary: 'completes commands, options and agents in a shell',
    load: async () => (await import('./complete.ts')).completeFor(commands),
  },
};
