import { join } from 'node:path';
import { npmTool } from './npmTool.ts';

/** Claude Code is proprietary: it is installed for the test only. */
const tools = {
  'Claude Code': { package: '@anthropic-ai/claude-code', version: '2.1.197', program: 'claude' },
  Codex: { package: '@openai/codex', version: '0.169.0', program: 'codex' },
};

/** The path of the real program; null, and a line that says so, when npm cannot install it. */
export function codingTool(name: keyof typeof tools): string | null {
  const { package: of, version, program } = tools[name];
  try {
    return join(npmTool(of, version), of.replaceAll(/[^/]+/g, '..'), '.bin', program);
  } catch (error) {
    process.stdout.write(
      `${name} was not tested: npm did not install it (${(error as Error).message.split('\n')[0]})\n`,
    );
    return null;
  }
}
