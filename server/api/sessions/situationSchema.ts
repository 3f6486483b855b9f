import { silentAfterMinutes, situations, type Situation } from '../../work/sessions/situation.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { matching } from '../graphql/matching.ts';

export const SessionSituation = builder.enumType('SessionSituation', {
  description:
    'Situations of a Session: what happens to it now, or what it waits for. Every Session is in exactly one.',
  values: {
    WORKING: {
      description: `An Agent holds it, has accepted it, and was active in the last ${silentAfterMinutes} minutes.`,
    },
    SILENT: {
      description: `An Agent holds it and has accepted it, and nothing happened for ${silentAfterMinutes} minutes: no Event since \`lastActivityAt\` other than SESSION_CHANGED, SESSION_STUCK and HANDOFF_REMINDED.`,
    },
    LIMIT_REACHED: {
      description:
        'An Agent holds it and has accepted it, and can hand it off no more: `stuckBecause` has MAX_HANDOFFS. An operator has to call reassignSession or updateSession.',
    },
    WAITING_FOR_ACCEPTANCE: { description: 'It moved by a Handoff, which its target has not accepted: `openHandoff`.' },
    WAITING_FOR_PERSON: {
      description:
        'A person has to decide: `approval` is a Handoff to approve, or a question of the holder to answer. With a Handoff the Agent may go on meanwhile.',
    },
    QUEUED: { description: 'No Agent holds it, and it waits for its turn in the queue: `queueEntry.position`.' },
    PAUSED: {
      description:
        'pauseSession stopped it until resumeSession, with a holder or with its place in the queue. A Handoff that waits in it still times out.',
    },
    WITHOUT_HOLDER: {
      description:
        'No Agent holds it and none will get it until an operator calls reassignSession: `stuckBecause` has UNASSIGNED or ESCALATED, and `lastHandoff` says how the last holder was lost.',
    },
    COMPLETED: { description: 'The work is done.' },
    FAILED: { description: 'The work failed.' },
    CANCELLED: { description: 'The work was cancelled.' },
  } satisfies Record<Situation, object>,
});

builder.prismaObjectFields(modelRef('Session'), (t) => ({
  situation: t.field({
    type: SessionSituation,
    description: 'What happens to the Session now, or what it waits for. It becomes SILENT without an Event.',
    select: { id: true, status: true },
    resolve: async ({ id, status }, _args, context, info) => {
      if (status !== 'RUNNING' && status !== 'PAUSED') return status;
      const found = await batched(context, info, id, async (ids) =>
        matching(context, 'Session', ids, await situations(context.pool, ids)),
      );
      return found!;
    },
  }),
}));
