import { useState } from 'react';
import { useClient } from 'urql';
import { useLocation } from 'wouter';
import { outcomeOf } from '../../acts/outcome.ts';
import { RunDialog } from '../../acts/RunDialog.tsx';
import { graphql } from '../../gql/gql.ts';
import { showNotice } from '../../ui/notices.ts';
import { TextField } from '../../ui/TextField.tsx';
import { NoticeText } from '../../ui/UndoNotice.tsx';

const RegisterAgent = graphql(`
  mutation RegisterAgent($input: RegisterAgentInput!) {
    answer: registerAgent(input: $input) {
      __typename
      ... on RegisterAgentPayload {
        agent {
          id
          ...AgentRow
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const empty = { id: '', type: '', name: '', role: '', description: '', instructions: '', maxCapacity: '5' };
const optional = ['name', 'role', 'description', 'instructions'] as const;

/** Registers an agent and opens its page. */
export default function RegisterAgentDialog({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(empty);
  const set = (name: keyof typeof empty) => (value: string) => setDraft((now) => ({ ...now, [name]: value }));
  const field = (name: keyof typeof empty) => ({ value: draft[name], onChange: set(name), error: undefined });
  const id = draft.id.trim();
  const capacity = Number(draft.maxCapacity);
  const input = {
    id,
    type: draft.type.trim(),
    maxCapacity: capacity,
    ...Object.fromEntries(optional.flatMap((name) => (draft[name].trim() === '' ? [] : [[name, draft[name].trim()]]))),
  };
  return (
    <RunDialog
      title="Register an agent"
      items={[{ id: JSON.stringify(input), title: id }]}
      word="Register"
      busy="Registering …"
      icon="plus"
      isReady={id !== '' && input.type !== '' && Number.isInteger(capacity) && capacity > 0}
      run={async () => outcomeOf(await client.mutation(RegisterAgent, { input }))}
      onAllDone={() => {
        showNotice(<NoticeText>{`${id} is registered and available.`}</NoticeText>);
        navigate(`/agents/${encodeURIComponent(id)}`);
      }}
      onClose={onClose}
      fields={
        <>
          <TextField
            label="Id"
            hint="Permanent, such as claude-1: lower-case letters, digits, - and _."
            mono
            {...field('id')}
          />
          <TextField
            label="Type"
            hint="Kind of worker, such as CLAUDE: upper-case letters, digits and _."
            mono
            {...field('type')}
          />
          <TextField
            label="Capacity"
            hint="The number of sessions that it may hold at once."
            numeric
            {...field('maxCapacity')}
          />
          <TextField label="Name" hint="Optional: shown instead of the id." {...field('name')} />
          <TextField
            label="Role"
            hint="Optional: its purpose, such as implementer. Stages of pipelines choose by it."
            {...field('role')}
          />
          <TextField
            label="Description"
            hint="Optional: its strengths, for whoever chooses an agent."
            rows={2}
            {...field('description')}
          />
          <TextField
            label="Instructions"
            hint="Optional: every handoff to it carries them."
            rows={4}
            {...field('instructions')}
          />
        </>
      }
    />
  );
}
