import { notifies } from './store.ts';

export interface Waiting {
  id: string;
  session: { title: string };
  targetAgent: { id: string };
}

/** Browsers have notifications in secure contexts only: HTTPS, or this machine. */
export const canNotify = (): boolean => window.isSecureContext && 'Notification' in window;

export const mayNotify = (): boolean => canNotify() && Notification.permission === 'granted' && notifies.get();

const most = 3;

/** One for each handoff, or one for all when there are more than three. `path` is the page that it opens. */
export const notesOf = (waiting: readonly Waiting[]): { title: string; body: string; tag: string; path: string }[] =>
  waiting.length > most
    ? [
        {
          title: `${waiting.length} handoffs wait`,
          body: [...new Set(waiting.map(({ targetAgent }) => targetAgent.id))].join(', '),
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

/** Shows the notifications. Of several tabs the browser shows one: they have the same tag. */
export function notify(waiting: readonly Waiting[], open: (path: string) => void): void {
  for (const { title, body, tag, path } of notesOf(waiting)) {
    const notification = new Notification(title, { body, tag });
    notification.onclick = () => {
      window.focus();
      open(path);
      notification.close();
    };
  }
}
