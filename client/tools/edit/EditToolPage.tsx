import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { Link, useLocation } from 'wouter';
import { useMay } from '../../access/viewer.ts';
import { Page } from '../../app/Page.tsx';
import type { SavedToolFragment as SavedTool } from '../../gql/graphql.ts';
import { readFragment } from '../../gql/index.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { SavedToolFragment, ToolQuery } from '../savedTool.ts';
import { changedFields, draftOf, type Draft, type Refusal } from './draft.ts';
import { MayNotDefine } from './NewToolPage.tsx';
import { UpdateToolMutation, ToolRefusalFragment } from './saveTool.ts';
import { ToolForm } from './ToolForm.tsx';

/** Changes a tool that a person defined. */
export default function EditToolPage({ id }: { id: string }) {
  const [{ data, error }, ask] = useQuery({ query: ToolQuery, variables: { id }, requestPolicy: 'cache-and-network' });
  const mayDefine = useMay('manageAgents');
  const tool = data?.node?.__typename === 'HandoffTool' ? readFragment(SavedToolFragment, data.node) : null;
  if (!mayDefine) return <MayNotDefine title="Edit a tool" />;
  if (tool && !tool.generated && tool.archivedAt == null) return <Open tool={tool} />;
  return (
    <Page title="Edit a tool">
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height="24rem" />}
      {data && (
        <div className="card">
          <EmptyState
            icon="tool"
            title={
              tool === null
                ? 'There is no such tool.'
                : tool.generated
                  ? 'This tool is generated from a collaboration.'
                  : 'This tool is archived.'
            }
          >
            {tool?.generated ? 'Change the collaborators of the agent instead.' : <Link href="/tools">All tools</Link>}
          </EmptyState>
        </div>
      )}
    </Page>
  );
}

function Open({ tool }: { tool: SavedTool }) {
  const [, navigate] = useLocation();
  // What the person saw: changes of others while the form is open stay, unless it changes the same field.
  const [seen] = useState(tool);
  const [draft, setDraft] = useState<Draft>(() => draftOf(tool));
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [{ fetching, error }, update] = useMutation(UpdateToolMutation);
  const submit = async () => {
    if (fetching) return;
    const answer = (await update({ input: { toolId: tool.id, ...changedFields(draft, seen) } })).data
      ?.updateHandoffTool;
    if (answer?.__typename === 'UpdateHandoffToolPayload') navigate(`/tools/${tool.id}`);
    else setRefusal(readFragment(ToolRefusalFragment, answer) ?? null);
  };
  return (
    <Page title={`Edit ${tool.name}`}>
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
              {fetching ? 'Saving …' : 'Save'}
            </button>
            <Link href={`/tools/${tool.id}`} className="button">
              Cancel
            </Link>
          </>
        }
      />
    </Page>
  );
}
