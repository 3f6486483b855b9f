import { describe, expect, it } from 'vitest';
import { hashAllTables } from '../../../test/hash.ts';
import { house, testRefusals, unknownId, type Refusal } from '../../../test/refusals.ts';
import { encodeId, newId } from '../../core/ids.ts';
import { createKey } from './createKey.ts';

const home = await house();

const cases: Refusal[] = [
  {
    mutation: 'revokeKey',
    error: 'BadUserInputError',
    when: 'the id is not that of a key',
    given: () => ({ input: { keyId: newId() }, data: { path: ['input', 'keyId'] } }),
    says: /the id of a key/,
  },
  {
    mutation: 'revokeKey',
    error: 'NotFoundError',
    when: 'the key does not exist',
    given: () => {
      const keyId = unknownId('key');
      return { input: { keyId }, data: { id: keyId } };
    },
    says: /check the id/,
  },
];

testRefusals(home, ['revokeKey'], cases);

describe('revokeKey', () => {
  const { run, send, db } = home;
  const made = () => run(createKey, { role: 'ANALYST', agentId: null, name: 'ci', expiresAt: null });

  it('revokes the key and no other', async () => {
    const [{ keyId }, other] = [await made(), await made()];
    expect(await send('revokeKey', { keyId: encodeId('key', keyId) })).toMatchObject({
      __typename: 'RevokeKeyPayload',
      key: { id: encodeId('key', keyId) },
    });
    const keys = await db.prisma.key.findMany({ where: { id: { in: [keyId, other.keyId] }, revokedAt: null } });
    expect(keys.map(({ id }) => id)).toEqual([other.keyId]);
  });

  it('changes nothing when it is repeated', async () => {
    const keyId = encodeId('key', (await made()).keyId);
    const first = await send('revokeKey', { keyId });
    const before = await hashAllTables(db.pool);
    expect(await send('revokeKey', { keyId })).toEqual(first);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });
});
