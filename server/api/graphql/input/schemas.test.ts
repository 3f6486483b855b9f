import { expect, test } from 'vitest';
import { z } from 'zod';
import { BadUserInputError, LimitExceededError } from '../../../core/errors.ts';
import { encodeId, newId } from '../../../core/ids.ts';
import {
  agentId,
  content,
  contextVariables,
  decodeArgs,
  decodeInput,
  idOf,
  instant,
  json,
  listOf,
  optional,
  text,
} from './schemas.ts';

const refusalOf = (schema: z.ZodType, input: unknown): unknown => {
  try {
    decodeInput(schema, input);
  } catch (error) {
    return error;
  }
  throw new Error('It was taken');
};
const badInput = (path: string[], message: RegExp) => ({
  code: 'BAD_USER_INPUT',
  path,
  message: expect.stringMatching(message) as string,
});

test('decodes a public id to its UUID', () => {
  const uuid = newId();
  expect(decodeInput(z.object({ sessionId: idOf('session') }), { sessionId: encodeId('session', uuid) })).toEqual({
    sessionId: uuid,
  });
});

test('rejects the id of another kind and names both kinds', () => {
  const schema = z.object({ sessionId: idOf('session'), agentId: optional(agentId) });
  const sessionId = encodeId('session', newId());
  expect(refusalOf(schema, { sessionId: encodeId('handoff', newId()) })).toMatchObject(
    badInput(['input', 'sessionId'], /^input.sessionId is the id of a handoff: give the id of a session$/),
  );
  expect(refusalOf(schema, { sessionId, agentId: encodeId('agentsession', newId()) })).toMatchObject(
    badInput(['input', 'agentId'], /is the id of an agent session: give the id of an agent$/),
  );
  expect(refusalOf(schema, { sessionId: 'claude-1' })).toMatchObject(
    badInput(['input', 'sessionId'], /is 'claude-1', which is not an id:/),
  );
});

test('decodes a missing field and null to null', () => {
  const schema = z.object({ a: optional(agentId), b: optional(agentId), c: optional(agentId) });
  expect(decodeInput(schema, { a: 'ada', b: null })).toEqual({ a: 'ada', b: null, c: null });
});

test('counts bytes in UTF-8 and characters in code points', () => {
  expect(decodeArgs(text({ characters: 2 }), '😀😀')).toBe('😀😀');
  expect(refusalOf(text({ characters: 2 }), 'abc')).toMatchObject({
    message: expect.stringContaining('has 3 characters; the limit is 2') as string,
  });
  expect(decodeArgs(text({ bytes: 4 }), '😀')).toBe('😀');
  expect(refusalOf(text({ bytes: 4 }), 'ééé')).toMatchObject({
    message: expect.stringContaining('has 6 bytes; the limit is 4') as string,
  });
  expect(refusalOf(content, 'x'.repeat(256 * 1024 + 1))).toBeInstanceOf(BadUserInputError);
});

test('gives the path of a fault inside a JSON value', () => {
  const schema = z.object({ metadata: json({ bytes: 1000 }) });
  expect(refusalOf(schema, { metadata: { a: [1, { b: 'x\0' }] } })).toMatchObject(
    badInput(['input', 'metadata', 'a', '1', 'b'], /contains NUL/),
  );
  expect(refusalOf(schema, { metadata: { a: { 'x\ud800': 1 } } })).toMatchObject(
    badInput(['input', 'metadata', 'a'], /has a name that contains an unpaired surrogate/),
  );
  expect(refusalOf(schema, { metadata: 1e999 })).toMatchObject(
    badInput(['input', 'metadata'], /number that JSON cannot hold/),
  );
  expect(refusalOf(schema, { metadata: 'x'.repeat(999) })).toMatchObject(
    badInput(['input', 'metadata'], /has 1001 bytes; the limit is 1000/),
  );
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(refusalOf(schema, { metadata: deep })).toMatchObject(badInput(['input', 'metadata'], /more than 32 levels/));
});

test('accepts a variable named constructor, and rejects reserved names and values other than objects', () => {
  const given = JSON.parse('{"__proto__x": 1, "constructor": 2}') as object;
  expect(refusalOf(contextVariables, given)).toMatchObject({
    message: expect.stringContaining("the name '__proto__x'") as string,
  });
  expect(decodeArgs(contextVariables, JSON.parse('{"constructor": 2}'))).toEqual({ constructor: 2 });
  expect(refusalOf(contextVariables, ['a'])).toMatchObject({
    message: expect.stringContaining('is not an object') as string,
  });
});

test('rejects a list that is too long with LIMIT_EXCEEDED before it checks the entries', () => {
  const schema = z.object({ ids: listOf(agentId, { what: 'agents', limit: 2, advice: 'name fewer' }) });
  expect(refusalOf(schema, { ids: ['?', '?', '?'] })).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 2, actual: 3 });
  expect(refusalOf(schema, { ids: ['?', '?', '?'] })).toBeInstanceOf(LimitExceededError);
  expect(refusalOf(schema, { ids: ['a', '?'] })).toMatchObject(badInput(['input', 'ids', '1'], /not an agent id/));
});

test('rejects a time that PostgreSQL does not store', () => {
  expect(decodeArgs(instant, new Date('9999-12-31T23:59:59.999Z'))).toEqual(new Date('9999-12-31T23:59:59.999Z'));
  expect(refusalOf(instant, new Date('0000-06-01T00:00:00Z'))).toBeInstanceOf(BadUserInputError);
});

test('throws a GraphQL error for arguments of a query', () => {
  expect(() => decodeArgs(z.object({ id: idOf('session') }), { id: 'x' })).toThrow(
    expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT', path: ['id'] }, path: undefined }),
  );
});
