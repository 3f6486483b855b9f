import { basePath } from '../urql.ts';

/**
 * Signs in the open tabs of this browser together, without storage: a tab without a key asks the others over a BroadcastChannel, which
 * reaches pages of the same origin only. GraphiQL speaks the same messages (`server/infra/http/graphiqlFrame.ts`).
 */
type Message = { type: 'ask' } | { type: 'key'; key: string } | { type: 'signOut' };

/** One Baton's tabs: several may share an origin below different paths. */
const channelName = `baton.key ${basePath}`;

export interface Tabs {
  /** Tells the other tabs a key that the server accepted, and answers tabs that ask. */
  offer: (key: string) => void;
  /** Signs the other tabs out. */
  signOut: () => void;
  close: () => void;
}

interface TabsOptions {
  /** Another tab has a key. */
  onKey: (key: string) => void;
  onSignOut: () => void;
}

/** Asks the other tabs for a key at once. */
export function joinTabs({ onKey, onSignOut }: TabsOptions): Tabs {
  const channel = new BroadcastChannel(channelName);
  const say = (message: Message): void => channel.postMessage(message);
  let offered: string | null = null;
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'ask' && offered !== null) say({ type: 'key', key: offered });
    if (data.type === 'key') onKey(data.key);
    if (data.type === 'signOut') {
      offered = null;
      onSignOut();
    }
  });
  say({ type: 'ask' });
  return {
    offer: (key) => {
      if (key === offered) return;
      offered = key;
      say({ type: 'key', key });
    },
    signOut: () => {
      offered = null;
      say({ type: 'signOut' });
    },
    close: () => channel.close(),
  };
}
