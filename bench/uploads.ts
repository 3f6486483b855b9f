import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { send } from '../test/graphql.ts';
import { transcriptShapes } from '../test/transcripts.ts';
import { world } from '../test/world.ts';
import type { Place } from './place.ts';
import { startMeasured } from './measured.ts';
import { atMost, digits, type Line } from './report.ts';

const MB = 1_000_000;
const mostMs = 50;
const sizes = [2, 8, 32, 64].map((size) => size * MB);

/**
 * For transcripts of each shape and size: the processor time of the longest turn of the event loop while they are imported, the time for
 * each MB, and the memory above that before.
 */
export async function uploads(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url, pool } = await place.database();
  await world(pool).agent('ada', { maxCapacity: 1_000 });
  const server = await startMeasured(place, url);
  const upload = async (body: string): Promise<number> => {
    for (;;) {
      const { status } = await send(`${server.url}/sessions/new/transcript?title=s`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-ndjson' },
      });
      if (status !== 503) return status;
      await pause(1_000);
    }
  };
  for (const make of Object.values(transcriptShapes)) await upload(make(200_000));
  const lines: Line[] = [];
  for (const [name, make] of Object.entries(transcriptShapes)) {
    const found: { turn: number; msPerMb: number; memory: number; status: number }[] = [];
    for (const size of sizes) {
      const body = make(size);
      await pause(500);
      writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
      const before = server.memoryOf('VmRSS');
      await server.longestTurn();
      const started = performance.now();
      const status = await upload(body);
      const msPerMb = (performance.now() - started) / (Buffer.byteLength(body) / MB);
      found.push({ turn: await server.longestTurn(), msPerMb, memory: server.memoryOf('VmHWM') - before, status });
      const { turn, memory } = found.at(-1)!;
      say(
        `  ${name}, ${size / MB} MB: ${status}, longest turn ${turn.toFixed(0)} ms, ${msPerMb.toFixed(0)} ms/MB, ${memory.toFixed(0)} MB`,
      );
    }
    const refused = found.filter(({ status }) => status !== 200);
    lines.push({
      what: `${name}, ${sizes.map((size) => size / MB).join(', ')} MB`,
      figure: `longest turns ${found.map(({ turn }) => digits(turn)).join(', ')} ms`,
      beside: `${found.map(({ msPerMb }) => digits(msPerMb)).join(', ')} ms/MB; ${Math.max(...found.map(({ memory }) => memory)).toFixed(0)} MB${refused.length === 0 ? '' : `; refused: ${refused.map(({ status }) => status).join(', ')}`}`,
      goal: atMost(Math.max(...found.map(({ turn }) => turn)), mostMs, ' ms'),
    });
  }
  return lines;
}
