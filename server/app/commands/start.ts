import { commandLine } from '../../core/place.ts';
import { readArguments, type Command } from '../../../cli/command.ts';

export const start: Command = {
  usage: `${commandLine('start')}

Starts the server: the dashboard, the API, WebSocket and Server-Sent Events on one port. SIGTERM and Ctrl-C stop it.

It is set up by environment variables. These are used most; docs/operations.md lists all.

  PORT             the port; default: 4000
  HOST             the address to listen on; default: 127.0.0.1
  DATABASE_URL     a PostgreSQL 15 or later, migrated by ${commandLine('migrate')}; default: the embedded PostgreSQL
  BATON_DATA       the folder of the embedded database; default: .baton
  REDIS_URL        connects several servers
  BATON_ADMIN_KEY  a key of role admin, at least 32 characters; with it every caller needs a key`,

  async run(args) {
    readArguments({ args });
    await import('../../main.ts');
  },
};
