import { Component, type ReactNode } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Page } from './Page.tsx';

interface Props {
  /** The current path: navigation resets the error. */
  place: string;
  children: ReactNode;
}

/** Shows a message when a page throws or its code fails to load; the navigation stays usable. */
export class ErrorBoundary extends Component<Props, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidUpdate({ place }: Props) {
    if (this.state.broken && place !== this.props.place) this.setState({ broken: false });
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <Page title="This page could not be shown">
        <ErrorNote title="Something went wrong" onRetry={() => window.location.reload()}>
          A part of the dashboard did not arrive, or is of another version than the server. Nothing of what you see elsewhere is lost.
        </ErrorNote>
      </Page>
    );
  }
}
