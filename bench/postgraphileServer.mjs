// PostGraphile 5 on the same tables, set up as documented, from its own folder.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const [folder, connectionString] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { postgraphile } = require('postgraphile');
const { PostGraphileAmberPreset } = require('postgraphile/presets/amber');
const { makePgService } = require('postgraphile/adaptors/pg');
const { grafserv } = require('postgraphile/grafserv/node');

const serving = postgraphile({
  extends: [PostGraphileAmberPreset],
  // Otherwise no list has a filter or an order by a column whose index is partial.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString, schemas: ['public'] })],
  grafserv: { watch: false, graphiql: false },
  grafast: { explain: false },
}).createServ(grafserv);
const server = createServer();
await serving.addTo(server);
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/graphql` })}\n`),
);
