import { type Desk, isHere, mutation, type Workspace, workspaceFields } from './ask.ts';
import { confirmNotice, noticesField, type NoticesRead, proposalLine, toSay, waitsForPerson } from './proposals.ts';
import { answer, counted, named, Refused } from './result.ts';
import { adviceFor, type HeldSession, heldSessions, outcomesOf, placeOf, sessionFields } from './session.ts';

/** What waits for an agent, and its answers: baton_inbox, baton_accept, baton_reject. */

/** Prompts in one answer; further handoffs are counted. */
const mostPrompts = 5;
const leastTokens = 200;

interface Waiting {
  id: string;
  deadlineAt: string;
  sourceAgent: { id: string } | null;
  targetAgent: { id: string };
  session: { id: string; title: string; workspace: Workspace | null };
}
interface Prompt {
  text: string;
  dropped: { id: string }[];
}

const waitingDocument = `query ($agentId: ID, $workspaceId: String) {
  handoffs(first: 20, where: { targetAgentId: $agentId, workspaceId: $workspaceId, status: [INITIATED] }, orderBy: { field: INITIATED_AT, direction: ASC }) {
    totalCount nodes { id deadlineAt sourceAgent { id } targetAgent { id } session { id title ${workspaceFields} } }
  }
}`;
const promptsDocument =
  'query ($ids: [ID!]!, $maxTokens: Int!) { nodes(ids: $ids) { ... on Handoff { contextPrompt(maxTokens: $maxTokens) { text dropped { id } } } } }';

/** The handoffs that wait for the agent, or for any, the oldest first; all, or those of one workspace. */
export async function waitingHandoffs(
  { agentId, query }: Desk,
  workspaceId: string | null = null,
): Promise<{ totalCount: number; nodes: Waiting[] }> {
  const { handoffs } = await query<{ handoffs: { totalCount: number; nodes: Waiting[] } }>(waitingDocument, {
    agentId,
    workspaceId,
  });
  return handoffs;
}

/** The only handoff that waits for work here, when none is named. @throws Refused */
export async function handoffMeant(desk: Desk, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const { nodes, totalCount } = await waitingHandoffs(desk, desk.place.workspaceId);
  const here = nodes.filter(({ session }) => isHere(desk, session.workspace));
  if (here.length === 1 && totalCount === nodes.length) return here[0]!.id;
  const all = here.length > 0 ? here : (await waitingHandoffs(desk)).nodes;
  const handoffs = all.map(({ id, session: { title, workspace } }) => ({
    id,
    title,
    workspace,
  }));
  if (handoffs.length === 0)
    throw new Refused('No handoff waits for you. Call baton_inbox later.', 'NO_HANDOFF_WAITS', { handoffs });
  const choice = `Name one of them as handoff: ${handoffs.map(({ id, title, workspace }) => `${id} ${named(title)}${placeOf(workspace)}`).join('; ')}.`;
  throw here.length > 0
    ? new Refused(`${handoffs.length} handoffs wait for you here. ${choice}`, 'SEVERAL_HANDOFFS_WAIT', { handoffs })
    : new Refused(`No handoff of this folder's work waits for you. ${choice}`, 'HANDOFF_ELSEWHERE', { handoffs });
}

export async function inbox(desk: Desk, { maxTokens = 4_000 }: { maxTokens?: number | undefined }) {
  const [{ totalCount, nodes }, held, notices] = [
    await waitingHandoffs(desk),
    await heldSessions(desk),
    await noticesOf(desk),
  ];
  const shown = nodes.slice(0, mostPrompts);
  const prompts =
    shown.length === 0
      ? []
      : await promptsOf(
          desk,
          shown.map(({ id }) => id),
          Math.max(leastTokens, Math.floor(maxTokens / shown.length)),
        );
  const handoffs = shown.map(({ id, deadlineAt, sourceAgent, targetAgent, session }, at) => ({
    handoff: id,
    from: sourceAgent?.id ?? null,
    to: targetAgent.id,
    session: session.id,
    deadlineAt,
    leftOut: idsOf(prompts[at]!),
    prompt: prompts[at]!.text,
  }));
  // A PENDING one is a handoff that waits.
  const taken = held.filter(({ agentSession }) => agentSession?.state !== 'PENDING');
  const sessions = taken.map((session) => ({
    ...sessionData(session),
    proposal: session.agentSession?.proposal?.metadata ?? null,
    waitsForPerson: waitsForPerson(session).trim(),
  }));
  const whom = desk.agentId === null ? '' : ' for you';
  const lines = [
    totalCount === 0
      ? `No handoff waits${whom}.`
      : `${counted(totalCount, 'handoff')} ${totalCount === 1 ? 'waits' : 'wait'}${whom}${totalCount > shown.length ? `; the oldest ${shown.length} are shown` : ''}.${desk.works ? ' Take one with baton_accept, or decline it with baton_reject.' : ''}`,
    ...sessions.map(
      ({ session, title, workspace, state, outcomes, stuckBecause, waitsForPerson: waits }) =>
        `You hold ${session} ${named(title)}${placeOf(workspace)}: ${state}${outcomes.length === 0 ? '' : `, outcomes ${outcomes.join(', ')}`}.${stuckBecause.length === 0 ? '' : ` It is stuck until an operator acts: ${stuckBecause.join(', ')}.`}${waits === '' ? '' : ` ${waits}`}`,
    ),
    ...notices.map(({ text }) => text),
    ...taken.map(proposalLine).filter((line) => line !== null),
  ];
  const texts = [
    ...sessions.flatMap(({ session, stage }) => (stage === null ? [] : [`${session}\n\n${stage}`])),
    ...handoffs.map(({ handoff, prompt, leftOut }) => `${handoff}\n\n${prompt}${leftOutNote(handoff, leftOut)}`),
  ];
  return answer(lines.join('\n'), { handoffs, sessions, notices, waiting: totalCount }, texts);
}

const noticesDocument = `query ($agentId: ID!) { ${noticesField} }`;

async function noticesOf(desk: Desk): Promise<{ notice: string; session: string; text: string }[]> {
  const { agentId, query } = desk;
  if (agentId === null) return [];
  return toSay(desk, await query<NoticesRead>(noticesDocument, { agentId })).map(({ id, sessionId, text }) => ({
    notice: id,
    session: sessionId,
    text,
  }));
}

async function promptsOf({ query }: Desk, ids: string[], maxTokens: number): Promise<Prompt[]> {
  const { nodes } = await query<{ nodes: ({ contextPrompt: Prompt } | null)[] }>(promptsDocument, { ids, maxTokens });
  return nodes.map((node) => node?.contextPrompt ?? { text: '', dropped: [] });
}

/** Said to who takes work over in another folder. */
const elsewhere = (desk: Desk, { workspace }: Pick<HeldSession, 'workspace'>): string =>
  workspace === null || isHere(desk, workspace)
    ? ''
    : `Its work was done${placeOf(workspace)}${desk.place.workspaceId === null ? '' : ', which is not your folder'}: make sure that you work on the same files, branch and commit. `;

const sessionData = (session: HeldSession) => ({
  session: session.id,
  title: session.title,
  workspace: session.workspace,
  state: session.agentSession?.state ?? session.status,
  outcomes: outcomesOf(session),
  stuckBecause: session.stuckBecause,
  stage: session.pipeline?.guide ?? null,
});

/** Names of left-out items in an answer. */
const mostNames = 40;
export const idsOf = ({ dropped }: Pick<Prompt, 'dropped'>): string[] =>
  dropped.slice(0, mostNames).map(({ id }) => id);

export const leftOutNote = (handoff: string, leftOut: readonly string[]): string =>
  leftOut.length === 0
    ? ''
    : `\n\nLeft out: ${leftOut.join(', ')}. baton_read returns one with handoff ${handoff} and its name as item.`;

const acceptDocument = mutation('acceptHandoff', `handoff { id sourceAgent { id } session { ${sessionFields} } }`);

export async function accept(
  desk: Desk,
  { handoff: given, maxTokens = 8_000 }: { handoff?: string | undefined; maxTokens?: number | undefined },
) {
  const handoffId = await handoffMeant(desk, given);
  const { handoff } = await desk.mutate<{
    handoff: { id: string; sourceAgent: { id: string } | null; session: HeldSession };
  }>(acceptDocument, { handoffId });
  const [prompt] = await promptsOf(desk, [handoffId], maxTokens);
  const leftOut = idsOf(prompt!);
  const { session } = handoff;
  return answer(
    `You hold ${session.id} now. ${elsewhere(desk, session)}${adviceFor(session)}`,
    {
      handoff: handoffId,
      from: handoff.sourceAgent?.id ?? null,
      ...sessionData(session),
      leftOut,
      prompt: prompt!.text,
    },
    [
      prompt!.text + leftOutNote(handoffId, leftOut),
      ...(session.pipeline?.guide == null ? [] : [session.pipeline.guide]),
    ],
  );
}

const sourceDocument = 'query ($id: ID!) { handoff(id: $id) { sourceAgent { id } targetAgent { id } } }';
const cancelDocument = mutation('cancelHandoff', 'session { id agent { id } status }');
const rejectDocument = mutation('rejectHandoff', 'session { id agent { id } status }');

export async function reject(desk: Desk, { handoff: given, reason }: { handoff?: string | undefined; reason: string }) {
  const handoffId = await handoffMeant(desk, given);
  const isOwn = given !== undefined && (await isFromHere(desk, given));
  const { session } = await desk.mutate<{ session: { id: string; agent: { id: string } | null } }>(
    isOwn ? cancelDocument : rejectDocument,
    { handoffId, reason },
  );
  const holder = session.agent?.id ?? null;
  if (isOwn) {
    // It need not hear of it as news.
    await confirmNotice(desk, handoffId);
    return answer(
      `Taken back. ${holder === desk.agentId ? 'You hold the session.' : `${holder === null ? 'The session is unassigned' : `'${holder}' holds the session`}: you have no free place.`}`,
      { handoff: handoffId, session: session.id, holder },
    );
  }
  return answer(
    `Declined. ${holder === null ? 'The session is unassigned now' : `'${holder}' holds the session again`}; your reason is recorded.`,
    { handoff: handoffId, session: session.id, holder },
  );
}

/** Whether the agent of the caller gave the handoff away. */
async function isFromHere({ agentId, query }: Desk, id: string): Promise<boolean> {
  if (agentId === null) return false;
  const { handoff } = await query<{
    handoff: { sourceAgent: { id: string } | null; targetAgent: { id: string } } | null;
  }>(sourceDocument, { id });
  return handoff?.sourceAgent?.id === agentId && handoff.targetAgent.id !== agentId;
}
