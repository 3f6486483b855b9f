/** What a board shows, as in the URL. */
export interface BoardView {
  slug: string;
  /** Null: the stages of the newest version, with the Sessions of all versions. */
  version: number | null;
}

export function readBoardView(slug: string, search: string): BoardView {
  const version = Number(new URLSearchParams(search).get('version'));
  return { slug, version: Number.isSafeInteger(version) && version > 0 ? version : null };
}

export const writeBoardView = ({ slug, version }: BoardView): string =>
  `/pipelines/${encodeURIComponent(slug)}/board${version === null ? '' : `?version=${version}`}`;
