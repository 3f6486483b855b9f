import type { HandoffFilter, HandoffStatus } from '../../gql/graphql.ts';
import { handoffLooks } from '../looks.ts';

/** The list's filters, as in the URL. Times are ISO 8601. */
export interface View {
  source: string;
  target: string;
  project: string;
  status: HandoffStatus | null;
  after: string | null;
  before: string | null;
}

const names = Object.keys(handoffLooks) as HandoffStatus[];

export function readView(params: URLSearchParams): View {
  const status = params.get('status')?.toUpperCase();
  return {
    source: params.get('source') ?? '',
    target: params.get('target') ?? '',
    project: params.get('project') ?? '',
    status: names.find((name) => name === status) ?? null,
    after: readTime(params.get('after')),
    before: readTime(params.get('before')),
  };
}

const readTime = (text: string | null): string | null =>
  text !== null && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : null;

export function writeView({ source, target, project, status, after, before }: View): string {
  const params = new URLSearchParams();
  if (source) params.set('source', source);
  if (target) params.set('target', target);
  if (project) params.set('project', project);
  if (status) params.set('status', status.toLowerCase());
  if (after) params.set('after', after);
  if (before) params.set('before', before);
  const query = params.toString();
  return query === '' ? '/handoffs' : `/handoffs?${query}`;
}

export function toFilter({ source, target, project, status, after, before }: View): HandoffFilter {
  return {
    ...(source && { sourceAgentId: source }),
    ...(target && { targetAgentId: target }),
    ...(project && { project }),
    ...(status && { status: [status] }),
    ...(after && { initiatedAfter: after }),
    ...(before && { initiatedBefore: before }),
  };
}
