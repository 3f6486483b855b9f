import type { AttentionFilter, AttentionKind } from '../gql/graphql.ts';
import { attentionKinds } from './looks.ts';

/** The list's filters, as in the URL. */
export interface AttentionView {
  kind: AttentionKind | null;
  agent: string;
  project: string;
}

export const readAttentionView = (params: URLSearchParams): AttentionView => ({
  kind: attentionKinds.find((kind) => kind === params.get('kind')?.toUpperCase()) ?? null,
  agent: params.get('agent') ?? '',
  project: params.get('project') ?? '',
});

export function writeAttentionView({ kind, agent, project }: AttentionView): string {
  const params = new URLSearchParams();
  if (kind !== null) params.set('kind', kind.toLowerCase());
  if (agent !== '') params.set('agent', agent);
  if (project !== '') params.set('project', project);
  return params.size === 0 ? '/attention' : `/attention?${params.toString()}`;
}

export const toAttentionFilter = ({ kind, agent, project }: AttentionView): AttentionFilter => ({
  ...(kind !== null && { kinds: [kind] }),
  ...(agent !== '' && { agentId: agent }),
  ...(project !== '' && { project }),
});
