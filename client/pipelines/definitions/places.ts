import type { Look } from '../../ui/Badge.tsx';

export const versionPath = (slug: string, version: number | null): string =>
  version === null ? `/pipelines/${slug}` : `/pipelines/${slug}?version=${version}`;

/** The version in the URL; null for the newest. */
export function readVersion(params: URLSearchParams): number | null {
  const version = Number(params.get('version'));
  return Number.isInteger(version) && version >= 1 && version < 2 ** 31 ? version : null;
}

export const archivedLook: Look = { tone: 'calm', icon: 'ban', word: 'Archived' };
