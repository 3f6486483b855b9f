import { Page } from '../app/Page.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

export default function SessionPage({ id }: { id: string }) {
  return (
    <Page title="Session">
      <EmptyState title="Soon">{id}</EmptyState>
    </Page>
  );
}
