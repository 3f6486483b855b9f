import { useClient } from 'urql';
import { countOf, runEach } from '../../acts/outcome.ts';
import type { Item } from '../../acts/RunDialog.tsx';
import { UndoNotice, type Undone } from '../../ui/UndoNotice.tsx';
import { actLooks, actOnSession } from './acts.ts';
import type { SessionAct } from './offered.ts';

/** The notice after an act on sessions. Pausing and resuming can be undone. */
export function SessionsActed({ act, sessions }: { act: SessionAct; sessions: readonly Item[] }) {
  const client = useClient();
  const { back } = actLooks[act];
  const [first] = sessions;
  const named = sessions.length === 1 && first ? `"${first.title}"` : countOf(sessions.length, 'session');
  const sentence = (did: string): string => `${named} ${sessions.length === 1 ? 'was' : 'were'} ${did}.`;
  const undo = async (with_: SessionAct): Promise<Undone> => {
    const refusals: string[] = [];
    await runEach(sessions, async ({ id }) => {
      const outcome = await actOnSession(client, with_, id);
      if (!outcome.done) refusals.push(outcome.message);
    });
    if (refusals.length === 0) return { text: sentence(actLooks[with_].did), tone: 'good' };
    return {
      text: `${sessions.length - refusals.length} of ${sessions.length} ${actLooks[with_].did}. ${refusals[0]}`,
      tone: 'bad',
    };
  };
  return (
    <UndoNotice
      text={sentence(actLooks[act].did)}
      of={`${named} ${actLooks[act].did}`}
      undo={back === undefined ? null : () => undo(back)}
    />
  );
}
