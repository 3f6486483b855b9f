import { commandLine } from '../../core/place.ts';
import { StartError } from '../../core/startError.ts';
import { readArguments, type Command } from '../../../cli/command.ts';
import { startRunner } from './startRunner.ts';

export const start: Command = {
  usage: `${commandLine('start')} [--run | --no-run]

Starts the server: the dashboard, the API, WebSocket and Server-Sent Events on one port. SIGTERM and Ctrl-C stop it.

  --run            runs ${commandLine('run')} beside it, for all agents whose model is known here; where callers need a key, it uses BATON_KEY
  --no-run         runs nothing beside it. Default: with the demonstration data, a runner for the agents whose models are scripts

It is set up by environment variables. These are used most; docs/operations.md lists all.

  PORT             the port; default: 4000
  HOST             the address to listen on; default: 127.0.0.1
  DATABASE_URL     a PostgreSQL 15 or later, migrated by ${commandLine('migrate')}; default: the embedded PostgreSQL
  BATON_DATA       the folder of the embedded database; default: .baton
  REDIS_URL        connects several servers
  BATON_ADMIN_KEY  a key of role admin, at least 32 characters; with it every caller needs a key`,

  async run(args) {
    const { values } = readArguments({
      args,
      options: { run: { type: 'boolean', default: false }, 'no-run': { type: 'boolean', default: false } },
    });
    if (values.run && process.env['BATON_ADMIN_KEY'] && !process.env['BATON_KEY'])
      throw new StartError(`--run needs a key: set BATON_KEY to one of an operator (${commandLine('key create')})`);
    const { starting } = await import('../../main.ts');
    const { url, isDemonstration, isOpen } = await starting;
    if (values['no-run']) return;
    if (values.run) startRunner(url, process.env, 'inherit');
    // Without the keys of models: only scripts are known to it, and it costs nothing.
    else if (isDemonstration && isOpen) startRunner(url, placeOnly(process.env), 'ignore');
  },
};

const placeOnly = ({ PATH, HOME, TMPDIR }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ PATH, HOME, TMPDIR });
