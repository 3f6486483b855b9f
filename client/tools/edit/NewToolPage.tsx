import { useMemo, useState } from 'react';
import { useMutation } from 'urql';
import { Link, useLocation, useSearch } from 'wouter';
import { useMay } from '../../access/viewer.ts';
import { Page } from '../../app/Page.tsx';
import { readFragment } from '../../gql/index.ts';
import { newKey } from '../../handoffs/reassign/idempotencyKey.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { emptyDraft, toFields, type Draft, type Refusal } from './draft.ts';
import { CreateToolMutation, ToolRefusalFragment } from './saveTool.ts';
import { ToolForm } from './ToolForm.tsx';

/** Defines a tool. `?agent=` and `?target=` fill in agents. */
export default function NewToolPage() {
  const params = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState<Draft>({
    ...emptyDraft,
    agentIds: params.getAll('agent'),
    targetAgentId: params.get('target') ?? '',
  });
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [{ fetching, error }, create] = useMutation(CreateToolMutation);
  // A retry after a lost answer has the same key, and creates one tool.
  const idempotencyKey = useMemo(() => newKey(draft), [draft]);
  const submit = async () => {
    if (fetching) return;
    const answer = (await create({ input: { ...toFields(draft), idempotencyKey } })).data?.createHandoffTool;
    if (answer?.__typename === 'CreateHandoffToolPayload') navigate(`/tools/${answer.handoffTool.id}`);
    else setRefusal(readFragment(ToolRefusalFragment, answer) ?? null);
  };
  const mayDefine = useMay('manageAgents');
  if (!mayDefine) return <MayNotDefine title="New tool" />;
  return (
    <Page title="New tool" intro="The offer permits this handoff, through this tool only.">
      <ToolForm
        draft={draft}
        onChange={(part) => {
          setDraft((now) => ({ ...now, ...part }));
          setRefusal(null);
        }}
        refusal={refusal}
        notice={error && <RequestError error={error} onRetry={() => void submit()} />}
        onSubmit={() => void submit()}
        buttons={
          <>
            <button type="submit" className="button primary" aria-disabled={fetching}>
              {fetching ? 'Creating …' : 'Create the tool'}
            </button>
            <Link href="/tools" className="button">
              Cancel
            </Link>
          </>
        }
      />
    </Page>
  );
}

/** For a role that may only read tools. */
export function MayNotDefine({ title }: { title: string }) {
  return (
    <Page title={title}>
      <div className="card">
        <EmptyState icon="key" title="Operators define tools.">
          <Link href="/tools">All tools</Link>
        </EmptyState>
      </div>
    </Page>
  );
}
