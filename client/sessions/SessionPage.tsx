import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { useSearch } from 'wouter';
import { DownloadButton } from '../access/DownloadButton.tsx';
import { useAccess, useMay } from '../access/viewer.ts';
import { Page } from '../app/Page.tsx';
import { graphql } from '../gql/gql.ts';
import type { SessionPageQuery } from '../gql/graphql.ts';
import { PromptDialog } from '../handoffs/PromptDialog.tsx';
import type { Draft } from '../handoffs/reassign/reassign.ts';
import { useSessionLog } from '../live/events.ts';
import { MarkdownText } from '../log/MarkdownText.tsx';
import { DropHint } from '../log/importing/DropHint.tsx';
import { useFileDrop } from '../log/importing/useFileDrop.ts';
import { SessionLog, useLogOpening } from '../log/SessionLog.tsx';
import { useSeen } from '../noticing/Changed.tsx';
import { usePageActions } from '../palette/actions.ts';
import { Badge } from '../ui/Badge.tsx';
import { copyAct, CopyId } from '../ui/CopyId.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { endpoints } from '../urql.ts';
import { useAgain } from '../ui/useAgain.ts';
import { SessionActions } from './acts/SessionActions.tsx';
import { situationLooks } from './looks.ts';
import { SessionFolds } from './SessionFolds.tsx';
import { SessionHistory } from './SessionHistory.tsx';
import { SessionNow } from './SessionNow.tsx';
import { SessionProposal } from './SessionProposal.tsx';
import styles from './SessionPage.module.css';
import { isOpen } from './SessionRow.tsx';
import { SessionSide } from './SessionSide.tsx';
import { SessionSnapshots } from './SessionSnapshots.tsx';
import { useSilence } from './silence.ts';
import { SessionTabs, viewOf, type SessionView } from './SessionTabs.tsx';

const SessionPageDocument = graphql(`
  query SessionPage($id: ID!) {
    session(id: $id) {
      id
      title
      status
      situation
      version
      updatedAt
      lastActivityAt
      overCapacity
      agent {
        id
      }
      agentSession {
        id
        state
      }
      ...SessionActions
      ...SessionFolds
      ...SessionNow
      ...SessionProposal
      ...SessionSide
    }
  }
`);

const ImportDialog = lazy(() => import('../log/importing/ImportDialog.tsx'));
const ReassignDialog = lazy(() => import('../handoffs/reassign/ReassignDialog.tsx'));

// Beside the page's requests: most messages need it.
MarkdownText.preload();

/** One session: its holder, handoffs, log and context. */
export default function SessionPage({ id }: { id: string }) {
  const [{ data, error }, ask] = useQuery({
    query: SessionPageDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, data?.session ? momentOf(data.session) : undefined);
  useSilence(() => ask({ requestPolicy: 'network-only' }));
  const view = viewOf(useSearch());
  const opening = useLogOpening(id, view === 'conversation');
  const failure = error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (data?.session) return <Known session={data.session} failure={failure} view={view} opening={opening} />;
  return (
    <Page title="Session">
      {failure}
      {data && (
        <EmptyState icon="list" title="There is no such session.">
          Its address may be mistyped, or your key may not read it.
        </EmptyState>
      )}
      {!data && !error && (
        <>
          <Skeleton height="9.5rem" />
          <Skeleton height="60vh" />
        </>
      )}
    </Page>
  );
}

/** Both values: a move may become known through either. */
const momentOf = ({ version, updatedAt }: { version: number; updatedAt: string }): string => `${version} ${updatedAt}`;

interface KnownProps {
  session: NonNullable<SessionPageQuery['session']>;
  failure: ReactNode;
  view: SessionView;
  opening: ReturnType<typeof useLogOpening>;
}

function Known({ session, failure, view, opening }: KnownProps) {
  const { id, title, status, situation, version, updatedAt, overCapacity, agent, agentSession } = session;
  const isAgent = useAccess().viewer.role === 'AGENT';
  /** The fields of the dialog that is open. */
  const [opened, setOpened] = useState<Partial<Draft> | 'prompt' | null>(null);
  const moment = momentOf(session);
  useSessionLog(id);
  useSeen(session);
  const mayReassign = useMay('reassign') && isOpen(status);
  const mayImport =
    useMay('steerSession', agent?.id) && isOpen(status) && (!isAgent || agentSession?.state === 'ACTIVE');
  const [importing, setImporting] = useState<readonly File[] | null>(null);
  const isOver = useFileDrop(mayImport ? setImporting : null);
  usePageActions([
    ...(mayReassign ? [{ word: 'Reassign this session …', icon: 'swap' as const, run: () => setOpened({}) }] : []),
    { word: 'Context prompt of this session …', icon: 'copy', run: () => setOpened('prompt') },
  ]);
  return (
    <Page
      fills
      title={title}
      intro={
        <span className={styles.intro}>
          <Badge {...situationLooks[situation]} />
          <span className={styles.when}>
            changed <Time at={updatedAt} />
          </span>
          {overCapacity && <span>{agent?.id} is over capacity</span>}
          <CopyId id={id} noun="session" />
        </span>
      }
      actions={
        <>
          <button type="button" className="button small" onClick={() => setOpened('prompt')}>
            <Icon name="copy" size={14} /> Context prompt
          </button>
          <DownloadButton path={endpoints.sessionJson(id)} label="this session and its chain as JSON">
            JSON
          </DownloadButton>
          {mayReassign && (
            <button type="button" className="button primary small" aria-keyshortcuts="r" onClick={() => setOpened({})}>
              <Icon name="swap" size={14} /> Reassign
            </button>
          )}
          <SessionActions
            session={session}
            others={[
              ...(mayImport
                ? [
                    {
                      word: 'Import a transcript into this session …',
                      icon: 'upload' as const,
                      run: () => setImporting([]),
                    },
                  ]
                : []),
              copyAct(id, 'session'),
            ]}
          />
        </>
      }
    >
      {failure}
      <section className={`card ${styles.top}`} aria-label="Now, and the chain">
        <SessionNow session={session} />
        <SessionProposal session={session} onReassign={mayReassign ? setOpened : undefined} />
        <SessionFolds session={session} moment={moment} />
      </section>
      <div className={styles.body}>
        <SessionTabs sessionId={id} moment={moment} view={view} />
        {view === 'conversation' && (
          <div className={styles.conversation}>
            <div className={`card ${styles.clip} ${styles.log}`}>
              <SessionLog sessionId={id} moment={moment} opening={opening} />
            </div>
            <SessionSide session={session} />
          </div>
        )}
        {view === 'handoffs' && (
          <div className={`card ${styles.clip}`}>
            <SessionHistory sessionId={id} version={version} />
          </div>
        )}
        {view === 'snapshots' && <SessionSnapshots sessionId={id} moment={moment} />}
      </div>
      <Suspense>
        {opened !== null && opened !== 'prompt' && (
          <ReassignDialog sessionId={id} draft={opened} onClose={() => setOpened(null)} />
        )}
      </Suspense>
      <Suspense>
        {importing !== null && <ImportDialog into={session} files={importing} onClose={() => setImporting(null)} />}
      </Suspense>
      {isOver && <DropHint>Drop a transcript to import it into this session</DropHint>}
      {opened === 'prompt' && <PromptDialog of={{ sessionId: id }} onClose={() => setOpened(null)} />}
    </Page>
  );
}
