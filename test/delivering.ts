import { batonItself } from '../server/core/work.ts';
import { cursorsOf } from '../server/events/cursors.ts';
import { createEventBodies } from '../server/exports/eventBodies.ts';
import { contexts } from '../server/graphql/context.ts';
import { schema } from '../server/graphql/schema.ts';
import { silentLog } from '../server/infra/log.ts';
import { createStamper } from '../server/live/stamp.ts';
import { startDelivering, type DeliverOptions } from '../server/webhooks/deliver.ts';
import { createSender } from '../server/webhooks/send.ts';
import { atEnd, type TestDatabase } from './database.ts';
import { webhookKey } from './keyring.ts';

/** The JSON of events, as webhooks and the event log have it. */
export const bodiesOf = ({ pool, prisma }: TestDatabase) =>
  createEventBodies({
    schema,
    createContext: () =>
      contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog })(
        batonItself('webhook'),
      ),
    cursorOf: async (number, eventId) => (await cursorsOf(pool)).encode({ stream: 'all', number }, eventId),
    failed: (error) => {
      throw error;
    },
  });

/** What sends webhooks, as in a server process of its own. */
export function delivering(db: TestDatabase, options: Partial<DeliverOptions> = {}) {
  const { pool } = db;
  const stamper = createStamper({ pool, log: silentLog, stamped: () => undefined });
  const sender = createSender({ allow: ['127.0.0.1'] });
  const { stop } = startDelivering({
    pool,
    log: silentLog,
    positioned: () => stamper.now(),
    bodies: bodiesOf(db),
    sender,
    key: webhookKey,
    userAgent: 'Baton/test',
    everyMs: 10,
    ...options,
  });
  let stopped: Promise<void> | undefined;
  const once = () => (stopped ??= stop());
  atEnd(once);
  return { stop: once };
}
