import { contexts } from '../server/api/graphql/context.ts';
import { schema } from '../server/api/graphql/schema.ts';
import { batonItself } from '../server/core/work.ts';
import { createEventBodies } from '../server/delivery/exports/eventBodies.ts';
import { createStamper } from '../server/delivery/live/stamp.ts';
import { startDelivering, type DeliverOptions } from '../server/delivery/webhooks/deliver.ts';
import { createSender } from '../server/delivery/webhooks/send.ts';
import { silentLog } from '../server/infra/log.ts';
import { cursorsOf } from '../server/work/events/cursors.ts';
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
