import type { Plugin } from 'vite';
import * as generated from './gql/graphql.ts';

const call = /\bgraphql\(`([^`]*)`\)/g;
const definition = /^\s*(query|mutation|subscription|fragment)\s+(\w+)/;

/** Puts each document where it is used: the map in `gql.ts` would load those of all pages with the first one. */
export const documentsInPlace = (): Plugin => ({
  name: 'documents-in-place',
  enforce: 'pre',
  transform(code, id) {
    const placed = /(?<!\/gql\/gql)\.tsx?$/.test(id)
      ? code.replace(call, (_call, text: string) => `(${JSON.stringify(documentOf(text))})`)
      : code;
    return placed === code ? null : { code: placed, map: null };
  },
});

function documentOf(text: string): unknown {
  const [, kind, name] = definition.exec(text) ?? [];
  const document = (generated as Record<string, unknown>)[`${name}${kind === 'fragment' ? 'FragmentDoc' : 'Document'}`];
  if (document === undefined) throw new Error(`client/gql has no ${kind} ${name}: run npm run codegen`);
  return document;
}
