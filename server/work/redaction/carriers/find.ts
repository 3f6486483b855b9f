import { nextMatch, type Search } from '../finding.ts';
import { findBareKeys } from './bareKeys.ts';
import { findBelow } from './blocks.ts';
import { findInserts } from './inserts.ts';
import { findManifests } from './manifests.ts';
import { nameAround } from './named.ts';
import { findBeside } from './pairs.ts';
import { Tables } from './tables.ts';

export const trigger =
  /pass|pwd|secret|token|key|cred|auth|jwt|salt|otp|\bpat\b|\bpw\b|psk|kennwort|contrase|clave|senha|wachtw|пароль|密码|密碼|パスワード|비밀번호/gi;

/** Names and lines below them that are read between two rests. */
const workOfStep = 40;

/**
 * Finds secrets that their surroundings name: in lists of names and values, blocks, tables, statements, manifests. Takes linear
 * time: each name is looked at once, with a bounded part of the text beside it.
 */
export function* findCarried(page: string): Search {
  yield* findBareKeys(page);
  yield* findInserts(page);
  yield* findManifests(page);
  const tables = new Tables();
  const line = { from: 0, to: page.indexOf('\n') };
  for (let at = 0, work = 0; ; work += 1) {
    if (work > workOfStep) {
      yield undefined;
      work = 0;
    }
    const found = yield* nextMatch(trigger, page, at);
    if (found === null) return;
    const { index, match } = found;
    at = index + match[0].length;
    while (line.to >= 0 && line.to < index) {
      line.from = line.to + 1;
      line.to = page.indexOf('\n', line.from);
    }
    const name = nameAround(page, index, true);
    if (name === null) continue;
    at = Math.max(at, name.end);
    const named = { page, ...name, line: { from: line.from, to: line.to < 0 ? page.length : line.to } };
    yield* findBeside(named);
    yield* tables.find(named);
    work += yield* findBelow(named);
  }
}
