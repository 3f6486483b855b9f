import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { readFragment } from '../../gql/index.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { HandoffBadge, HandoffBadgeFragment } from '../HandoffBadge.tsx';
import type { Payload } from './reassign.ts';
import styles from './ReassignDialog.module.css';

/** The result: the session's holder and the waiting handoff. */
export function Reassigned({ payload: { handoff: masked, message, assignedAgent }, onClose }: { payload: Payload; onClose: () => void }) {
  const first = useRef<HTMLParagraphElement>(null);
  const handoff = masked && readFragment(HandoffBadgeFragment, masked);
  useEffect(() => first.current?.focus(), []);
  return (
    <Dialog
      title={assignedAgent === null ? 'It waits in the queue' : `${assignedAgent.id} holds it now`}
      onClose={onClose}
      footer={
        <>
          {handoff && (
            <Link href={`/handoffs/${handoff.id}`} className="button">
              <Icon name="arrow" /> Open the handoff
            </Link>
          )}
          <button type="button" className="button primary" onClick={onClose}>
            Done
          </button>
        </>
      }
    >
      <div className={styles.done}>
        <Icon name="check" size={28} />
        <p ref={first} tabIndex={-1}>
          {message}
        </p>
        {masked && <HandoffBadge handoff={masked} />}
      </div>
    </Dialog>
  );
}
