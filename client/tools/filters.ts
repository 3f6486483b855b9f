import type { HandoffToolFilter } from '../gql/graphql.ts';

/** The list's filters, as in the URL. */
export interface ToolsView {
  agent: string;
  target: string;
  kind: 'generated' | 'defined' | null;
  archived: boolean;
}

export function readToolsView(params: URLSearchParams): ToolsView {
  const kind = params.get('kind');
  return {
    agent: params.get('agent') ?? '',
    target: params.get('target') ?? '',
    kind: kind === 'generated' || kind === 'defined' ? kind : null,
    archived: params.get('archived') === '1',
  };
}

export function writeToolsView({ agent, target, kind, archived }: ToolsView): string {
  const params = new URLSearchParams();
  if (agent) params.set('agent', agent);
  if (target) params.set('target', target);
  if (kind) params.set('kind', kind);
  if (archived) params.set('archived', '1');
  return params.size === 0 ? '/tools' : `/tools?${params.toString()}`;
}

export function toToolFilter({ agent, target, kind, archived }: ToolsView): HandoffToolFilter {
  return {
    ...(agent && { agentId: agent }),
    ...(target && { targetAgentId: target }),
    ...(kind && { generated: kind === 'generated' }),
    ...(archived && { includeArchived: true }),
  };
}
