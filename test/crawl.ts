import { getNamedType, graphql, isLeafType, isObjectType, type GraphQLObjectType } from 'graphql';
import { expect } from 'vitest';
import type { GraphQLContext } from '../server/api/graphql/context.ts';
import { nodePrefixes } from '../server/api/graphql/nodeIds.ts';
import { schema } from '../server/api/graphql/schema.ts';
import type { Caller } from '../server/core/work.ts';

/** Fields that an agent may select of itself only. matrixReads.test.ts tests the refusal. */
export const ofItself = [
  'instructions',
  'metadata',
  'totalAssigned',
  'collaborators',
  'collaborations',
  'definition',
  'prompt',
  'handoffToolDefinitions',
  'sessions',
  'handoffsReceived',
  'handoffsGiven',
  'notices',
];

/** Selects all fields of a type, down to `depth` levels of objects. Of an Agent without those of itself only. */
export function everything(type: GraphQLObjectType, depth: number): string {
  const fields = Object.values(type.getFields()).flatMap(({ name, type: outer }) => {
    const inner = getNamedType(outer);
    if (type.name === 'Agent' && ofItself.includes(name)) return [];
    // Of an ADMIN only.
    if (type.name === 'Actor' && name === 'key') return [];
    if (isLeafType(inner)) return [name];
    if (isObjectType(inner) && depth > 0) return [`${name} { ${everything(inner, depth - 1)} }`];
    return [];
  });
  return ['__typename', ...fields].join(' ');
}

/** Nodes that are asked for in one request. */
const together = 20;

export interface Reached {
  ids: Set<string>;
  texts: string;
}

/** Returns what reads all that a caller can reach: what the lists show, and from there from id to id. */
export const crawler =
  (contextFor: (caller: Caller) => GraphQLContext, agents: readonly string[]) =>
  async (caller: Caller): Promise<Reached> => {
    const ask = async (source: string): Promise<string> => {
      const { data, errors } = await graphql({ schema, source, contextValue: contextFor(caller) });
      expect(errors).toBeUndefined();
      return JSON.stringify(data);
    };
    let texts = '';
    for (const root of ['sessions', 'handoffs', 'agents', 'handoffGraph', 'handoffTools', 'viewer']) {
      const type = getNamedType(schema.getQueryType()!.getFields()[root]!.type) as GraphQLObjectType;
      texts += await ask(`{ ${root} { ${everything(type, 3)} } }`);
    }
    const found =
      '... on Session { id title } ... on Agent { id name } ... on Handoff { id reason } ... on Message { id content }';
    for (const beginning of 'abcdefghijklmnopqrstuvwxyz')
      texts += await ask(
        `{ search(query: "${beginning}", first: 100) { edges { match { text } node { ${found} } } } }`,
      );
    const ids = new Set<string>();
    const types = schema.getPossibleTypes(schema.getType('Node') as never);
    for (let fresh = idsIn(texts); fresh.length > 0;) {
      for (const id of fresh) ids.add(id);
      const pages: string[] = [];
      for (const type of types) {
        const ofType = fresh.filter((id) => id.startsWith(`${nodePrefixes[type.name as keyof typeof nodePrefixes]}_`));
        for (let at = 0; at < ofType.length; at += together) {
          const nodes = ofType
            .slice(at, at + together)
            .map((id, index) => `node${index}: node(id: "${id}") { ...Everything }`);
          pages.push(
            await ask(`{ ${nodes.join(' ')} } fragment Everything on ${type.name} { ${everything(type, 2)} }`),
          );
        }
      }
      for (const name of agents)
        pages.push(
          await ask(
            `{ node(id: "${name}") { ... on Agent { ${everything(schema.getType('Agent') as GraphQLObjectType, 3)} } } }`,
          ),
        );
      const page = pages.join('\n');
      texts += page;
      fresh = idsIn(page).filter((id) => !ids.has(id));
    }
    return { ids, texts };
  };

const idsIn = (text: string): string[] =>
  [...new Set(text.match(/"[a-z]+_[0-7][0-9a-z]{25}"/g))].map((id) => id.slice(1, -1));
