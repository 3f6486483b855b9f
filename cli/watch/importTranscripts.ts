import type { Transcript } from '../hook/lines.ts';
import { Failed } from '../hook/request.ts';
import { sendNew } from '../hook/send.ts';
import { StateFile } from '../hook/state.ts';
import { workIn } from '../hook/work.ts';
import { whileAway } from './patience.ts';
import { keptTranscript, startedAt, type Run } from './runs.ts';
import { transcriptsOf } from './transcripts.ts';
import type { Watched } from './watched.ts';

/** A part of a transcript takes at most this long. */
const importMs = 120_000;

/** Imports what the command of a run wrote. What the hooks of the tool have sent already is not sent again. */
export async function importTranscripts(watched: Watched, run: Run, session: string): Promise<void> {
  const resumed = keptTranscript(run);
  for (const transcript of [...(resumed === null ? [] : [resumed]), ...transcriptsOf(run.handoffId, startedAt(run))]) {
    const problem = await importOne(watched, session, transcript);
    if (problem !== null)
      watched.report({
        event: 'not imported',
        handoff: run.handoffId,
        session,
        text: `${transcript.path} was not imported: ${problem}`,
      });
  }
}

/** Returns why it was not imported, or null. */
async function importOne(
  { agent, url, key }: Watched,
  session: string,
  transcript: Transcript,
): Promise<string | null> {
  const work = workIn(process.cwd(), undefined, { BATON_SESSION: session });
  const file = new StateFile(url, transcript.path);
  try {
    return await whileAway(async () => {
      const signal = AbortSignal.timeout(importMs);
      let reason: string | null = null;
      await file.locked(signal, async () => {
        ({ refusal: reason } = await sendNew(
          file,
          {
            server: { url, key },
            agent,
            work,
            transcript,
            turnEnd: Infinity,
            handsOff: false,
            compacts: false,
            ends: false,
            isOfTenure: true,
          },
          signal,
        ));
      });
      return reason;
    });
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    // The hooks sent the turn before the session was handed off.
    return error.code === 'INVALID_STATE' && file.read().sentTo > 0 ? null : error.message;
  }
}
