import { lazy, Suspense, useState } from 'react';
import { SelectionBar } from '../../acts/SelectionBar.tsx';
import type { Item } from '../../acts/RunDialog.tsx';
import type { Selection } from '../../acts/useSelection.ts';
import { actLooks } from './acts.ts';
import { sessionActs, type SessionAct } from './offered.ts';

const SessionActDialog = lazy(() => import('./SessionActDialog.tsx'));
const ReassignManyDialog = lazy(() => import('../../handoffs/reassign/ReassignManyDialog.tsx'));

interface SessionsBarProps {
  selection: Selection;
  /** The sessions on the page, by id. */
  shown: ReadonlyMap<string, { title: string }>;
}

/** The acts on the selected sessions. */
export default function SessionsBar({ selection: { ids, selectAll, drop, clear }, shown }: SessionsBarProps) {
  const [asked, setAsked] = useState<{ act: SessionAct | 'reassign'; sessions: Item[] } | null>(null);
  const ask = (act: SessionAct | 'reassign'): void =>
    setAsked({ act, sessions: [...ids].map((id) => ({ id, title: shown.get(id)?.title ?? id })) });
  const close = (done: readonly string[]): void => {
    setAsked(null);
    // Those that were refused stay selected.
    drop(done);
  };
  return (
    <SelectionBar
      count={ids.size}
      noun="session"
      shown={shown.size}
      onAll={() => selectAll(shown.keys())}
      onClear={clear}
      acts={[
        { word: 'Reassign …', icon: 'swap', run: () => ask('reassign') },
        ...sessionActs.map((act) => {
          const { word, icon, danger, text } = actLooks[act];
          return { word: `${word}${text ? ' …' : ''}`, icon, danger: danger === true, run: () => ask(act) };
        }),
      ]}
    >
      <Suspense>
        {asked?.act === 'reassign' && <ReassignManyDialog sessions={asked.sessions} onClose={close} />}
        {asked && asked.act !== 'reassign' && (
          <SessionActDialog act={asked.act} sessions={asked.sessions} onClose={close} />
        )}
      </Suspense>
    </SelectionBar>
  );
}
