import { lazy, Suspense, useState } from 'react';
import { useClient } from 'urql';
import { useAccess } from '../../access/viewer.ts';
import { titleOf } from '../../acts/outcome.ts';
import { graphql } from '../../gql/gql.ts';
import type { SessionActionsFragment as Session } from '../../gql/graphql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import { usePageActions } from '../../palette/actions.ts';
import { ActMenu, type MenuAct } from '../../ui/ActMenu.tsx';
import { showNotice } from '../../ui/notices.ts';
import { NoticeText } from '../../ui/UndoNotice.tsx';
import { actLooks, actOnSession } from './acts.ts';
import { offeredActs, type SessionAct } from './offered.ts';
import { SessionsActed } from './SessionsActed.tsx';

const SessionActDialog = lazy(() => import('./SessionActDialog.tsx'));

const SessionActionsFragment = graphql(`
  fragment SessionActions on Session {
    id
    title
    status
    agent {
      id
    }
    agentSession {
      id
      state
    }
    openHandoff {
      id
      status
      targetAgent {
        id
      }
    }
    queueEntry {
      suspended
    }
  }
`);

/** The acts on a session, in a menu and in the palette. `others` follow them. */
export function SessionActions({
  session: masked,
  others,
}: {
  session: FragmentType<typeof SessionActionsFragment>;
  others: readonly MenuAct[];
}) {
  const session = readFragment(SessionActionsFragment, masked);
  const { viewer } = useAccess();
  const client = useClient();
  const [asked, setAsked] = useState<SessionAct | null>(null);
  const run = async (act: SessionAct): Promise<void> => {
    const outcome = await actOnSession(client, act, session.id);
    if (outcome.done) showNotice(<SessionsActed act={act} sessions={[session]} />, { hasActs: true });
    else showNotice(<NoticeText tone="bad">{`${titleOf(outcome)}. ${outcome.message}`}</NoticeText>);
  };
  const own = offeredActs(viewer, session).map((act): MenuAct => {
    const { word, icon, danger, text } = actLooks[act];
    return {
      word: `${word} this session${text ? ' …' : ''}`,
      icon,
      danger: danger === true,
      run: () => (text ? setAsked(act) : void run(act)),
    };
  });
  usePageActions([...own, ...others]);
  return (
    <>
      <ActMenu label="More acts on this session" acts={[...own, ...others]} />
      <Suspense>
        {asked !== null && (
          <SessionActDialog
            act={asked}
            sessions={[session]}
            aside={asideOf(asked, session)}
            onClose={() => setAsked(null)}
          />
        )}
      </Suspense>
    </>
  );
}

/** What ending the session does to its open handoff. */
function asideOf(act: SessionAct, { openHandoff }: Session): string | undefined {
  if (!openHandoff) return undefined;
  const handoff = `handoff to '${openHandoff.targetAgent.id}'`;
  if (openHandoff.status === 'INITIATED') return `The waiting ${handoff} is cancelled. `;
  return act === 'fail' ? `The accepted ${handoff} fails. ` : `The accepted ${handoff} is completed. `;
}
