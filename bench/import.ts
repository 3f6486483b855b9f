import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { workTranscript } from '../test/transcripts.ts';
import { ask, post } from './api.ts';
import { callers } from './callers.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { digits, spread, type Line } from './report.ts';
import { alternate } from './rounds.ts';

const MB = 2 ** 20;

/** Uploads a transcript of about 3 MB: read, redacted and stored, each time in a new session. */
export async function importTranscript(place: Place): Promise<Line[]> {
  const { url, pool } = await place.database();
  const [key] = await callers(pool);
  const server = await startBaton({ DATABASE_URL: url });
  place.atEnd(server.stop);
  const { text, from } = transcript();
  await ask(
    server.url,
    'mutation { registerAgent(input: { id: "ada", type: "CLAUDE", maxCapacity: 100 }) { __typename } }',
    key,
  );
  const once = async (): Promise<number> => {
    const create =
      'mutation { createSession(input: { title: "Import", agentId: "ada" }) { ... on CreateSessionPayload { session { id } } } }';
    const { createSession } = await ask<{ createSession: { session: { id: string } } }>(server.url, create, key);
    const started = performance.now();
    const report = JSON.parse(
      await post({
        url: `${server.url}/sessions/${createSession.session.id}/transcript`,
        body: text,
        type: 'application/octet-stream',
        authorization: key,
      }),
    ) as { turnsAdded: number };
    if (report.turnsAdded === 0) throw new Error('nothing was imported');
    return performance.now() - started;
  };
  const { ms } = await alternate(5, { ms: once });
  return [
    {
      what: `Import of a transcript of ${digits(Buffer.byteLength(text) / MB)} MB (${from}), redaction included`,
      figure: spread(ms, 'ms'),
    },
  ];
}

/** The real transcript closest to 3 MB where available; otherwise a generated one of the same shape. */
function transcript(): { text: string; from: string } {
  const folder = process.env['BATON_REAL_DATA'];
  const files =
    folder === undefined
      ? []
      : readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.jsonl'))
          .map((name) => join(folder, name));
  const far = (path: string): number => Math.abs(statSync(path).size - 3 * MB);
  const [nearest] = files.sort((a, b) => far(a) - far(b));
  return nearest === undefined || far(nearest) > MB
    ? { text: workTranscript(3 * MB), from: 'generated' }
    : { text: readFileSync(nearest, 'utf8'), from: 'a real one' };
}
