import { Page } from '../app/Page.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

export default function GraphPage() {
  return (
    <Page title="Graph">
      <EmptyState title="Soon" />
    </Page>
  );
}
