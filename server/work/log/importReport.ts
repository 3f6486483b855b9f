import type { Count, Facts, ImportedTask, Transcript, TranscriptFormat } from './transcripts/transcript.ts';

/** The part of a report that concerns this import; the rest concerns the whole file. */
export interface Imported {
  messagesAdded: number;
  turnsAdded: number;
  toolCallsAdded: number;
  resultsFilled: number;
  redactions: number;
  /** Lines that an earlier import had written. */
  alreadyKnown: number;
}

export interface TypeCount {
  type: string;
  count: number;
}

/** The report of an import, in GraphQL and as JSON. Its names are part of the contract. */
export interface ImportReport extends Omit<Facts, 'entryTypes' | 'unknownTypes'>, Imported {
  format: TranscriptFormat;
  entryTypes: TypeCount[];
  unknownTypes: TypeCount[];
  toolCalls: Count[];
  tasks: ImportedTask[];
}

const byType = (counts: Count[]): TypeCount[] => counts.map(({ name, count }) => ({ type: name, count }));

export const reportOf = (
  { format, facts }: Pick<Transcript, 'format' | 'facts'>,
  imported: Imported,
): ImportReport => ({
  format,
  ...facts,
  entryTypes: byType(facts.entryTypes),
  unknownTypes: byType(facts.unknownTypes),
  ...imported,
});
