import { printJson, printLine, tellLine } from '../output.ts';

export interface Line {
  event: string;
  handoff?: string;
  session?: string;
  /** For people. */
  text: string;
  exitCode?: number | null;
  reason?: string;
}

export type Report = (line: Line) => void;

/** Prints a line of progress for each event; as JSON for programs. What concerns the connection goes to standard error. */
export const reportTo =
  (json: boolean): Report =>
  ({ text, ...line }) => {
    if (json) return printJson({ at: new Date().toISOString(), ...line });
    const shown = `${line.handoff === undefined ? '' : `${line.handoff}  `}${text}`;
    if (line.handoff === undefined) tellLine(shown);
    else printLine(shown);
  };
