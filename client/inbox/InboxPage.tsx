import { Page } from '../app/Page.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

export default function InboxPage({ agentId }: { agentId?: string }) {
  return (
    <Page title="Inbox">
      <EmptyState title="Soon">{agentId}</EmptyState>
    </Page>
  );
}
