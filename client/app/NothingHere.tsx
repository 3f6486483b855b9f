import { Link } from 'wouter';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Page } from './Page.tsx';
import { usePlaces } from './usePlaces.ts';
import styles from './app.module.css';

/** The page of an unknown address. */
export function NothingHere() {
  return (
    <Page title="Page not found">
      <div className="card">
        <EmptyState title="No page has this address.">
          <nav aria-label="All pages" className={styles.places}>
            {usePlaces().map(({ href, word, icon }) => (
              <Link key={href} href={href} className="button">
                <Icon name={icon} /> {word}
              </Link>
            ))}
          </nav>
        </EmptyState>
      </div>
    </Page>
  );
}
