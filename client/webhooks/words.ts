import type { DeliveryError, DeliveryStatus, WebhookDisabledReason } from '../gql/graphql.ts';
import type { Look } from '../ui/Badge.tsx';

export const disabledWords: Record<WebhookDisabledReason, string> = {
  ADMIN: 'Disabled by an admin',
  FAILING: 'Disabled: it failed for 24 hours',
  GONE: 'Disabled: the receiver answered 410',
};

const looks: Record<DeliveryStatus, Look> = {
  PENDING: { tone: 'info', icon: 'clock', word: 'Pending' },
  PARKED: { tone: 'calm', icon: 'hourglass', word: 'Parked' },
  DELIVERED: { tone: 'good', icon: 'check', word: 'Delivered' },
  FAILED: { tone: 'bad', icon: 'cross', word: 'Failed' },
};

/** A delivery that failed and will be repeated differs from one that was not tried yet. */
export const lookOf = ({
  status,
  error,
}: {
  status: DeliveryStatus;
  error?: DeliveryError | null | undefined;
}): Look => (status === 'PENDING' && error != null ? { tone: 'wait', icon: 'alert', word: 'Repeated' } : looks[status]);

const errors: Record<DeliveryError, string> = {
  TIMEOUT: 'no answer within 10 seconds',
  UNREACHABLE: 'the connection failed',
  UNKNOWN_HOST: 'unknown host',
  PRIVATE_ADDRESS: 'private address: see BATON_WEBHOOK_ALLOW',
  TLS: 'the certificate was not accepted',
  REDIRECT: 'redirect, not followed',
  STATUS: '',
  SIGNING_KEY: 'made with another BATON_WEBHOOK_KEY: rotate the secret',
  INTERNAL: 'the event could not be read',
};

/** What the latest attempt gave; empty before the first. */
export function answerText({
  responseStatus,
  error,
}: {
  responseStatus?: number | null | undefined;
  error?: DeliveryError | null | undefined;
}): string {
  return [responseStatus == null ? '' : `status ${responseStatus}`, error == null ? '' : errors[error]]
    .filter((part) => part !== '')
    .join(', ');
}
