// The baseline for the list benchmark: Node's HTTP server, `pg` and a prepared statement whose SQL builds the answer's
// bytes. Public ids are stored beside the others, so encoding them costs nothing.
import { createServer } from 'node:http';
import pg from 'pg';

const [url, tail] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });

const time = (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const text = (column) => `to_json(${column})::text`;
const nullable = (written) => `coalesce(${written}, 'null')`;
const agent = (name) =>
  `'{"id":"' || ${name}.id || '","name":' || ${text(`${name}.name`)} || ',"type":"' || ${name}.type || '"}'`;

// Without a parameter the plan is cached; concatenating text costs half of converting rows to JSON.
const list = {
  name: 'list',
  text: `
    WITH page AS MATERIALIZED (
      SELECT public_id, id, status, via, reason, depth, initiated_at, accepted_at, session_id, source_agent_id, target_agent_id, row_number() OVER () AS place
      FROM (SELECT * FROM handoffs ORDER BY initiated_at DESC, id DESC LIMIT 21) h)
    SELECT '{"data":{"handoffs":{"nodes":[' || coalesce((SELECT string_agg('{"id":"' || h.public_id || '","status":"' || h.status || '","via":"' || h.via
        || '","reason":' || ${nullable(text('h.reason'))} || ',"depth":' || h.depth || ',"initiatedAt":"' || ${time('h.initiated_at')}
        || '","acceptedAt":' || ${nullable(`'"' || ${time('h.accepted_at')} || '"'`)} || ',"sourceAgent":' || ${nullable(agent('a'))} || ',"targetAgent":' || ${agent('b')}
        || ',"session":{"id":"' || s.public_id || '","title":' || ${text('s.title')} || ',"status":"' || s.status || '"}}', ',' ORDER BY place)
      FROM page h JOIN sessions s ON s.id = h.session_id JOIN agents b ON b.id = h.target_agent_id LEFT JOIN agents a ON a.id = h.source_agent_id WHERE place <= 20), '')
      || '],"pageInfo":{"hasNextPage":' || (SELECT count(*) > 20 FROM page) || ',"endCursor":'
      || ${nullable(`(SELECT '"' || translate(rtrim(replace(encode(convert_to('["handoff INITIATED_AT desc",' || (extract(epoch FROM initiated_at) * 1000)::bigint
        || ',"' || id || '"]', 'UTF8'), 'base64'), E'\\n', ''), '='), '+/', '-_') || '"' FROM page WHERE place <= 20 ORDER BY place DESC LIMIT 1)`)} || '}}}' AS data`,
};

const server = createServer((request, response) => {
  request.resume();
  request.on('end', async () => {
    const { rows } = await pool.query(list);
    const answer = Buffer.from(rows[0].data + tail);
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length })
      .end(answer);
  });
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/graphql` })}\n`),
);
