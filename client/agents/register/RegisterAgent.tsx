import { lazy, Suspense, useState } from 'react';
import { useMay } from '../../access/viewer.ts';
import { usePageActions } from '../../palette/actions.ts';
import { Icon } from '../../ui/Icon.tsx';

const RegisterAgentDialog = lazy(() => import('./RegisterAgentDialog.tsx'));

/** The button that registers an agent. */
export function RegisterAgent() {
  const may = useMay('manageAgents');
  const [isOpen, setOpen] = useState(false);
  usePageActions(may ? [{ word: 'Register an agent …', icon: 'plus', run: () => setOpen(true) }] : []);
  if (!may) return null;
  return (
    <>
      <button type="button" className="button primary" onClick={() => setOpen(true)}>
        <Icon name="plus" /> Register an agent
      </button>
      <Suspense>{isOpen && <RegisterAgentDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
