import { Component, type ReactNode } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Page } from './Page.tsx';

interface Props {
  /** Where one is: elsewhere is another try. */
  place: string;
  children: ReactNode;
}

/** A page that breaks, or whose part of the program did not arrive, says so; the way to the other pages stays. */
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
