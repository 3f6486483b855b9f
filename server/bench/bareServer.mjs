// What the benchmark compares the list with: nothing but Node's HTTP server, `pg`, and a prepared statement whose SQL builds
// the very bytes of the answer. Public ids are stored ready-made in `public_ids`, so that it spends nothing on them.
import { createServer } from 'node:http';
import pg from 'pg';

const [url, tail] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });

const time = (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const row = (columns) => `(SELECT row_to_json(r) FROM (SELECT ${columns}) r)`;

const list = {
  name: 'list',
  text: `
    WITH page AS MATERIALIZED (SELECT * FROM handoffs ORDER BY initiated_at DESC, id DESC LIMIT $1::int + 1),
    shown AS MATERIALIZED (SELECT * FROM page ORDER BY initiated_at DESC, id DESC LIMIT $1),
    last AS (SELECT * FROM shown ORDER BY initiated_at, id LIMIT 1)
    SELECT '{"data":{"handoffs":{"nodes":[' || coalesce((SELECT string_agg(${row(`
        i.text AS id, h.status, h.via, h.reason, h.depth, ${time('h.initiated_at')} AS "initiatedAt", ${time('h.accepted_at')} AS "acceptedAt",
        CASE WHEN a.id IS NOT NULL THEN ${row('a.id, a.name, a.type')} END AS "sourceAgent", ${row('b.id, b.name, b.type')} AS "targetAgent",
        ${row('j.text AS id, s.title, s.status')} AS session`)}::text, ',' ORDER BY h.initiated_at DESC, h.id DESC)
      FROM shown h JOIN sessions s ON s.id = h.session_id JOIN agents b ON b.id = h.target_agent_id LEFT JOIN agents a ON a.id = h.source_agent_id
        JOIN public_ids i ON i.id = h.id JOIN public_ids j ON j.id = h.session_id), '')
      || '],"pageInfo":{"hasNextPage":' || ((SELECT count(*) FROM page) > $1) || ',"endCursor":'
      || coalesce((SELECT '"' || translate(rtrim(replace(encode(convert_to('["handoff INITIATED_AT desc",' || (extract(epoch FROM initiated_at) * 1000)::bigint
        || ',"' || id || '"]', 'UTF8'), 'base64'), E'\\n', ''), '='), '+/', '-_') || '"' FROM last), 'null') || '}}}' AS data`,
};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (body += chunk));
  request.on('end', async () => {
    const { rows } = await pool.query({ ...list, values: [JSON.parse(body).variables.first] });
    const answer = Buffer.from(rows[0].data + tail);
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': answer.length }).end(answer);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/graphql` })}\n`));
