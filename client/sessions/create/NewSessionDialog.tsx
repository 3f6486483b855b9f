import { useMemo, useState } from 'react';
import { useClient, useQuery } from 'urql';
import { useLocation } from 'wouter';
import { useAccess } from '../../access/viewer.ts';
import { outcomeOf } from '../../acts/outcome.ts';
import { RunDialog } from '../../acts/RunDialog.tsx';
import { AgentCombobox } from '../../agents/AgentCombobox.tsx';
import { AgentOption } from '../../agents/AgentSelect.tsx';
import { graphql } from '../../gql/gql.ts';
import type { CreateSessionInput, SessionPriority } from '../../gql/graphql.ts';
import { newKey } from '../../handoffs/reassign/idempotencyKey.ts';
import { emptyDraft } from '../../handoffs/reassign/reassign.ts';
import { QueueChoice } from '../../handoffs/reassign/ReassignManyDialog.tsx';
import { TypeChoice } from '../../handoffs/reassign/TypeChoice.tsx';
import { priorityWords } from '../../queue/words.ts';
import { showNotice } from '../../ui/notices.ts';
import { SelectField } from '../../ui/SelectField.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { NoticeText } from '../../ui/UndoNotice.tsx';
import styles from './NewSession.module.css';
import { inputOf, type Taker } from './input.ts';

const CreateSession = graphql(`
  mutation CreateSession($input: CreateSessionInput!) {
    answer: createSession(input: $input) {
      __typename
      ... on CreateSessionPayload {
        session {
          id
          ...SessionRow
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const PipelinesToChoose = graphql(`
  query PipelinesToChoose {
    pipelines(first: 100) {
      nodes {
        id
        slug
        name
      }
    }
  }
`);

const takers = [
  ['nobody', 'No agent yet'],
  ['agent', 'An agent'],
  ['type', 'Any agent of a type'],
  ['pipeline', 'A pipeline'],
] as const satisfies [Taker, string][];

const priorities = Object.entries(priorityWords) as [SessionPriority, string][];

/** Creates a session and opens its page. An agent creates sessions that it holds itself. */
export default function NewSessionDialog({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const { viewer } = useAccess();
  const [, navigate] = useLocation();
  const [title, setTitle] = useState('');
  const [project, setProject] = useState('');
  const [taker, setTaker] = useState<Taker>('nobody');
  const [agentId, setAgentId] = useState('');
  const [agentType, setAgentType] = useState('');
  const [queue, setQueue] = useState(true);
  const [pipeline, setPipeline] = useState('');
  const [priority, setPriority] = useState<SessionPriority>('NORMAL');
  const [isApproved, setApproved] = useState(false);
  const [{ data }] = useQuery({
    query: PipelinesToChoose,
    pause: taker !== 'pipeline',
    requestPolicy: 'cache-and-network',
  });
  const given = JSON.stringify(
    inputOf({ title, project, taker, agentId, agentType, queue, pipeline, priority, isApproved }, viewer.agentId),
  );
  // A retry of the same input has the same key and creates one session.
  const input = useMemo(
    (): CreateSessionInput => ({ ...(JSON.parse(given) as CreateSessionInput), idempotencyKey: newKey(given) }),
    [given],
  );
  const isReady =
    title.trim() !== '' &&
    { nobody: true, agent: agentId !== '', type: agentType !== '', pipeline: pipeline !== '' }[taker];
  return (
    <RunDialog
      title="New session"
      items={[{ id: given, title }]}
      word="Create"
      busy="Creating …"
      icon="plus"
      isReady={isReady}
      run={async () => outcomeOf(await client.mutation(CreateSession, { input }))}
      onAllDone={([payload]) => {
        if (payload) navigate(`/sessions/${payload.session.id}`);
        showNotice(<NoticeText>{`"${title.trim()}" was created.`}</NoticeText>);
      }}
      onClose={onClose}
      fields={
        <>
          <TextField
            label="Title"
            hint="What is to be done: at most 500 characters."
            value={title}
            onChange={setTitle}
            error={undefined}
          />
          {viewer.agentId === null && (
            <>
              <SelectField
                label="For"
                value={taker}
                onChange={setTaker}
                options={takers}
                {...(taker === 'nobody' && { hint: 'It is paused and unassigned until somebody assigns it.' })}
              />
              {taker === 'agent' && (
                <AgentCombobox
                  label="Agent"
                  placeholder="Choose an agent"
                  value={agentId}
                  onChange={setAgentId}
                  obstacleOf={({ status, freePlaces }) =>
                    status === 'AVAILABLE' && freePlaces > 0 ? null : 'It takes no session now'
                  }
                >
                  {(agent) => (
                    <AgentOption
                      agent={agent}
                      note={agent.status === 'AVAILABLE' && agent.freePlaces > 0 ? agent.type : 'takes no session now'}
                    />
                  )}
                </AgentCombobox>
              )}
              {taker === 'type' && (
                <>
                  <TypeChoice holderId={null} value={agentType} onChange={setAgentType} describedBy={undefined} />
                  <QueueChoice draft={{ ...emptyDraft, queue }} onChange={(part) => setQueue(part.queue ?? queue)} />
                </>
              )}
              {taker === 'pipeline' && (
                <SelectField
                  label="Pipeline"
                  value={pipeline}
                  onChange={setPipeline}
                  options={[
                    ['', data ? 'Choose a pipeline' : 'Loading the pipelines …'],
                    ...(data?.pipelines.nodes ?? []).map(({ slug, name }) => [slug, name] as const),
                  ]}
                  hint="Its start stage gets an agent, or the session waits for one."
                />
              )}
              <SelectField label="Priority" value={priority} onChange={setPriority} options={priorities} />
              <label className={styles.check}>
                <input type="checkbox" checked={isApproved} onChange={({ target }) => setApproved(target.checked)} /> A
                person approves each handoff
              </label>
            </>
          )}
          <TextField
            label="Project"
            hint="Optional: a label to group sessions by."
            value={project}
            onChange={setProject}
            error={undefined}
          />
        </>
      }
    />
  );
}
