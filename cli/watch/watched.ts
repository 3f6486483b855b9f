import type { Workspace } from '../hook/work.ts';
import type { Program } from '../native/toolFolders.ts';
import type { Also } from './place.ts';
import type { Report } from './report.ts';
import type { Runs } from './runs.ts';

/** What one process of `baton watch` was started for. */
export interface Watched {
  agent: string;
  url: string;
  key: string | undefined;
  command: string;
  /** The program whose `resume` the command calls; null: it begins with the prompt. */
  native: Program | null;
  parallel: number;
  /** The folder in which the process was started, as it was then. */
  here: Workspace;
  also: Also;
  runs: Runs;
  report: Report;
}
