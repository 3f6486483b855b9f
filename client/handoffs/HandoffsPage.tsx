import { Page } from '../app/Page.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

export default function HandoffsPage() {
  return (
    <Page title="Handoffs">
      <EmptyState title="Soon" />
    </Page>
  );
}
