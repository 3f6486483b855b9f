import { isAgentId } from '../../core/ids.ts';
import type { Caller } from '../../core/work.ts';

/** The caller may not use this address. */
export class WrongAddress extends Error {
  constructor(
    readonly status: 403 | 404,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The caller with the rights of the agent that `/mcp/<agent>` names. A key's principal and role stay: records name an operator that
 * acts for an agent. Every rule reads `agentId`, so nobody gets more here than that agent has.
 * @throws WrongAddress
 */
export function actingFor(caller: Caller, named: string | null): Caller {
  if (named !== null && !isAgentId(named))
    throw new WrongAddress(404, `'${named.slice(0, 60)}' is not the id of an agent: check the address`);
  const { role, agentId } = caller;
  if (agentId !== null) {
    if (named !== null && named !== agentId)
      throw new WrongAddress(403, `Your key is bound to agent '${agentId}': use /mcp or /mcp/${agentId}`);
    return caller;
  }
  if (named !== null) return { ...caller, agentId: named, role: caller.principal === 'loopback' ? 'AGENT' : role };
  if (role === 'ANALYST') return caller;
  throw new WrongAddress(403, 'Name the agent that you act for in the address: /mcp/<agent>');
}
