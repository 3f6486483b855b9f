interface Kind {
  title: string;
  noun: string;
  /** A single text instead of a list. */
  text?: true;
  /** The count of those that the Context does not carry. */
  leftOut?: 'tasks' | 'decisions' | 'files' | 'tools';
}

/** The kinds of items in a Context, most important first. */
export const kinds = {
  REQUEST: { title: 'Original request', noun: 'request', text: true },
  COMPACTION: { title: 'Summary of the work before the window was cut', noun: 'summary of earlier work', text: true },
  LAST_MESSAGE: { title: 'Last message', noun: 'last message', text: true },
  QUESTION: { title: 'Questions that nobody answered', noun: 'question' },
  ANSWER: { title: 'What people decided', noun: 'decision of a person' },
  REASON: { title: 'Why it was handed over', noun: 'reason', text: true },
  WORKSPACE: { title: 'Workspace', noun: 'workspace', text: true },
  WORKING_TREE: { title: 'Working tree', noun: 'working tree', text: true },
  STAGE: { title: 'Your stage of the pipeline', noun: 'stage', text: true },
  PAYLOAD: { title: 'What the stages before were left with', noun: 'payload' },
  SUMMARY: { title: 'Summary', noun: 'summary', text: true },
  METADATA: { title: 'Given with the handoff', noun: 'entry given with the handoff' },
  INSTRUCTIONS: { title: 'Your instructions', noun: 'instructions', text: true },
  TASK: { title: 'Tasks left', noun: 'task', leftOut: 'tasks' },
  DECISION: { title: 'Decisions', noun: 'decision', leftOut: 'decisions' },
  CHECK: { title: 'Last checks', noun: 'check' },
  FAILED_ATTEMPT: { title: 'Failed and not repeated with success', noun: 'failed attempt' },
  FINDING: { title: 'Results that later work relies on', noun: 'result' },
  VARIABLE: { title: 'Context variables', noun: 'variable' },
  FILE: { title: 'Files changed', noun: 'file', leftOut: 'files' },
  TOOL: { title: 'Tools used', noun: 'tool', leftOut: 'tools' },
  OBSERVATION: { title: 'Also seen on the way', noun: 'observation' },
  CALL: { title: 'Last tool calls', noun: 'call' },
  MESSAGE: { title: 'Messages', noun: 'message' },
} as const satisfies Record<string, Kind>;

export type ItemKind = keyof typeof kinds;
export const kindOf = (kind: ItemKind): Kind => kinds[kind];

export const readingOrder: readonly ItemKind[] = [
  'REQUEST',
  'LAST_MESSAGE',
  'INSTRUCTIONS',
  'STAGE',
  'ANSWER',
  'COMPACTION',
  'REASON',
  'PAYLOAD',
  'WORKSPACE',
  'WORKING_TREE',
  'SUMMARY',
  'METADATA',
  'TASK',
  'QUESTION',
  'DECISION',
  'CHECK',
  'FAILED_ATTEMPT',
  'FINDING',
  'VARIABLE',
  'FILE',
  'TOOL',
  'OBSERVATION',
  'CALL',
  'MESSAGE',
];
