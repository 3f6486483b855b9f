import { useEffect } from 'react';

/** What the tab is called. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Baton`;
  }, [title]);
}
