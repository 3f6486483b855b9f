import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { badRequest, persistedQueryRefused } from './errors.ts';

/** Documents by the hexadecimal SHA-256 of their text, with or without `sha256:`. The dashboard's build writes it. */
const manifest = z.record(z.string().regex(/^(sha256:)?[0-9a-f]{64}$/), z.string());

export function readManifest(file: string): Record<string, string> {
  return existsSync(file) ? manifest.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

/** The unvalidated members of a request that name or hold its document. */
interface Sent {
  query?: unknown;
  documentId?: unknown;
  extensions?: unknown;
}

export interface PersistedOperations {
  /** Whether other documents are refused, and with them introspection. */
  readonly only: boolean;
  /** Whether this text is in the manifest. */
  has(text: string): boolean;
  /**
   * The document of a request: named by `documentId` or by `extensions.persistedQuery.sha256Hash` (Apollo, urql), or sent as
   * `query`. Undefined for a request without any of the three.
   * @throws GraphQLError for an unknown name, and with `only` for a text that is not in the manifest.
   */
  documentOf(sent: Sent): string | undefined;
}

export function createPersistedOperations(
  documents: Record<string, string>,
  { only }: { only: boolean },
): PersistedOperations {
  const byHash = new Map(Object.entries(documents).map(([id, text]) => [bare(id), text]));
  const allowed = new Set(byHash.values());
  return {
    only,
    has: (text) => allowed.has(text),
    documentOf({ query, documentId, extensions }) {
      const hash = typeof documentId === 'string' ? documentId : hashIn(extensions);
      const found = hash === null ? undefined : byHash.get(bare(hash));
      if (found !== undefined) return found;
      const sent = typeof query === 'string' ? query : undefined;
      if (only && sent !== undefined && !allowed.has(sent)) {
        throw badRequest(
          "This server answers its own dashboard's operations only (BATON_PERSISTED_ONLY), not this one, nor GraphiQL: name one that it knows by documentId",
        );
      }
      if (sent !== undefined || query != null) return sent;
      if (typeof documentId === 'string') throw badRequest('No operation has this documentId: send its text as query');
      if (hash !== null) throw persistedQueryRefused(only ? 'NOT_FOUND' : 'NOT_SUPPORTED');
      return undefined;
    },
  };
}

const bare = (id: string): string => id.toLowerCase().replace(/^sha256:/, '');

function hashIn(extensions: unknown): string | null {
  const persisted = member(extensions, 'persistedQuery');
  const hash = member(persisted, 'sha256Hash');
  return typeof hash === 'string' ? hash : null;
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
