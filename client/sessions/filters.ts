import type { SessionFilter, SessionSituation } from '../gql/graphql.ts';
import { situations } from './looks.ts';

/** The list's filters, as in the URL. */
export interface View {
  situation: SessionSituation | null;
  agent: string;
  unassigned: boolean;
  open: boolean;
  text: string;
  /** Id of a workspace. */
  folder: string;
  /** Ordered by last activity instead of creation. */
  byActivity: boolean;
}

export function readView(params: URLSearchParams): View {
  const status = params.get('status')?.toUpperCase();
  return {
    situation: situations.find((each) => each === status) ?? null,
    agent: params.get('agent') ?? '',
    unassigned: params.get('unassigned') === '1',
    open: params.get('open') === '1',
    text: params.get('q') ?? '',
    folder: /^ws_[0-9a-f]{20}$/.exec(params.get('folder') ?? '')?.[0] ?? '',
    byActivity: params.get('sort') === 'activity',
  };
}

export function writeView({ situation, agent, unassigned, open, text, folder, byActivity }: View): string {
  const params = new URLSearchParams();
  if (situation) params.set('status', situation.toLowerCase());
  if (agent) params.set('agent', agent);
  if (unassigned) params.set('unassigned', '1');
  if (open) params.set('open', '1');
  if (text) params.set('q', text);
  if (folder) params.set('folder', folder);
  if (byActivity) params.set('sort', 'activity');
  const query = params.toString();
  return query === '' ? '/sessions' : `/sessions?${query}`;
}

export function toFilter({ situation, agent, unassigned, open, text, folder }: View): SessionFilter {
  return {
    ...(situation && { situation: [situation] }),
    ...(agent && { agentId: agent }),
    ...(unassigned && { unassigned: true }),
    ...(open && { hasOpenHandoff: true }),
    ...(folder && { workspaceId: folder }),
    ...(text.trim() && { titleContains: text.trim() }),
  };
}

/** The fields of a session that the filters use. */
export interface Facets {
  title: string;
  situation: SessionSituation;
  agent?: { id: string } | null | undefined;
  openHandoff?: { id: string } | null | undefined;
  workspace?: { id?: string | null | undefined } | null | undefined;
}

/** Whether the server would list it: the same rules as the server's filter. */
export function fits(view: View, { title, situation, agent, openHandoff, workspace }: Facets): boolean {
  const text = view.text.trim().toLowerCase();
  return (
    (view.situation === null || view.situation === situation) &&
    (view.agent === '' || view.agent === agent?.id) &&
    (!view.unassigned || agent == null) &&
    (!view.open || openHandoff != null) &&
    (view.folder === '' || view.folder === workspace?.id) &&
    title.toLowerCase().includes(text)
  );
}

/** Whether a listed session no longer matches. Titles never change. */
export const hasLeft = (view: View, session: Facets): boolean => !fits({ ...view, text: '' }, session);
