import { matchesOfStep, type Search } from '../finding.ts';
import { findBareKeys } from './bareKeys.ts';
import { findBelow } from './blocks.ts';
import { findInserts } from './inserts.ts';
import { findManifests } from './manifests.ts';
import { nameAround } from './named.ts';
import { paged } from './page.ts';
import { findBeside } from './pairs.ts';
import { Tables } from './tables.ts';

const trigger =
  /pass|pwd|secret|token|key|cred|auth|jwt|salt|otp|\bpat\b|\bpw\b|psk|kennwort|contrase|clave|senha|wachtw|пароль|密码|密碼|パスワード|비밀번호/gi;

/**
 * Finds secrets that their surroundings name: in lists of names and values, blocks, tables, statements, manifests. Takes linear
 * time: each name is looked at once, with a bounded part of the text beside it.
 */
export function* findCarried(text: string): Search {
  trigger.lastIndex = 0;
  const isKey = /M[A-J][A-Za-z0-9+/]{22}|b3BlbnNzaC1rZXktdjE/.test(text);
  if (!isKey && !trigger.test(text)) return;
  const page = yield* paged(text);
  if (isKey) yield* findBareKeys(page);
  yield* findInserts(page);
  yield* findManifests(page);
  const tables = new Tables();
  const line = { from: 0, to: page.indexOf('\n') };
  for (let at = 0, work = 0; ; work += 1) {
    if (work > matchesOfStep) {
      yield undefined;
      work = 0;
    }
    trigger.lastIndex = at;
    const match = trigger.exec(page);
    if (match === null) return;
    at = trigger.lastIndex;
    while (line.to >= 0 && line.to < match.index) {
      line.from = line.to + 1;
      line.to = page.indexOf('\n', line.from);
    }
    const name = nameAround(page, match.index, true);
    if (name === null) continue;
    at = Math.max(at, name.end);
    const named = { page, ...name, line: { from: line.from, to: line.to < 0 ? page.length : line.to } };
    yield* findBeside(named);
    yield* tables.find(named);
    work += yield* findBelow(named);
  }
}
