import { runAgent } from '../client/examples/agent.ts';
import { commandLine } from '../server/core/place.ts';
import { commandError } from './api.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { print, printLine } from './output.ts';
import { requireServer, serverUrl, urlUsage } from './serverUrl.ts';

export const agent: Command = {
  usage: `${commandLine('agent <agent>')} [--url <url>]

Works as an agent of Baton: takes over the handoffs that wait for it, then waits for more. For each handoff it accepts,
prints the context prompt, and answers with a turn, which completes the handoff. Ctrl-C ends it.

${urlUsage}

Set BATON_KEY to the agent's key where the server requires one.`,

  async run(args) {
    const { values, positionals } = readArguments({
      args,
      allowPositionals: true,
      options: { url: { type: 'string' } },
    });
    const [id, ...more] = positionals;
    if (id === undefined) throw new UsageError();
    if (more.length > 0) throw new UsageError(`Give one agent, not '${more.join(' ')}' too.`);
    const url = serverUrl(values.url);
    // Once connected, it waits for a server that is away.
    await requireServer(url);
    await runAgent(id, { url, key: process.env['BATON_KEY'] }, { say: printLine, show: print }).catch(
      (error: unknown) => {
        throw commandError(error, url);
      },
    );
  },
};
