import { commandLine } from '../server/core/place.ts';
import { runHook } from './hook.ts';
import type { Command } from './command.ts';
import { urlUsage } from './serverUrl.ts';

export const hook: Command = {
  usage: `${commandLine('hook <claude-code or codex>')} [options]

Answers one event of a tool's hooks, which comes as JSON on standard input. '${commandLine('connect')}' writes it into the settings.

At the start it finds or creates the session of the folder and branch, and prints what waits for the agent. After each turn,
before a compaction and before a handoff it imports what is new in the transcript. While another agent holds the session it
writes nothing and says who does. It never fails the tool: without Baton it writes a line to hook.log in the state folder
(XDG_STATE_HOME, default ~/.local/state, /baton) and exits with 0. The next turn sends what is missing. A session is completed when its
conversation is cleared, and after a week without a turn.

A command of '${commandLine('watch')}' works on its own session: BATON_SESSION, BATON_AGENT and BATON_URL precede the options.

  --agent <id>        the agent that the tool works as; default: claude-1 or codex-1
  --wait <ms>         the wait for Baton, whatever it does; default: up to 2000 until a conversation has its first words, 1000 at
                      other prompts, 7000 before a handoff, and 150 to 450 without a sign of life; then not again for 30 s
${urlUsage}

Set BATON_KEY where the server requires a key.`,

  async run(args) {
    process.exitCode = await runHook(args);
  },
};
