import fc from 'fast-check';
import { TypeID } from 'typeid-js';
import { expect, test } from 'vitest';
import { decodeId, encodeId, newId } from './ids.ts';

test('a public id is the TypeID of its UUID and decodes back to it', () => {
  fc.assert(
    fc.property(fc.uuid(), (uuid) => {
      expect(encodeId('handoff', uuid)).toBe(TypeID.fromUUID('handoff', uuid).toString());
      expect(decodeId(encodeId('toolcall', uuid))).toEqual({ prefix: 'toolcall', uuid });
    }),
  );
  for (const uuid of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', newId()]) {
    expect(encodeId('session', uuid)).toBe(TypeID.fromUUID('session', uuid).toString());
  }
});
