/** What the next agent must learn. `file`: a changed file by name. `check`: a check with its newest outcome on one line. */
export type Fact = { says: string } | { file: string } | { check: string; outcome: string };

export const says = (text: string): Fact => ({ says: text });
export const file = (name: string): Fact => ({ file: name });

export interface Case {
  name: string;
  /** Transcripts of one session in order; each but the first begins after a handoff with a reason. */
  legs: readonly { text: string; reason: string }[];
  /** Whether they are transcripts of a sub-agent. */
  sidechain?: boolean;
  facts: readonly Fact[];
  /** Texts that must not be there. */
  forbidden: readonly string[];
}
