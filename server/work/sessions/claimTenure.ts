import { statement } from '../../core/changes.ts';
import { NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import type { AgentSessionState } from '../../generated/prisma/client.ts';
import { Custody } from '../custody/custody.ts';
import { demandAct } from '../custody/demand.ts';
import type { SessionAnswer } from './createSession.ts';
import { claimSeconds, refusalOfClaim, type Claim } from './rules.ts';

export interface ClaimTenureInput {
  agentSessionId: string;
  runnerId: string;
  release: boolean;
}

export interface ClaimAnswer extends SessionAnswer {
  agentSessionId: string;
}

/**
 * Claims a tenure for one runner, renews its claim, or releases it (rule: claim). Writes no Event and no version: a runner
 * renews several times a minute.
 */
export async function claimTenure(work: Work, input: ClaimTenureInput): Promise<ClaimAnswer> {
  const { agentSessionId, runnerId, release } = input;
  const sessionId = await work.lockSessionOf(agentSessionId, { of: 'AgentSession' });
  if (sessionId === null) throw new NotFoundError('agent session', encodeId('agentsession', agentSessionId));
  const custody = await Custody.of(work, sessionId, { holder: false });
  const tenure = custody.tenure?.id === agentSessionId ? custody.tenure : await readEnded(work, agentSessionId);
  demandAct(custody, 'claim', { holderId: tenure.agentId });
  const refusal = refusalOfClaim(tenure, input, work.now);
  if (refusal !== null) throw refusal;
  if (!release)
    work.change('agent_sessions', tenure, {
      runnerId,
      claimEndsAt: new Date(work.now.getTime() + claimSeconds * 1_000),
    });
  else if (tenure.runnerId === runnerId) work.change('agent_sessions', tenure, { runnerId: null, claimEndsAt: null });
  return { agentSessionId, sessionId };
}

interface EndedTenure extends Claim {
  id: string;
  agentId: string;
  state: AgentSessionState;
}

const findTenure = statement(
  `SELECT id, agent_id AS "agentId", state, NULL::text AS "runnerId", NULL::timestamptz AS "claimEndsAt" FROM agent_sessions WHERE id = $1`,
);

/** Only the last tenure of a Session may be open. */
async function readEnded(work: Work, agentSessionId: string): Promise<EndedTenure> {
  return (await work.query<EndedTenure>(findTenure, [agentSessionId]))[0]!;
}
