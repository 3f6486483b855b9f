import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useWaitingForViewer } from '../noticing/store.ts';
import { isRecord, noteRecent } from '../palette/recent.ts';

export function usePageTitle(title: string): void {
  const [path] = useLocation();
  const waiting = useWaitingForViewer();
  useEffect(() => {
    document.title = `${waiting === '' ? '' : `(${waiting}) `}${title} · Baton`;
  }, [title, waiting]);
  useEffect(() => {
    if (isRecord(path)) noteRecent({ path, title });
  }, [title, path]);
}
