import { useState } from 'react';
import { useMutation } from 'urql';
import { useLocation } from 'wouter';
import { graphql } from '../../gql/gql.ts';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';

const ImportShippedAgentsMutation = graphql(`
  mutation ImportShippedAgents($files: [AgentDefinitionFile!]!) {
    importAgents(input: { files: $files }) {
      __typename
      ... on ImportAgentsPayload {
        report {
          problems {
            path
            severity
            message
          }
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

const DefineShippedPipelineMutation = graphql(`
  mutation DefineShippedPipeline($input: DefinePipelineInput!) {
    definePipeline(input: $input) {
      __typename
      ... on DefinePipelinePayload {
        pipeline {
          id
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

const definitions = import.meta.glob<string>('../../../server/work/pipelines/story/*.md', {
  query: '?raw',
  import: 'default',
});

/** Registers the agents of the pipeline that ships with Baton, then defines it, as `baton pipelines import story` does. Done again it changes nothing. */
export function ShippedPipeline() {
  const [, navigate] = useLocation();
  const [importing, importAgents] = useMutation(ImportShippedAgentsMutation);
  const [defining, define] = useMutation(DefineShippedPipelineMutation);
  const [refusal, setRefusal] = useState<string | null>(null);
  const error = importing.error ?? defining.error;
  const isBusy = importing.fetching || defining.fetching;

  const add = async () => {
    if (isBusy) return;
    setRefusal(null);
    const { default: story } = await import('../../../server/work/pipelines/story/story.json');
    const files = await Promise.all(
      Object.entries(definitions).map(async ([path, read]) => ({
        path: `story/${path.split('/').at(-1)!}`,
        content: await read(),
      })),
    );
    const imported = (await importAgents({ files })).data?.importAgents;
    if (imported === undefined) return;
    if (imported.__typename !== 'ImportAgentsPayload') return setRefusal(imported.message);
    const problem = imported.report.problems.find(({ severity }) => severity === 'ERROR');
    if (problem) return setRefusal(`${problem.path}: ${problem.message}`);
    const defined = (await define({ input: story })).data?.definePipeline;
    if (defined === undefined) return;
    if (defined.__typename !== 'DefinePipelinePayload') return setRefusal(defined.message);
    navigate(`/pipelines/${story.slug}`);
  };

  return (
    <>
      <button type="button" className="button" aria-disabled={isBusy} onClick={() => void add()}>
        <Icon name="pipeline" /> {isBusy ? 'Adding …' : 'Add it with its agents'}
      </button>
      {refusal !== null && <ErrorNote title="Not added">{refusal}</ErrorNote>}
      {error && <RequestError error={error} onRetry={() => void add()} />}
    </>
  );
}
