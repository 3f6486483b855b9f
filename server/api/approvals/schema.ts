import { encodeId } from '../../core/ids.ts';
import { ownAgent } from '../../core/rights.ts';
import type { Demand } from '../../work/handoffs/demanded.ts';
import type { ProposalRequest } from '../../work/handoffs/propose.ts';
import type { HandoffEdit } from '../../work/approvals/edits.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { ApprovalDecision, ApprovalDemand } from '../graphql/enums.ts';

export const ApprovalKind = builder.enumType('ApprovalKind', {
  description: 'What waits for a person.',
  values: {
    HANDOFF: { description: 'A PROPOSED Handoff waits for approveHandoff or declineHandoff.' },
    QUESTION: { description: 'A question of the holder waits for answerQuestion. Its Session is PAUSED.' },
  },
});

/** An edit, with who made it and when. */
type Made = HandoffEdit & { at: Date; actorPrincipal: string; actorRole: unknown };

const Edit = builder.objectRef<Made>('HandoffEdit').implement({
  access: 'inherit',
  description: 'What a person changed of a Handoff before approving it.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description: 'Name of the input field of HandoffEditsInput, such as `reason`.',
    }),
    before: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Value that the Agent gave; null when it gave none.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Value that the person gave; null when it was removed.',
      resolve: ({ after }) => after,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the approval.' }),
    by: t.field({ type: 'Actor', description: 'Who made the change.', resolve: (edit) => edit as never }),
  }),
});

builder.prismaObject('Approval', {
  access: 'inherit',
  select: { id: true },
  description: 'What an Agent wants of a person: to approve a Handoff, or to answer a question.',
  fields: (t) => ({
    id: t.id({
      description: 'Id of the question, or of the Handoff.',
      select: { id: true, kind: true },
      resolve: ({ id, kind }) => encodeId(kind === 'QUESTION' ? 'question' : 'handoff', id),
    }),
    kind: t.expose('kind', { type: ApprovalKind }),
    session: t.relation('session', { description: 'The Session that waits.' }),
    agent: t.relation('agent', { description: 'The Agent that asks: the holder of the Session at that time.' }),
    handoff: t.relation('handoff', { nullable: true, description: 'The Handoff; null for a question.' }),
    demandedBy: t.field({
      type: ApprovalDemand,
      nullable: true,
      description: 'What demands the approval of the Handoff; null for a question.',
      select: { demandedBy: true },
      resolve: ({ demandedBy }) => demandedBy as Demand | null,
    }),
    text: t.exposeString('text', { nullable: true, description: 'The question; null for a Handoff.' }),
    options: t.field({
      type: ['String'],
      nullable: true,
      description:
        'Answers that the Agent offers, each once; a person may give another one. Null when it offers none, and for a Handoff.',
      select: { options: true },
      resolve: ({ options }) => options as string[] | null,
    }),
    contextVariables: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Names and values that the Agent gave with the Handoff, which are set in the Session when it is approved; null when it gave none, for a question, and to other Agents.',
      select: { request: true, agentId: true },
      resolve: ({ request, agentId }, _args, { caller }) => {
        const reader = ownAgent(caller);
        const given = request as unknown as ProposalRequest | null;
        return reader === null || reader === agentId ? (given?.contextVariables ?? null) : null;
      },
    }),
    requestedAt: t.expose('requestedAt', { type: 'DateTime' }),
    deadlineAt: t.expose('deadlineAt', { type: 'DateTime' }),
    remindedAt: t.expose('remindedAt', { type: 'DateTime', nullable: true }),
    decision: t.expose('decision', { type: ApprovalDecision, nullable: true }),
    decidedAt: t.expose('decidedAt', { type: 'DateTime', nullable: true }),
    decidedBy: t.field({
      type: 'Actor',
      nullable: true,
      description: 'Who decided; null while it waits.',
      select: { decidedPrincipal: true, decidedRole: true },
      resolve: ({ decidedPrincipal, decidedRole }) =>
        decidedPrincipal === null ? null : { actorPrincipal: decidedPrincipal, actorRole: decidedRole },
    }),
    toldAt: t.expose('toldAt', { type: 'DateTime', nullable: true }),
    note: t.exposeString('note', {
      nullable: true,
      description:
        'Note of the approval, reason of the decline, or the answer; null while it waits, and without one. Whoever may read the Session reads it; it is in no prompt of the target.',
    }),
  }),
});

const edited = { edits: true, decidedAt: true, decidedPrincipal: true, decidedRole: true } as const;

builder.prismaObjectFields(modelRef('Handoff'), (t) => ({
  approval: t.relation('approval', {
    nullable: true,
    description: 'What a person decided of the Handoff, or has to; null when it needed no approval.',
  }),
  edits: t.field({
    type: [Edit],
    // As many as the input of approveHandoff has fields.
    listSize: 6,
    description:
      'What a person changed before approving the Handoff, beside the original; empty when nothing was, and to an Agent that gets only a part of what is passed on.',
    select: { approval: { select: edited } },
    resolve: ({ approval }) => {
      const { edits = null, decidedAt = null, decidedPrincipal = null, decidedRole = null } = approval ?? {};
      if (edits === null || decidedAt === null || decidedPrincipal === null) return [];
      return (edits as unknown as HandoffEdit[]).map((edit) => ({
        ...edit,
        at: decidedAt,
        actorPrincipal: decidedPrincipal,
        actorRole: decidedRole,
      }));
    },
  }),
  declineReason: t.string({
    nullable: true,
    description: 'Why a person declined the Handoff; null otherwise.',
    select: { status: true, approval: { select: { note: true } } },
    resolve: ({ status, approval }) => (status === 'DECLINED' ? (approval?.note ?? null) : null),
  }),
}));

interface Asked {
  id: string;
  text: string | null;
  options: unknown;
  agentId: string;
  requestedAt: Date;
}

const Question = builder.objectRef<Asked>('Question').implement({
  access: 'inherit',
  description: 'What the holder of a Session asks a person. The Session is PAUSED until there is an answer.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the question, for answerQuestion.', resolve: ({ id }) => encodeId('question', id) }),
    text: t.string({ description: 'The question.', resolve: ({ text }) => text ?? '' }),
    options: t.field({
      type: ['String'],
      nullable: true,
      description: 'Answers that the Agent offers, each once; a person may give another one. Null when it offers none.',
      resolve: ({ options }) => options as string[] | null,
    }),
    askedBy: t.field({
      type: modelRef('Agent'),
      description: 'The Agent that asks.',
      resolve: ({ agentId }, _args, context, info) => agentNamed(agentId, context, info),
    }),
    askedAt: t.field({
      type: 'DateTime',
      description: 'Time of the question.',
      resolve: ({ requestedAt }) => requestedAt,
    }),
  }),
});

const waiting = { decidedAt: null };

builder.prismaObjectFields(modelRef('Session'), (t) => ({
  approval: t.field({
    type: modelRef('Approval'),
    nullable: true,
    description: 'What the Session waits for a person to decide; null when it waits for nobody.',
    select: (_args, _context, nested) => ({ approvals: nested({ where: waiting, take: 1 }) }),
    resolve: ({ approvals: [approval] }) => approval ?? null,
  }),
  question: t.field({
    type: Question,
    nullable: true,
    description: 'The question of the holder that waits for an answer; null without one.',
    select: {
      approvals: {
        where: waiting,
        take: 1,
        select: { id: true, kind: true, text: true, options: true, agentId: true, requestedAt: true },
      },
    },
    resolve: ({ approvals }) => approvals.find(({ kind }) => kind === 'QUESTION') ?? null,
  }),
}));
