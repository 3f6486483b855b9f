import { statement, type Statement } from '../../core/changes.ts';
import type { ApprovalRule } from '../../generated/prisma/client.ts';
import { generatedPrefix, type HandoffTool, type ToolVariable } from './tool.ts';

/** Runs a prepared statement: a transaction or the pool. */
export interface Reader {
  query<Row extends object>(prepared: Statement, values: unknown[]): Promise<Row[]>;
}

export interface ToolFilter {
  ids?: readonly string[];
  /** Tools that are offered to one of these agents. */
  agentIds?: readonly string[] | null;
  targetAgentId?: string | null;
  name?: string;
  generated?: boolean | null;
  archived: boolean;
}

interface Row {
  id: string;
  name: string;
  description: string | null;
  /** When to use a generated tool; null when nobody said it. */
  when: string | null;
  target_agent_id: string;
  agent_ids: string[];
  variables: ToolVariable[];
  instructions: string | null;
  carry: unknown;
  approval: ApprovalRule;
  generated: boolean;
  created_at: Date | null;
  archived_at: Date | null;
  target_name: string;
  target_role: string | null;
  target_archived: boolean;
  target_available: boolean;
}

/** The id of the tool that is generated from a collaboration, a UUIDv8. An index of `agent_collaborators` has this expression. */
const generatedId =
  "overlay(overlay(md5(c.agent_id || ' ' || c.collaborator_id) PLACING '8' FROM 13) PLACING '8' FROM 17)::uuid";

const ofTarget = `a.name AS target_name, a.role AS target_role, a.archived_at IS NOT NULL AS target_archived,
  a.archived_at IS NULL AND a.administrative_status = 'AVAILABLE' AND a.current_load < a.max_capacity AS target_available`;

const defined = `SELECT t.id, t.name, t.description, NULL AS "when", t.target_agent_id,
    ARRAY(SELECT o.agent_id FROM handoff_tool_offers o WHERE o.tool_id = t.id ORDER BY o.agent_id) AS agent_ids,
    t.variables, t.instructions, t.carry, t.approval, false AS generated, t.created_at, t.archived_at, ${ofTarget}
  FROM handoff_tools t JOIN agents a ON a.id = t.target_agent_id`;

// Without statistics a join would read all agents: a page of 60,000 tools took over 5 s.
const generated = `SELECT ${generatedId} AS id, '${generatedPrefix}' || c.collaborator_id AS name, a.description, c."when", c.collaborator_id AS target_agent_id,
    ARRAY[c.agent_id] AS agent_ids,
    '[]'::jsonb AS variables, c.instructions, c.carry, c.approval, true AS generated, NULL::timestamptz AS created_at, coalesce(a.archived_at, s.archived_at) AS archived_at, ${ofTarget}
  FROM agent_collaborators c
    CROSS JOIN LATERAL (SELECT * FROM agents WHERE id = c.collaborator_id LIMIT 1) a
    CROSS JOIN LATERAL (SELECT archived_at FROM agents WHERE id = c.agent_id LIMIT 1) s`;

/** The tools that a filter leaves, defined and generated ones, as a table expression and its values. */
function toolsSql(filter: ToolFilter): { sql: string; values: unknown[] } {
  const values: unknown[] = [];
  const [ofDefined, ofGenerated]: [string[], string[]] = [['true'], ['true']];
  const add = (value: unknown, inDefined: (place: string) => string, inGenerated: (place: string) => string): void => {
    const place = `$${values.push(value)}`;
    ofDefined.push(inDefined(place));
    ofGenerated.push(inGenerated(place));
  };
  if (filter.ids != null)
    add(
      filter.ids,
      (ids) => `t.id = ANY (${ids}::uuid[])`,
      (ids) => `${generatedId} = ANY (${ids}::uuid[])`,
    );
  if (filter.agentIds != null) {
    // With ANY, PostgreSQL would plan the statement at each execution (0.5 ms): its estimate depends on the length of the list.
    const [given, is] =
      filter.agentIds.length === 1
        ? [filter.agentIds[0], (id: string) => `= ${id}`]
        : [filter.agentIds, (ids: string) => `= ANY (${ids}::text[])`];
    add(
      given,
      (place) => `t.id IN (SELECT tool_id FROM handoff_tool_offers WHERE agent_id ${is(place)})`,
      (place) => `c.agent_id ${is(place)}`,
    );
  }
  if (filter.targetAgentId != null)
    add(
      filter.targetAgentId,
      (id) => `t.target_agent_id = ${id}`,
      (id) => `c.collaborator_id = ${id}`,
    );
  if (filter.name !== undefined)
    add(
      filter.name,
      (name) => `t.name = ${name}`,
      (name) => `'${generatedPrefix}' || c.collaborator_id = ${name}`,
    );
  if (!filter.archived) {
    ofDefined.push('t.archived_at IS NULL');
    ofGenerated.push('a.archived_at IS NULL', 's.archived_at IS NULL');
  }
  const parts = [
    ...(filter.generated === true ? [] : [`${defined} WHERE ${ofDefined.join(' AND ')}`]),
    ...(filter.generated === false ? [] : [`${generated} WHERE ${ofGenerated.join(' AND ')}`]),
  ];
  return { sql: parts.join('\nUNION ALL\n'), values };
}

const toolOf = (row: Row): HandoffTool => ({
  id: row.id,
  name: row.name,
  description: row.generated ? describeTarget(row) : row.description!,
  targetAgentId: row.target_agent_id,
  agentIds: row.agent_ids,
  variables: row.variables,
  instructions: row.instructions,
  carry: row.carry,
  approval: row.approval,
  generated: row.generated,
  createdAt: row.created_at,
  archivedAt: row.archived_at,
  target: {
    name: row.target_name,
    role: row.target_role,
    archived: row.target_archived,
    available: row.target_available,
  },
});

/** What a model reads of a generated tool. */
function describeTarget({ target_agent_id: id, target_name: name, target_role: role, when, description }: Row): string {
  const details = [name === id ? null : name, role].filter((detail) => detail !== null && detail !== '');
  const [condition, purpose] = [when, description].map((text) => text?.replace(/\s+/g, ' ').trim() ?? '');
  const sentences = [
    `Hands this session off to the agent '${id}'${details.length === 0 ? '' : ` (${details.join(', ')})`}`,
    condition === ''
      ? ''
      : `Use it ${startOfWhen.test(condition!) ? withoutCapital(condition!) : `in this case: ${condition}`}`,
    purpose!,
  ];
  return sentences
    .filter((text) => text !== '')
    .map((text) => text.charAt(0).toUpperCase() + text.slice(1))
    .map((text) => (/[.!?…][)"'”’]?$/.test(text) ? text : `${text.replace(/[\s:;,]+$/, '')}.`))
    .join(' ');
}

/** Words with which a condition goes on as a sentence. */
const startOfWhen = /^(?:when|if|for|after|before|once|to|as soon as|whenever|while|on)\b/i;
const withoutCapital = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Statements by their text: naming one takes longer than sending it. There are as many as filters. */
const statements = new Map<string, Statement>();
function statementOf(text: string): Statement {
  const known = statements.get(text) ?? statement(text);
  statements.set(text, known);
  return known;
}

/** The tools that a filter leaves, by name. */
export async function findTools(reader: Reader, filter: ToolFilter): Promise<HandoffTool[]> {
  const { sql, values } = toolsSql(filter);
  return (await reader.query<Row>(statementOf(`${sql} ORDER BY name, id`), values)).map(toolOf);
}

interface PageSql {
  where: string;
  orderBy: string;
  take: number;
  values: readonly unknown[];
}

/** A page of them; `page` gets the number of values before its own. */
export async function pageOfTools(
  reader: Reader,
  filter: ToolFilter,
  page: (given: number) => PageSql,
): Promise<HandoffTool[]> {
  const { sql, values } = toolsSql(filter);
  const { where, orderBy, take, values: bounds } = page(values.length);
  const text = `SELECT * FROM (${sql}) tools WHERE ${where} ORDER BY ${orderBy} LIMIT ${take}`;
  return (await reader.query<Row>(statement(text), [...values, ...bounds])).map(toolOf);
}

export async function countTools(reader: Reader, filter: ToolFilter): Promise<number> {
  const { sql, values } = toolsSql(filter);
  const [row] = await reader.query<{ count: number }>(statement(`SELECT count(*)::int FROM (${sql}) tools`), values);
  return row!.count;
}
