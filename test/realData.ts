import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of real transcripts with their expected facts; undefined when unavailable. */
export const realDataFolder: string | undefined = process.env['BATON_REAL_DATA'] || undefined;

/** The paths of all transcripts there with expected facts. Empty without the folder. */
export function realTranscripts(): string[] {
  if (realDataFolder === undefined) return [];
  return ['claude-code', 'codex'].flatMap((tool) => {
    const folder = join(realDataFolder, tool);
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.jsonl') && existsSync(expectedOf(join(folder, name))))
      .map((name) => join(tool, name))
      .sort();
  });
}

export const realPath = (name: string): string => join(realDataFolder ?? '', name);

export function expectedOf(file: string): string {
  return file.replace(/\.jsonl$/, '.expected.json');
}

/** Files that the tool keeps separately for its sub-agents. */
export const isSubagent = (name: string): boolean => /[/\\]subagents[/\\]/.test(name);
