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

/** One notification for each handoff, or one for all when there are more than three. Of several tabs the browser shows one: they have the same tag. */
export function notify(waiting: readonly Waiting[], open: (path: string) => void): void {
  const several = waiting.length > most;
  const said = several
    ? [{ title: `${waiting.length} handoffs wait`, body: [...new Set(waiting.map(({ targetAgent }) => targetAgent.id))].join(', '), tag: 'baton', path: '/inbox' }]
    : waiting.map(({ id, session, targetAgent }) => ({ title: `Handoff to ${targetAgent.id}`, body: session.title, tag: id, path: `/handoffs/${id}` }));
  for (const { title, body, tag, path } of said) {
    const notification = new Notification(title, { body, tag });
    notification.onclick = () => {
      window.focus();
      open(path);
      notification.close();
    };
  }
}
