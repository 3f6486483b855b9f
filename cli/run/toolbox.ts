import type { Tool } from './conversation.ts';
import { refused, type Outcome } from './ownTools.ts';

/** The tools of the MCP servers that a definition names. */
export interface Toolbox {
  tools: readonly Tool[];
  names: ReadonlySet<string>;
  run(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export const noTools: Toolbox = {
  tools: [],
  names: new Set(),
  run: async (name) => refused(`There is no tool '${name}'.`),
  close: async () => undefined,
};
