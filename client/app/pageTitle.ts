import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useUnread } from '../noticing/store.ts';
import { isRecord, noteRecent } from '../palette/recent.ts';

export function usePageTitle(title: string): void {
  const [path] = useLocation();
  const unread = useUnread();
  useEffect(() => {
    document.title = `${unread === '' ? '' : `(${unread}) `}${title} · Baton`;
  }, [title, unread]);
  useEffect(() => {
    if (isRecord(path)) noteRecent({ path, title });
  }, [title, path]);
}
