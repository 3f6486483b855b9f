import { z } from 'zod';
import { readNotices, type Notice } from '../../work/handoffs/notices.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { ofItself } from '../graphql/descriptions.ts';
import { ApprovalDecision } from '../graphql/enums.ts';
import { decodeArgs, externalId, idOf, optional } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';

const AgentNotice = builder.objectRef<Notice>('AgentNotice').implement({
  access: 'inherit',
  description: 'What others decided about the work of an Agent, in words for its model.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the Handoff, or of the question, for confirmNotice.' }),
    sessionId: t.exposeID('sessionId', { description: 'Id of the Session.' }),
    workspaceId: t.exposeString('workspaceId', {
      nullable: true,
      description: '`workspace.id` of the Session; null when nobody said where its work is done.',
    }),
    decision: t.expose('decision', {
      type: ApprovalDecision,
      nullable: true,
      description:
        'What was decided; CANCELLED means that the Session was resumed without an answer, or that somebody else took the proposed Handoff back. Null when a Handoff came back.',
    }),
    text: t.exposeString('text', {
      description:
        'What was decided, in one line. Words of others stand in quotation marks, without invisible characters.',
    }),
    toldAt: t.expose('toldAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the Agent was told (confirmNotice); null when it was not.',
    }),
  }),
});

const args = z.object({
  sessionId: optional(idOf('session')).describe('Only of this Session. Null: of any.'),
  externalId: optional(externalId).describe('Only of Sessions with this `externalId`. Null: of any.'),
});

builder.prismaObjectFields(modelRef('Agent'), (t) => ({
  notices: t.field({
    access: 'ownAgent',
    type: [AgentNotice],
    listSize: 5,
    description: `What was decided about the Agent's open Sessions and was not told to it (confirmNotice), the oldest first, at most 20: within 7 days a person answered its question, approved or declined its Handoff, or nobody did in time; or its Handoff came back, which stays until the Agent's next Turn is recorded. ${ofItself}`,
    args: argsOf(args),
    select: { id: true },
    resolve: ({ id }, given, { pool }) => readNotices(pool, id, decodeArgs(args, given)),
  }),
}));
