import { graphql } from 'graphql';
import { expect } from 'vitest';
import { contexts } from '../server/api/graphql/context.ts';
import { schema } from '../server/api/graphql/schema.ts';
import { encodeId, type IdPrefix } from '../server/core/ids.ts';
import { silentLog } from '../server/infra/log.ts';
import type { TestDatabase } from './database.ts';
import { send } from './graphql.ts';
import { adminKey, secretFor } from './keyring.ts';
import { sseStream } from './socket.ts';
import { agentCaller } from './world.ts';

/** Reads a Session as an agent does, through every field, list, download and stream. The server has `adminKey`, and an agent 'cid'. */
export function agentReads({ prisma, pool }: TestDatabase, url: string) {
  const contextFor = contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog });

  /** The ids of all records of a Session. */
  async function idsOf(sessionId: string): Promise<string[]> {
    const tables: [IdPrefix, string][] = [
      ['handoff', 'handoffs'],
      ['turn', 'turns'],
      ['message', 'messages'],
      ['toolcall', 'tool_calls'],
      ['decision', 'decisions'],
      ['task', 'tasks'],
      ['event', 'events'],
    ];
    const found = await Promise.all(
      tables.map(async ([prefix, table]) =>
        (await pool.query<{ id: string }>(`SELECT id FROM ${table} WHERE session_id = $1`, [sessionId])).rows.map(
          ({ id }) => encodeId(prefix, id),
        ),
      ),
    );
    return found.flat();
  }

  const keys = new Map<string, string>();
  const keyOf = async (agentId: string): Promise<string> => {
    if (!keys.has(agentId)) keys.set(agentId, await secretFor(pool, 'AGENT', agentId));
    return keys.get(agentId)!;
  };

  /** All that an agent can read of this Session by its ids, lists, downloads and streams. */
  async function readAll(agentId: string, sessionId: string, since: string): Promise<string> {
    const records = await idsOf(sessionId);
    const id = encodeId('session', sessionId);
    const texts: string[] = [];
    const ask = async (source: string, variableValues: Record<string, unknown> = {}): Promise<unknown> => {
      const { data, errors } = await graphql({
        schema,
        source,
        variableValues,
        contextValue: contextFor(agentCaller(agentId)),
      });
      expect(errors).toBeUndefined();
      texts.push(JSON.stringify(data));
      return data;
    };
    const content =
      '... on Handoff { reason given: summary metadata markdown } ... on Turn { workspace { branch } messages { content } toolCalls { arguments } } ... on Message { content } ... on ToolCall { arguments result error filesModified } ... on Decision { text } ... on Task { content } ... on Event { reason summary metadata }';
    for (let at = 0; at < records.length; at += 100)
      await ask(`query ($ids: [ID!]!) { nodes(ids: $ids) { id ${content} } }`, { ids: records.slice(at, at + 100) });
    await ask(
      `{ contextPreview(sessionId: "${id}") { text } sessionEvents(sessionId: "${id}") { nodes { type reason summary metadata handoff { reason summary } } } }`,
    );
    await ask(
      `{ agent(id: "${agentId}") { prompt(sessionId: "${id}") { text } sessions { nodes { tasks { content } decisions { text } contextVariables { name value } lastHandoff { summary } } } handoffsReceived { nodes { summary } } handoffsGiven { nodes { summary priorTurn { messages { content } } } } } }`,
    );
    await ask(
      `{ session(id: "${id}") { oldest: messages(last: 100) { edges { node { content handoff { summary } } } } turns { edges { node { toolCalls { result } } } } handoffs { edges { node { reason chain { reason } previous { reason } triggeringToolCalls { arguments } priorTurn { index } } } } snapshots { nodes { visibleToolCalls { arguments result } } } agentSessions { nodes { initiatedByHandoff { reason } terminatedByHandoff { reason } startedBy { reason } turns { nodes { messages { content } } } } } } }`,
    );
    const results =
      '{ totalCount edges { match { text } node { ... on Session { title endReason } ... on Handoff { reason summary rejectionReason } ... on Message { content } } } }';
    for (const words of ['HIDDEN', 'GIVEN', 'LATER', 'last words'])
      await ask(`{ search(query: "${words}") ${results} }`);
    for (let at = 0; at < records.length; at += 12)
      await ask(`{ search(query: "${records.slice(at, at + 12).join(',')}") ${results} }`);
    await ask(
      `{ simulateHandoff(sessionId: "${id}", targetAgentId: "cid") { context { text } variables { name value } } }`,
    );
    await ask(`{ suggestTargets(sessionId: "${id}") { agent { id } factors { explanation } } }`);
    const { handoffs } = (await ask('{ handoffs { nodes { id contextPrompt { kept { id } dropped { id } } } } }')) as {
      handoffs: { nodes: { id: string; contextPrompt: { kept: { id: string }[] } }[] };
    };
    const fields = [
      ...handoffs.nodes.flatMap((handoff) =>
        handoff.contextPrompt.kept.map(
          (item) => `contextItem(handoffId: "${handoff.id}", itemId: "${item.id}") { content }`,
        ),
      ),
      ...records
        .filter((each) => each.startsWith('handoff_'))
        .flatMap((record) => [
          `contextItem(handoffId: "${record}", itemId: "summary-1") { content }`,
          `handoff(id: "${record}") { summary }`,
        ]),
    ];
    for (let at = 0; at < fields.length; at += 20)
      await ask(
        `{ ${fields
          .slice(at, at + 20)
          .map((field, index) => `field${index}: ${field}`)
          .join(' ')} }`,
      );
    const headers = { authorization: `Bearer ${await keyOf(agentId)}` };
    for (const path of [
      `sessions/${id}.json`,
      ...records
        .filter((each) => each.startsWith('handoff_'))
        .flatMap((each) => [`handoffs/${each}.md`, `handoffs/${each}.json`]),
    ]) {
      texts.push((await send(`${url}/${path}`, { headers })).body);
    }
    const events = records.filter((each) => each.startsWith('event_')).length;
    for (const [field, args] of [
      ['sessionUpdated', ''],
      ['handoffEvents', `where: { sessionId: "${id}" }, `],
    ] as const) {
      const stream = await sseStream(
        url,
        `subscription ($after: String) { event: ${field}(${args}after: $after) { type sessionSequence reason summary metadata handoff { reason summary } session { contextVariables { value } } } }`,
        { after: since },
        headers,
      );
      for (;;) {
        const { data } = await stream.result<{ event: { sessionSequence: number | null } }>();
        texts.push(JSON.stringify(data));
        if (data?.event.sessionSequence === events) break;
      }
      stream.close();
    }
    return texts.join('\n');
  }

  /** The cursor of the present. */
  const now = async (): Promise<string> => {
    const stream = await sseStream(
      url,
      'subscription { event: sessionUpdated { cursor } }',
      {},
      { authorization: `Bearer ${adminKey}` },
    );
    const { data } = await stream.result<{ event: { cursor: string } }>();
    stream.close();
    return data!.event.cursor;
  };

  return { contextFor, now, readAll };
}
