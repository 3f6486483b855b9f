import { statement } from '../../core/changes.ts';
import { BadUserInputError, InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct, demandOpen, lockSession } from '../custody/demand.ts';
import { followWindow } from '../handoffs/pressure.ts';
import { redactInput } from '../redaction/redact.ts';
import { followBudget, useOf } from '../sessions/budget.ts';
import { createSession, defaultMaxHandoffs } from '../sessions/createSession.ts';
import { readKnown, type Known } from './importKnown.ts';
import { ImportLog } from './importLog.ts';
import { reportOf, type ImportReport } from './importReport.ts';
import type { Prepared } from './preparation.ts';
import { refusalOfAgentTurn } from './rules.ts';
import { formats } from './transcripts/formats.ts';

export interface ImportTranscriptInput {
  sessionId: string;
  /** Author of the turns; null means the holder, if there is one. */
  agentId: string | null;
  transcript: Prepared;
  /** Whether the program is about to compact its window. */
  windowFull?: boolean;
}

interface Pressure {
  /** See `followWindow`. */
  contextPressure: number;
}

export interface ImportAnswer {
  sessionId: string;
  report: ImportReport;
}

/**
 * Writes the new parts of a transcript into the log. Changes no Handoff, Context or tenure (rule: import is history).
 * Importing the same transcript again changes nothing.
 */
export async function importTranscript(
  work: Work,
  { sessionId, agentId, transcript, windowFull = false }: ImportTranscriptInput,
  { contextPressure }: Pressure,
): Promise<ImportAnswer> {
  await lockSession(work, sessionId);
  const custody = await Custody.of(work, sessionId, { holder: false });
  const tenure = agentId === null ? null : await readTenure(work, sessionId, agentId);
  demandAct(custody, 'speak', { actsFor: agentId });
  demandOpen(custody);
  const known = await readKnown(work, sessionId, transcript);
  if (!isOfLastTenure(custody, tenure, known, transcript)) demandMayImport(custody);
  if (agentId !== null && tenure === null) throw neverHeld(custody, agentId);
  const agentSessionId = agentId === null ? (custody.openTenure?.id ?? null) : tenure!.id;
  const log = await ImportLog.open(custody, agentSessionId, transcript, known);
  const use = await useOf(custody);
  await log.append();
  await log.count();
  await log.setTasks();
  await log.finish();
  if (log.changed) custody.recordLog('TURN_APPENDED');
  await followWindow(
    custody,
    agentSessionId,
    { tokens: log.windowReports(), contextWindow: transcript.contextWindow, isFull: windowFull },
    contextPressure,
  );
  if (use !== null) await followBudget(custody, use, (await useOf(custody))!);
  return { sessionId, report: reportOf(transcript, { ...log.added, alreadyKnown: known.lines.length }) };
}

/** Operators may import into any open Session; agents only into one that they hold as ACTIVE, and for themselves. `isOfLastTenure` is the exception. */
function demandMayImport({ work, session, openTenure, questionId }: Custody): void {
  const { agentId } = work.caller;
  if (agentId === null) return;
  const refusal = refusalOfAgentTurn({
    sessionStatus: session.status,
    holderId: session.agentId,
    tenureState: openTenure?.state ?? null,
    questionId,
    agentId,
  });
  if (refusal !== null) throw refusal;
}

/**
 * Whether the transcript is of the tenure that the agent's last handoff ended, and the Session was not handed off again since:
 * it has lines of earlier imports, or the prompt of the Handoff that began the tenure.
 */
const isOfLastTenure = (
  { session }: Custody,
  tenure: EarlierTenure | null,
  { continues }: Known,
  { handoffs }: Prepared,
): boolean =>
  tenure?.endedBy != null &&
  tenure.endedBy === session.lastHandoffId &&
  (continues || (tenure.begunBy !== null && handoffs.has(encodeId('handoff', tenure.begunBy))));

interface EarlierTenure {
  id: string;
  /** The Handoff that began it; null when none did. */
  begunBy: string | null;
  /** The Handoff that ended it; null when none did. */
  endedBy: string | null;
}

const findTenure = statement(
  `SELECT t.id, t.terminated_by_handoff_id AS "endedBy", (SELECT id FROM handoffs WHERE target_agent_session_id = t.id) AS "begunBy" FROM agents a
   LEFT JOIN LATERAL (SELECT * FROM agent_sessions WHERE session_id = $1 AND agent_id = a.id ORDER BY started_at DESC, id DESC LIMIT 1) t ON true
   WHERE a.id = $2`,
);

/** The agent's last tenure in the Session; null without one. */
async function readTenure(work: Work, sessionId: string, agentId: string): Promise<EarlierTenure | null> {
  const [found] = await work.query<Omit<EarlierTenure, 'id'> & { id: string | null }>(findTenure, [sessionId, agentId]);
  if (found === undefined) throw new NotFoundError('agent', agentId);
  return found.id === null ? null : { ...found, id: found.id };
}

function neverHeld({ session }: Custody, agentId: string): InvalidStateError {
  const holder = session.agentId === null ? 'it is unassigned' : `'${session.agentId}' holds it`;
  return new InvalidStateError(
    `Agent '${agentId}' never had the session (${holder}): leave agentId out, or reassign the session to it first (reassignSession)`,
    session.agentId === null ? 'UNASSIGNED' : `HELD BY ${session.agentId}`,
    ['ACTIVE'],
  );
}

export interface ImportNewSessionInput {
  /** As given, not yet redacted; null means the transcript's title. */
  title: string | null;
  /** Holder of the Session and author of its turns; null for none. */
  agentId: string | null;
  handoffsEnabled: boolean;
  transcript: Prepared;
}

/** Creates a Session and imports a transcript into it, in one transaction. */
export async function importNewSession(
  work: Work,
  { title, agentId, handoffsEnabled, transcript }: ImportNewSessionInput,
  pressure: Pressure,
): Promise<ImportAnswer> {
  if (!transcript.hasEntries) {
    throw new BadUserInputError(
      'input.content has no message and no tool call: there is nothing to record, and no session was created',
      ['input', 'content'],
    );
  }
  const given = title === null ? titleOf(transcript) : redactInput({ title }).title;
  const created = {
    agentId,
    agentType: null,
    metadata: null,
    contextVariables: null,
    maxHandoffs: defaultMaxHandoffs,
    handoffsEnabled,
    recording: agentId !== null,
  };
  const { sessionId } = await createSession(work, { ...created, title: given });
  await work.flush();
  return importTranscript(work, { sessionId, agentId, transcript }, pressure);
}

const titleOf = ({ title, format, facts }: Prepared): string =>
  title ??
  `${formats[format].program} session${facts.firstAt === null ? '' : ` of ${facts.firstAt.toISOString().slice(0, 10)}`}`;
