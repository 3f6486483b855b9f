import { type Desk, isHere, type Workspace, workspaceFields } from './ask.ts';

/** What the description of baton_handoff says of the stages in which the agent works: what operators defined, and nothing recorded. */

interface Staged {
  id: string;
  workspace: Workspace | null;
  agentSession: { state: string } | null;
  pipeline: { stage: string | null; guide: string | null } | null;
}

const document = `query ($agentId: ID!) { sessions(first: 20, where: { agentId: $agentId, status: [RUNNING, PAUSED] }, orderBy: { field: UPDATED_AT }) { nodes { id ${workspaceFields} agentSession { state } pipeline { stage guide } } } }`;

/** Sessions that the description tells of, and its characters: programs cut longer ones. */
const most = 3;
const longest = 1_700;

/** Empty when the agent holds no Session in a stage. Those of the folder come first, then the last changed. */
export async function stagesText(desk: Desk): Promise<string> {
  if (desk.agentId === null || !desk.works) return '';
  const { sessions } = await desk.query<{ sessions: { nodes: Staged[] } }>(document, { agentId: desk.agentId });
  const staged = sessions.nodes
    .filter(({ agentSession, pipeline }) => agentSession?.state !== 'PENDING' && pipeline?.guide != null)
    .sort((a, b) => Number(isHere(desk, b.workspace)) - Number(isHere(desk, a.workspace)))
    .slice(0, most);
  return staged.map(({ id, pipeline }) => `\n\n${id}: ${cutGuide(pipeline!.guide!, longest / staged.length)}`).join('');
}

/** The outcomes matter most: of long instructions the beginning stays. */
function cutGuide(guide: string, characters: number): string {
  if (guide.length <= characters) return guide;
  const outcomes = guide.lastIndexOf('\nIts outcomes:');
  const note = '\n(baton_inbox has the whole.)';
  const room = characters - note.length;
  const end = cut(guide.slice(outcomes), Math.floor((room * 2) / 3));
  return cut(guide.slice(0, outcomes), room - end.length) + end + note;
}

const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
