import type { QueueFilter } from '../gql/graphql.ts';

/** The list's filters, as in the URL. */
export interface QueueView {
  role: string;
  type: string;
  /** Only sessions for which an operator has to choose the agent. */
  escalated: boolean;
}

export const readQueueView = (params: URLSearchParams): QueueView => ({
  role: params.get('role') ?? '',
  type: params.get('type') ?? '',
  escalated: params.get('escalated') === '1',
});

export function writeQueueView({ role, type, escalated }: QueueView): string {
  const params = new URLSearchParams();
  if (role !== '') params.set('role', role);
  if (type !== '') params.set('type', type);
  if (escalated) params.set('escalated', '1');
  return params.size === 0 ? '/queue' : `/queue?${params.toString()}`;
}

export const toQueueFilter = ({ role, type, escalated }: QueueView): QueueFilter => ({
  ...(role !== '' && { role }),
  ...(type !== '' && { agentType: type }),
  ...(escalated && { escalated }),
});
