import type { HandoffGraphFilter } from '../gql/graphql.ts';

/** The graph's filters, as in the URL. Times are ISO 8601; empty means no bound. */
export interface GraphView {
  agent: string;
  project: string;
  after: string;
  before: string;
  /** How many pairs are drawn, at most; `all`; empty for the first choice. */
  pairs: string;
}

const timeOf = (text: string | null): string =>
  text !== null && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : '';

const pairsOf = (text: string | null): string => (text !== null && /^(all|[1-9]\d{0,4})$/.test(text) ? text : '');

export function readGraphView(params: URLSearchParams): GraphView {
  return {
    agent: params.get('agent') ?? '',
    project: params.get('project') ?? '',
    after: timeOf(params.get('after')),
    before: timeOf(params.get('before')),
    pairs: pairsOf(params.get('pairs')),
  };
}

export function writeGraphView({ agent, project, after, before, pairs }: GraphView): string {
  return withParams('/graph', { agent, project, after, before, pairs });
}

export function toGraphFilter({ agent, project, after, before }: GraphView): HandoffGraphFilter {
  return {
    ...(agent && { agentId: agent }),
    ...(project && { project }),
    ...(after && { initiatedAfter: after }),
    ...(before && { initiatedBefore: before }),
  };
}

/** The URL of the list of an edge's handoffs. */
export const listOf = (of: { source: string; target: string }, { project, after, before }: GraphView): string =>
  withParams('/handoffs', { ...of, project, after, before });

function withParams(path: string, values: Record<string, string>): string {
  const params = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return params.size === 0 ? path : `${path}?${params.toString()}`;
}

/** The format of an input of local time, without seconds. */
export function toLocal(iso: string): string {
  if (iso === '') return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export const fromLocal = (local: string): string => (local === '' ? '' : new Date(local).toISOString());
