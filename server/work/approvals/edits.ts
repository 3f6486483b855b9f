import { canonicalJson } from '../../core/canonicalJson.ts';
import { asCarry, type Carry } from '../context/carry.ts';
import type { EditedField } from '../context/context.ts';
import { abridge } from '../context/shorten.ts';
import type { ProposalRequest } from '../handoffs/propose.ts';

/** What a person changes of a proposed Handoff. Undefined fields stay. */
export interface HandoffEdits {
  /** An id, or a name, a role or a type that one agent alone has. */
  targetAgentId?: string | undefined;
  reason?: string | null | undefined;
  summary?: string | null | undefined;
  instructions?: string | null | undefined;
  contextVariables?: Record<string, unknown> | null | undefined;
  carry?: Carry | null | undefined;
}

/** A change as it is kept beside the original. */
export interface HandoffEdit {
  field: keyof HandoffEdits;
  before: unknown;
  after: unknown;
}

/** What is passed on, as the agent asked for it or with a person's changes. */
export type Asked = Pick<ProposalRequest, 'summary' | 'contextVariables' | 'tool' | 'carry'> & {
  targetAgentId: string;
  reason: string | null;
};

const fieldsOf = ({ tool, carry, ...asked }: Asked): Record<keyof HandoffEdits, unknown> => ({
  targetAgentId: asked.targetAgentId,
  reason: asked.reason,
  summary: asked.summary,
  instructions: tool?.instructions ?? null,
  contextVariables: asked.contextVariables,
  carry: carry && asCarry(carry),
});

/** Applies the edits, and lists those that change something. `targetAgentId` of the edits is the id that was meant. */
export function withEdits(asked: Asked, edits: HandoffEdits): { asked: Asked; edits: HandoffEdit[] } {
  const {
    targetAgentId = asked.targetAgentId,
    reason = asked.reason,
    summary = asked.summary,
    instructions = asked.tool?.instructions ?? null,
    contextVariables = asked.contextVariables,
    carry = asked.carry,
  } = edits;
  const edited: Asked = {
    targetAgentId,
    reason,
    summary,
    contextVariables,
    carry,
    tool: asked.tool === null && instructions === null ? null : { name: asked.tool?.name ?? null, instructions },
  };
  const [before, after] = [fieldsOf(asked), fieldsOf(edited)];
  const names = Object.keys(before) as (keyof HandoffEdits)[];
  return {
    asked: edited,
    edits: names
      .filter((field) => canonicalJson(before[field]) !== canonicalJson(after[field]))
      .map((field) => ({ field, before: before[field], after: after[field] })),
  };
}

/** Of each text that an edit replaced, for the target. The whole text is in `Handoff.edits`. */
const originalCharacters = 1_000;

/** What the Context says of the edits. Where the person lets only a part be passed on, the originals are not told. */
export const editedFields = ({ asked, edits }: { asked: Asked; edits: readonly HandoffEdit[] }): EditedField[] =>
  edits.map(({ field, before }) => ({
    field,
    ...(asked.carry === null && {
      before:
        before === null
          ? null
          : abridge(typeof before === 'string' ? before : canonicalJson(before), originalCharacters),
    }),
  }));
