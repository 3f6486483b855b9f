import { statement } from '../../core/changes.ts';
import type { Item } from './item.ts';
import type { Reader } from './sources.ts';

/** What an agent in a stage of a pipeline has to know: how the stage is left, and what the stages before were left with. */
export interface StageGuide {
  pipeline: string;
  name: string;
  phase: string | null;
  instructions: string | null;
  outcomes: {
    outcome: string;
    /** In the order in which they are tried. `to`: null completes the Session. `payloadSchema`: null for any payload. */
    ways: { to: string | null; back: boolean; when: string | null; payloadSchema: object | null }[];
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
    ...outcomes.map(({ outcome, ways }) => {
      const payloads = ways.map(({ payloadSchema }) => payloadSchemaText(payloadSchema));
      const [only, ...others] = new Set(payloads);
      const isOne = others.length === 0;
      const texts = ways.map((way, at) => `${wayText(way)}${isOne ? '' : ` (payload: ${payloads[at]})`}`);
      return `- ${outcome} ${texts.join('; else it ')}.${isOne ? ` Payload: ${only}.` : ''}`;
    }),
  ];
  return lines.join('\n');
}

const payloadSchemaText = (schema: object | null): string =>
  schema === null ? 'any JSON' : `JSON that matches ${JSON.stringify(schema)}`;

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

/** Names the payloads that a Handoff tells: those before the stay of its target, or, when it leaves the pipeline, those up to the stay that it left. */
export const payloadsFor = (entryId: string | null, leftEntryId: string | null): string | null =>
  entryId ?? (leftEntryId === null ? null : `${leftEntryId}+`);

const readStatement = statement(`
SELECT k.name, y.number, y.stage, y.attempt, y.agent_id AS "agentId", y.outcome, y.payload::text AS payload, y.nth = 1 AS newest,
  (SELECT l.reason FROM handoffs l WHERE l.left_entry_id = y.id ORDER BY l.depth LIMIT 1) AS reason
FROM unnest($1::text[]) k (name) JOIN stage_entries e ON e.id = rtrim(k.name, '+')::uuid CROSS JOIN LATERAL (
  SELECT *, row_number() OVER (ORDER BY nth = 1 DESC, number DESC) - count(*) FILTER (WHERE nth = 1) OVER () AS earlier FROM (
    SELECT *, row_number() OVER (PARTITION BY stage ORDER BY number DESC) AS nth FROM stage_entries
    WHERE session_id = e.session_id AND number < e.number + (k.name LIKE '%+')::int AND outcome IS NOT NULL AND payload IS NOT NULL AND payload <> 'null') n) y
WHERE y.earlier <= ${mostEarlier} ORDER BY k.name, y.number`);

/** What the stages were left with, by `payloadsFor`: the newest of each stage, and the newest of the others. */
export async function readStagePayloads(
  reader: Reader,
  names: readonly string[],
): Promise<Map<string, StagePayload[]>> {
  const rows = (await reader.query(readStatement, [names])) as (StagePayload & { name: string })[];
  const found = new Map<string, StagePayload[]>(names.map((name) => [name, []]));
  for (const { name, ...payload } of rows) found.get(name)!.push(payload);
  return found;
}
