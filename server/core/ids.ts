import { TypeID } from 'typeid-js';
import { uuidv7 } from 'uuidv7';

/** Prefixes of the public ids (TypeIDs). An Agent has none: its id is its slug. */
export const idPrefixes = [
  'session',
  'agentsession',
  'handoff',
  'turn',
  'message',
  'toolcall',
  'decision',
  'task',
  'snapshot',
  'event',
  'key',
] as const;
export type IdPrefix = (typeof idPrefixes)[number];

/** A new UUIDv7: grows within this process, so that ids of one millisecond keep their order. */
export const newId: () => string = uuidv7;

/** The public form of a UUID column: prefix, underscore, UUID in base32. */
export const encodeId = (prefix: IdPrefix, uuid: string): string => `${prefix}_${base32(uuid)}`;

const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const pairs = Array.from({ length: 1_024 }, (_, ten) => `${digits[ten >> 5]!}${digits[ten & 31]!}`);

/** As TypeID writes it, in a sixth of its time: a list of twenty has forty ids. 128 bits are a pair of digits for the first 8, and two for each 20 that follow. */
function base32(uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  let text = pairs[Number.parseInt(hex.slice(0, 2), 16)]!;
  for (let at = 2; at < 32; at += 5) {
    const twenty = Number.parseInt(hex.slice(at, at + 5), 16);
    text += pairs[twenty >> 10]! + pairs[twenty & 1_023]!;
  }
  return text;
}

// The library throws for what is none, which takes long when there are thousands.
const form = /^[a-z]+_[0-7][0-9a-z]{25}$/;

/** What a public id names, or null when it is none of ours. */
export function decodeId(id: string): { prefix: IdPrefix; uuid: string } | null {
  if (!form.test(id)) return null;
  try {
    const typeId = TypeID.fromString(id);
    const prefix = idPrefixes.find((known) => known === typeId.getType());
    return prefix === undefined ? null : { prefix, uuid: typeId.toUUID() };
  } catch {
    return null;
  }
}

const slug = /^[a-z0-9]([a-z0-9_-]{0,50}[a-z0-9])?$/;

/** Whether an agent may have this id: a slug that is never mistaken for a TypeID. */
export const isAgentId = (id: string): boolean => slug.test(id) && decodeId(id) === null;
