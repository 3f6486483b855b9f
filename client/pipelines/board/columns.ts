import type { BoardView } from './view.ts';

export interface StageColumn {
  stage: string;
  role: string | null;
  /** The newest version has no such stage. */
  isEarlier: boolean;
}

interface Version {
  version: number;
  stages: readonly { name: string; role?: string | null }[];
}

/** The stages of the version; for all versions those of the newest, then those that only earlier ones have. */
export function columnsOf(view: BoardView, versions: readonly Version[]): StageColumn[] {
  const chosen =
    view.version === null
      ? versions.toSorted((one, other) => other.version - one.version)
      : versions.filter(({ version }) => version === view.version);
  const columns = new Map<string, StageColumn>();
  for (const [index, { stages }] of chosen.entries()) {
    for (const { name, role = null } of stages)
      if (!columns.has(name)) columns.set(name, { stage: name, role, isEarlier: index > 0 });
  }
  return [...columns.values()];
}
