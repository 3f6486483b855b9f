import { lazy, Suspense, useState } from 'react';
import { SelectionBar } from '../../acts/SelectionBar.tsx';
import type { Selection } from '../../acts/useSelection.ts';
import { handoffActLooks, type HandoffAct } from '../decide/decide.ts';
import type { HandoffItem } from '../decide/HandoffActDialog.tsx';

const HandoffActDialog = lazy(() => import('../decide/HandoffActDialog.tsx'));

interface HandoffsBarProps {
  selection: Selection;
  /** The handoffs on the page, by id. */
  shown: ReadonlyMap<string, HandoffItem>;
}

const acts = Object.keys(handoffActLooks) as HandoffAct[];

/** The acts on the selected handoffs. */
export default function HandoffsBar({ selection: { ids, selectAll, drop, clear }, shown }: HandoffsBarProps) {
  const [asked, setAsked] = useState<{ act: HandoffAct; handoffs: HandoffItem[] } | null>(null);
  return (
    <SelectionBar
      count={ids.size}
      noun="handoff"
      shown={shown.size}
      onAll={() => selectAll(shown.keys())}
      onClear={clear}
      acts={acts.map((act) => {
        const { word, icon, text } = handoffActLooks[act];
        return {
          word: `${word}${text ? ' …' : ''}`,
          icon,
          danger: text !== undefined,
          run: () => setAsked({ act, handoffs: [...ids].flatMap((id) => shown.get(id) ?? []) }),
        };
      })}
    >
      <Suspense>
        {asked && (
          <HandoffActDialog
            act={asked.act}
            handoffs={asked.handoffs}
            onClose={(done) => {
              setAsked(null);
              // Those that were refused stay selected.
              drop(done);
            }}
          />
        )}
      </Suspense>
    </SelectionBar>
  );
}
