import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { isRecord, noteRecent } from '../palette/recent.ts';

export function usePageTitle(title: string): void {
  const [path] = useLocation();
  useEffect(() => {
    document.title = `${title} · Baton`;
    if (isRecord(path)) noteRecent({ path, title });
  }, [title, path]);
}
