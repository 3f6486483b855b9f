import { Page } from '../app/Page.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

export default function HandoffPage({ id }: { id: string }) {
  return (
    <Page title="Handoff">
      <EmptyState title="Soon">{id}</EmptyState>
    </Page>
  );
}
