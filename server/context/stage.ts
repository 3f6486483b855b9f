import { statement } from '../core/changes.ts';
import type { Reader } from './sources.ts';
import type { Item } from './item.ts';

/** What an agent in a stage of a pipeline has to know: how the stage is left, and what the stages before were left with. */
export interface StageGuide {
  pipeline: string;
  name: string;
  phase: string | null;
  instructions: string | null;
  outcomes: {
    outcome: string;
    /** In the order in which they are tried. `to`: null completes the Session. */
    ways: { to: string | null; back: boolean; when: string | null }[];
    /** Null: any payload. */
    payloadSchema: object | null;
  }[];
}

/** What a stage was left with. */
export interface StagePayload {
  number: number;
  stage: string;
  attempt: number;
  agentId: string | null;
  outcome: string;
  reason: string | null;
  /** JSON. */
  payload: string;
  /** False for an earlier one of the same stage. */
  newest: boolean;
}

export function stageText({ pipeline, name, phase, instructions, outcomes }: StageGuide): string {
  const lines = [
    `Stage '${name}' of pipeline '${pipeline}'${phase === null ? '' : ` (${phase})`}.`,
    ...(instructions === null ? [] : [instructions]),
    'Its outcomes:',
    ...outcomes.map(
      ({ outcome, ways, payloadSchema }) =>
        `- ${outcome} ${ways.map(wayText).join('; else it ')}. Payload: ${payloadSchema === null ? 'any JSON' : `JSON that matches ${JSON.stringify(payloadSchema)}`}.`,
    ),
  ];
  return lines.join('\n');
}

const wayText = ({ to, back, when }: StageGuide['outcomes'][number]['ways'][number]): string =>
  `${to === null ? 'completes the session' : `leads ${back ? 'back ' : ''}to stage '${to}'`}${when === null ? '' : ` when ${when}`}`;

/** The items of a stage and of the payloads before it, newest first. */
export function stageItems(stage: StageGuide | null, payloads: readonly StagePayload[]): Item[] {
  const last = Math.max(...payloads.map(({ number }) => number));
  return [
    ...(stage === null
      ? []
      : [{ id: 'stage-1', kind: 'STAGE' as const, content: stageText(stage), stage: 'head' as const }]),
    ...payloads
      .toSorted((a, b) => b.number - a.number)
      .map((each): Item => ({
        id: `payload-${each.number}`,
        kind: 'PAYLOAD',
        content: payloadText(each),
        stage: each.number === last ? 'head' : each.newest ? 'work' : 'tools',
      })),
  ];
}

export const payloadText = ({ stage, attempt, agentId, outcome, reason, payload, newest }: StagePayload): string =>
  `${stage} ${outcome}, attempt ${attempt}${agentId === null ? '' : ` by ${agentId}`}${newest ? '' : ' (earlier)'}: ${payload}${reason === null ? '' : ` Reason: ${reason}`}`;

/** Earlier payloads of stages that were entered again. */
const mostEarlier = 40;

const readStatement = statement(`
SELECT e.id AS "entryId", y.number, y.stage, y.attempt, y.agent_id AS "agentId", y.outcome, y.payload::text AS payload, y.nth = 1 AS newest,
  (SELECT l.reason FROM handoffs l WHERE l.left_entry_id = y.id ORDER BY l.depth LIMIT 1) AS reason
FROM stage_entries e CROSS JOIN LATERAL (
  SELECT *, row_number() OVER (ORDER BY nth = 1 DESC, number DESC) - count(*) FILTER (WHERE nth = 1) OVER () AS earlier FROM (
    SELECT *, row_number() OVER (PARTITION BY stage ORDER BY number DESC) AS nth FROM stage_entries
    WHERE session_id = e.session_id AND number < e.number AND outcome IS NOT NULL AND payload IS NOT NULL AND payload <> 'null') n) y
WHERE e.id = ANY ($1::uuid[]) AND y.earlier <= ${mostEarlier} ORDER BY e.id, y.number`);

/** What the stages before these stays were left with: the newest of each stage, and the newest of the others. */
export async function readStagePayloads(
  reader: Reader,
  entryIds: readonly string[],
): Promise<Map<string, StagePayload[]>> {
  const rows = (await reader.query(readStatement, [entryIds])) as (StagePayload & { entryId: string })[];
  const found = new Map<string, StagePayload[]>(entryIds.map((id) => [id, []]));
  for (const { entryId, ...payload } of rows) found.get(entryId)!.push(payload);
  return found;
}
