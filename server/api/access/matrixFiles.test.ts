import { expect, it } from 'vitest';
import { askersOf, roles, sessionOrHandoff, type Asker, type Whose } from '../../../test/askers.ts';
import { send } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { unknownId } from '../../../test/refusals.ts';
import type { IdPrefix } from '../../core/ids.ts';

const { db, url, secrets, sessionInput, handoffInput } = await askersOf();

const files = {
  'a handoff as Markdown': async (whose: Whose) => `/handoffs/${(await handoffInput(whose)).handoffId}.md`,
  'a handoff as JSON': async (whose: Whose) => `/handoffs/${(await handoffInput(whose)).handoffId}.json`,
  'a session': async (whose: Whose) => `/sessions/${(await sessionInput(whose)).sessionId}.json`,
};
const get = (path: string, key?: string) =>
  send(`${url}${path}`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });

it.each(Object.entries(files))('%s is readable by those who may query it', async (_name, pathOf) => {
  for (const whose of ['own', 'seen', 'foreign'] as const) {
    const path = await pathOf(whose);
    for (const role of roles)
      expect([role, whose, (await get(path, secrets[role])).status]).toEqual([
        role,
        whose,
        role === 'AGENT' && whose === 'foreign' ? 404 : 200,
      ]);
    expect(await get(path)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    const missing = path.replace(sessionOrHandoff, (_, prefix: IdPrefix) => unknownId(prefix));
    if (whose === 'foreign')
      expect((await get(path, secrets.AGENT)).body).toBe((await get(missing, secrets.AGENT)).body);
  }
});

it('a transcript may be uploaded by those who may call importTranscript', async () => {
  const expected: Record<Asker, Record<Whose, number>> = {
    AGENT: { own: 200, seen: 409, foreign: 404 },
    OPERATOR: { own: 200, seen: 200, foreign: 200 },
    ANALYST: { own: 403, seen: 403, foreign: 403 },
    ADMIN: { own: 200, seen: 200, foreign: 200 },
  };
  const body = '{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"Well?"}}\n';
  const post = async (path: string, key?: string) =>
    send(`${url}${path}`, {
      method: 'POST',
      body,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
  for (const role of roles) {
    for (const whose of ['own', 'seen', 'foreign'] as const) {
      const path = `/sessions/${(await sessionInput(whose)).sessionId}/transcript`;
      const before = await hashAllTables(db.pool);
      expect([role, whose, (await post(path, secrets[role])).status]).toEqual([role, whose, expected[role][whose]]);
      if (expected[role][whose] !== 200) expect(await hashAllTables(db.pool)).toEqual(before);
      expect((await post(path)).status).toBe(401);
    }
  }
});
