import type { Count, Facts, ImportedTask, Transcript, TranscriptFormat } from './transcripts/transcript.ts';

/** What an import did; the rest of a report is what the whole file says. */
export interface Imported {
  messagesAdded: number;
  turnsAdded: number;
  toolCallsAdded: number;
  resultsFilled: number;
  redactions: number;
  /** Lines that an earlier import had brought. */
  alreadyKnown: number;
}

export interface TypeCount {
  type: string;
  count: number;
}

/** The report of an import, in GraphQL and as JSON: the names are the contract's. */
export interface ImportReport extends Omit<Facts, 'entryTypes' | 'unknownTypes'>, Imported {
  format: TranscriptFormat;
  entryTypes: TypeCount[];
  unknownTypes: TypeCount[];
  toolCalls: Count[];
  tasks: ImportedTask[];
}

const byType = (counts: Count[]): TypeCount[] => counts.map(({ name, count }) => ({ type: name, count }));

export const reportOf = ({ format, facts }: Transcript, imported: Imported): ImportReport => ({
  format,
  ...facts,
  entryTypes: byType(facts.entryTypes),
  unknownTypes: byType(facts.unknownTypes),
  ...imported,
});
