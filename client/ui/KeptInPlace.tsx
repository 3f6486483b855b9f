import { Component, type ReactNode } from 'react';

interface Props {
  /** Id of an element among the children; null for none. */
  of: string | null;
  children: ReactNode;
}

const topOf = (id: string | null): number | null =>
  id === null ? null : (document.getElementById(id)?.getBoundingClientRect().top ?? null);

/** Keeps an element where the reader sees it when what stands above it changes. Safari has no scroll anchoring of its own. */
export class KeptInPlace extends Component<Props> {
  override getSnapshotBeforeUpdate(): number | null {
    return topOf(this.props.of);
  }

  override componentDidUpdate(_props: Props, _state: object, before: number | null) {
    const after = topOf(this.props.of);
    if (before !== null && after !== null && before !== after)
      window.scrollBy({ top: after - before, behavior: 'instant' });
  }

  override render() {
    return this.props.children;
  }
}
