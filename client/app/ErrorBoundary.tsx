import { Component, type ReactNode } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Page } from './Page.tsx';

interface Props {
  /** The current path: navigation resets the error. */
  place: string;
  /** The server is away: its return loads the page again. */
  isAway: boolean;
  children: ReactNode;
}

/** Shows a message when a page throws or its code fails to load; the navigation stays usable. */
export class ErrorBoundary extends Component<Props, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidUpdate({ place, isAway }: Props) {
    if (!this.state.broken) return;
    if (place !== this.props.place) this.setState({ broken: false });
    else if (isAway && !this.props.isAway) window.location.reload();
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <Page title="This page could not be shown">
        <ErrorNote title="Something went wrong" onRetry={() => window.location.reload()}>
          A part of the dashboard did not load, or its version is not that of the server. No data is lost.
        </ErrorNote>
      </Page>
    );
  }
}
