import { useClient } from 'urql';
import { countOf } from '../../acts/outcome.ts';
import { RunDialog, type Item } from '../../acts/RunDialog.tsx';
import { TextRunDialog } from '../../acts/TextRunDialog.tsx';
import { showNotice } from '../../ui/notices.ts';
import { NoticeText } from '../../ui/UndoNotice.tsx';
import { actOnHandoff, handoffActLooks, type HandoffAct } from './decide.ts';

export interface HandoffItem extends Item {
  sourceAgent?: { id: string } | null | undefined;
}

interface HandoffActDialogProps {
  act: HandoffAct;
  handoffs: readonly HandoffItem[];
  onClose: (done: readonly string[]) => void;
}

/** One act on one handoff or on many. The agent that gets a session back reads the reason. */
export default function HandoffActDialog({ act, handoffs, onClose }: HandoffActDialogProps) {
  const client = useClient();
  const { word, busy, did, icon, text } = handoffActLooks[act];
  const [only] = handoffs.length === 1 ? handoffs : [];
  const common = {
    title: `${word} ${only ? 'the handoff' : countOf(handoffs.length, 'handoff')}`,
    items: handoffs,
    word: act === 'cancel' ? 'Cancel it' : word,
    busy,
    icon,
    danger: text !== undefined,
    keep: act === 'cancel' ? 'Keep it' : 'Cancel',
    onAllDone: () => {
      if (!only) showNotice(<NoticeText>{`${countOf(handoffs.length, 'handoff')} were ${did}.`}</NoticeText>);
    },
    onClose,
  };
  if (text === undefined)
    return <RunDialog {...common} fields={null} run={({ id }) => actOnHandoff(client, act, id)} />;
  return (
    <TextRunDialog {...common} text={text} run={({ id }, reason) => actOnHandoff(client, act, id, reason)}>
      {only ? (
        <>
          <strong>{only.title}</strong>{' '}
          {only.sourceAgent
            ? `returns to '${only.sourceAgent.id}' if it has room; otherwise it will be unassigned.`
            : 'will be unassigned.'}
        </>
      ) : (
        'Each session returns to the agent that it came from if that one has room; otherwise it will be unassigned.'
      )}
    </TextRunDialog>
  );
}
