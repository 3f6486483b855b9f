import { useClient } from 'urql';
import { countOf } from '../../acts/outcome.ts';
import { RunDialog, type Item } from '../../acts/RunDialog.tsx';
import { TextRunDialog } from '../../acts/TextRunDialog.tsx';
import { showNotice } from '../../ui/notices.ts';
import { actOnSession, actLooks } from './acts.ts';
import type { SessionAct } from './offered.ts';
import { SessionsActed } from './SessionsActed.tsx';

interface SessionActDialogProps {
  act: SessionAct;
  sessions: readonly Item[];
  /** What becomes of an open handoff, of a single session. */
  aside?: string | undefined;
  onClose: (done: readonly string[]) => void;
}

/** One act on one session or on many. Those that cannot be taken back are confirmed. */
export default function SessionActDialog({ act, sessions, aside = '', onClose }: SessionActDialogProps) {
  const client = useClient();
  const { word, busy, icon, danger, text } = actLooks[act];
  const [only] = sessions.length === 1 ? sessions : [];
  const common = {
    title: only ? `${word} "${only.title}"` : `${word} ${countOf(sessions.length, 'session')}`,
    items: sessions,
    word: only ? `${word} the session` : `${word} ${sessions.length} sessions`,
    busy,
    icon,
    danger: danger === true,
    keep: only ? 'Keep it open' : 'Keep them open',
    onAllDone: () =>
      showNotice(<SessionsActed act={act} sessions={sessions} />, { hasActs: actLooks[act].back !== undefined }),
    onClose,
  };
  if (text === undefined)
    return <RunDialog {...common} fields={null} run={({ id }) => actOnSession(client, act, id)} />;
  return (
    <TextRunDialog {...common} text={text} run={({ id }, typed) => actOnSession(client, act, id, typed)}>
      {only
        ? 'The session ends, and its agent gets its place back. '
        : 'The sessions end, and their agents get their places back. '}
      {aside}
      This cannot be taken back.
    </TextRunDialog>
  );
}
