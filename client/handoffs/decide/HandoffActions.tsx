import { lazy, Suspense, useState } from 'react';
import { useClient } from 'urql';
import { useAccess } from '../../access/viewer.ts';
import { titleOf, type Outcome } from '../../acts/outcome.ts';
import { graphql } from '../../gql/gql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import { usePageActions, type PageAction } from '../../palette/actions.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useFocusKept } from '../../ui/useFocusKept.ts';
import { actOnHandoff, handoffActLooks, offeredHandoffActs, type HandoffAct } from './decide.ts';
import type { HandoffItem } from './HandoffActDialog.tsx';
import styles from './HandoffActions.module.css';

const HandoffActDialog = lazy(() => import('./HandoffActDialog.tsx'));

const HandoffActionsFragment = graphql(`
  fragment HandoffActions on Handoff {
    id
    status
    sourceAgent {
      id
    }
    targetAgent {
      id
    }
    session {
      id
      title
    }
  }
`);

/** An act that asks for a reason first. */
export interface AskedOfHandoff {
  act: HandoffAct;
  handoff: HandoffItem;
}

export interface HandoffActionsProps {
  handoff: FragmentType<typeof HandoffActionsFragment>;
  /** For lists whose rows come and go: the list then owns the dialog, so that typed text survives. */
  onAsk?: (asked: AskedOfHandoff) => void;
}

/** The actions on an open handoff that the viewer may take: as its target, as its source, or as an operator. */
export function HandoffActions({ handoff: masked, onAsk }: HandoffActionsProps) {
  const handoff = readFragment(HandoffActionsFragment, masked);
  const { id, sourceAgent, session } = handoff;
  const client = useClient();
  const { viewer } = useAccess();
  const [asked, setAsked] = useState<AskedOfHandoff | null>(null);
  const [running, setRunning] = useState<HandoffAct | null>(null);
  const [refusal, setRefusal] = useState<Extract<Outcome, { done: false }> | null>(null);
  const offered = offeredHandoffActs(viewer, handoff);
  // The event of a decision may arrive before its answer: the acts that follow need not wait.
  const busy = running !== null && offered.includes(running) ? running : null;
  // A decision takes its focused button away.
  useFocusKept(offered.join());
  const run = async (act: HandoffAct): Promise<void> => {
    if (busy !== null) return;
    if (handoffActLooks[act].text)
      return (onAsk ?? setAsked)({ act, handoff: { id, title: session.title, sourceAgent: sourceAgent ?? null } });
    setRunning(act);
    setRefusal(null);
    const outcome = await actOnHandoff(client, act, id);
    setRunning((now) => (now === act ? null : now));
    if (!outcome.done) setRefusal(outcome);
  };
  // Not those of the rows of a list: there are many.
  const forPalette = busy === null && onAsk === undefined ? offered : [];
  usePageActions(
    forPalette.map((act): PageAction => {
      const { word, icon, text } = handoffActLooks[act];
      return { word: `${word} this handoff${text ? ' …' : ''}`, icon, run: () => void run(act) };
    }),
  );
  // An open dialog keeps what was typed, also when somebody else decides.
  if (offered.length === 0 && refusal === null && asked === null) return null;
  return (
    <div className={styles.actions}>
      {offered.map((act) => {
        const { word, busy: doing, icon, look, text } = handoffActLooks[act];
        return (
          <button
            key={act}
            type="button"
            className={`button small ${look}`}
            aria-disabled={busy !== null}
            aria-keyshortcuts={act === 'accept' ? 'a' : act === 'reject' ? 'r' : undefined}
            aria-label={act === 'cancel' ? `Cancel the handoff of "${session.title}"` : `${word} "${session.title}"`}
            onClick={() => void run(act)}
          >
            <Icon name={icon} size={14} /> {busy === act ? doing : `${word}${text ? ' …' : ''}`}
          </button>
        );
      })}
      {refusal !== null && (
        <div className={styles.error}>
          <ErrorNote title={titleOf(refusal)}>{refusal.message}</ErrorNote>
        </div>
      )}
      <Suspense>
        {asked && <HandoffActDialog act={asked.act} handoffs={[asked.handoff]} onClose={() => setAsked(null)} />}
      </Suspense>
    </div>
  );
}
