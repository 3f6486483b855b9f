import { notifies } from './store.ts';

export interface Note {
  title: string;
  body: string;
  /** Of several tabs with the same one the browser shows one. */
  tag: string;
  /** The page that it opens. */
  path: string;
}

/** Browsers have notifications in secure contexts only: HTTPS, or this machine. */
export const canNotify = (): boolean => window.isSecureContext && 'Notification' in window;

export const mayNotify = (): boolean => canNotify() && Notification.permission === 'granted' && notifies.get();

/** Of more than these, one notification speaks for all. */
export const most = 3;

const agentsOf = (ids: readonly string[]): string => [...new Set(ids)].join(', ');

/** One for each handoff to the viewer's agent, or one for all when there are more than three. */
export const handoffNotes = (
  waiting: readonly { id: string; session: { title: string }; targetAgent: { id: string } }[],
): Note[] =>
  waiting.length > most
    ? [
        {
          title: `${waiting.length} handoffs wait`,
          body: agentsOf(waiting.map(({ targetAgent }) => targetAgent.id)),
          tag: 'baton',
          path: '/inbox',
        },
      ]
    : waiting.map(({ id, session, targetAgent }) => ({
        title: `Handoff to ${targetAgent.id}`,
        body: session.title,
        tag: id,
        path: `/handoffs/${id}`,
      }));

export function notify(notes: readonly Note[], open: (path: string) => void): void {
  for (const { title, body, tag, path } of notes) {
    let notification: Notification;
    try {
      notification = new Notification(title, { body, tag });
    } catch {
      // Chrome on Android grants the permission, but shows notifications of service workers only.
      return;
    }
    notification.onclick = () => {
      window.focus();
      open(path);
      notification.close();
    };
  }
}
