import type { AgentSessionState } from '../../generated/prisma/client.ts';

export const isOpenTenure = ({ state }: { state: AgentSessionState }): boolean =>
  state === 'PENDING' || state === 'ACTIVE' || state === 'PAUSED';
