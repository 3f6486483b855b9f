import type { ItemKind } from './kinds.ts';

/** One piece of a Context, which a prompt keeps or drops. */
export interface Item {
  /** The same in every prompt of one Handoff. */
  id: string;
  kind: ItemKind;
  content: string;
  /** Importance: a prompt fills one stage before the next. */
  stage: Stage;
  /** Place of the whole text in the log, when the Context carries it shortened. */
  origin?: Origin;
  /** The agent that recorded it in a user's name. */
  recordedBy?: string;
  /** How it stands to what people said last: before it, that without an answer, or after the latest request. OLDER: from before the agent's last message. */
  order?: 'BEFORE' | 'UNANSWERED' | 'AFTER' | 'OLDER';
  /** Where the whole of it is in the log, ` (call <callId>)`: in the full form; what is shortened loses it first. */
  place?: string;
  /** The shortest useful form; below its length it is cut like any text. */
  brief?: string;
  /** The two parts of a call, shortened separately and shown together. `gist`: the call in short; `worked`: what worked instead of it. */
  call?: { made: string; gist: string; outcome: string; worked?: string };
}

/** Most important first. `head`: in every prompt, at least its beginning. `people`: Messages of users. `words`: Messages of agents. `notes`: what they found on the way to an answer. `rest`: least important. */
export const stages = ['head', 'work', 'files', 'people', 'words', 'tools', 'calls', 'notes', 'rest'] as const;
export type Stage = (typeof stages)[number];

export type Origin = { messageSequence: number; prefix: string } | { toolCallId: string; as: 'TOOL' | 'CALL' };
