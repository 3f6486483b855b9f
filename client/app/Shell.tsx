import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Icon } from '../ui/Icon.tsx';
import { Notices } from '../ui/Notices.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { ThemeToggle } from './ThemeToggle.tsx';
import { usePlaces } from './usePlaces.ts';
import { Who } from '../access/Who.tsx';
import { LiveState } from '../live/LiveState.tsx';
import { PaletteHost } from '../palette/PaletteHost.tsx';
import { useIsAway } from '../live/state.ts';
import { Unread } from '../noticing/Unread.tsx';
import { Attention } from '../attention/Attention.tsx';
import { ToDecide } from '../approvals/ToDecide.tsx';
import { Waiting } from '../queue/Waiting.tsx';
import { basePath } from '../urql.ts';
import styles from './app.module.css';

/** The frame of every page: navigation, viewer and live state. */
export function Shell({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const isAway = useIsAway();
  const places = usePlaces();
  useFocusOnNavigation(location);
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen the navigation scrolls sideways.
  useEffect(() => {
    // Chromium returns a promise, which React would take for the effect's clean-up.
    void nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [location]);
  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.header}>
        <Link href="/" className={styles.brand}>
          <img src={`${basePath}/icon.svg`} alt="" width="26" height="26" />
          Baton
        </Link>
        <nav ref={nav} aria-label="Pages" className={styles.nav}>
          {places.map(({ href, word, icon, of }) => (
            <Link key={href} href={href} aria-current={of.test(location) ? 'page' : undefined}>
              <Icon name={icon} /> <span>{word}</span>
              {href === '/' && <Attention className={styles.waiting} />}
              {href === '/inbox' && <Unread className={styles.waiting} />}
              {href === '/queue' && <Waiting className={styles.waiting} />}
              {href === '/decide' && <ToDecide className={styles.waiting} />}
            </Link>
          ))}
          <a href={`${basePath}/graphql`}>
            <Icon name="code" /> <span>GraphiQL</span>
          </a>
        </nav>
        <div className={styles.corner}>
          <PaletteHost />
          <LiveState />
          <ThemeToggle />
          <Who />
        </div>
      </header>
      <ErrorBoundary place={location} isAway={isAway}>
        {children}
      </ErrorBoundary>
      <Notices />
    </>
  );
}

/** Moves the focus after navigation, so that screen readers announce the page; the browser does it at the first load. */
function useFocusOnNavigation(location: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [location]);
}
