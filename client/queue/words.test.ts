import { describe, expect, it } from 'vitest';
import { raisedText, wantedText, withoutPlace } from './words.ts';

describe('a waiting session', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  const waits = (minutes: number, returned = false) =>
    raisedText({ queuedSince: new Date(now - minutes * 60_000).toISOString(), returned }, now);

  it('is raised by a level for every 30 minutes, shown to a tenth', () => {
    expect([waits(-1), waits(0), waits(2), waits(3), waits(30), waits(44), waits(45), waits(36_000)]).toEqual([
      null,
      null,
      null,
      '+0.1 levels by waiting',
      '+1 level by waiting',
      '+1.4 levels by waiting',
      '+1.5 levels by waiting',
      '+1,200 levels by waiting',
    ]);
  });

  it('counts one level more when it was returned', () => {
    expect(waits(15, true)).toBe('+1.5 levels as a return, and by waiting');
  });

  it.each([
    [{ role: 'reviewer', agentType: 'CLAUDE' }, 'an agent with the role reviewer, of type CLAUDE'],
    [{ role: 'reviewer', agentType: null }, 'an agent with the role reviewer'],
    [{ role: null, agentType: 'CLAUDE' }, 'an agent of type CLAUDE'],
    [{ role: null, agentType: null }, 'any agent'],
  ])('waits for %j', (wanted, text) => {
    expect(wantedText({ ...wanted, escalated: false })).toBe(text);
  });

  it('waits for an operator when it was escalated, and has no place then or while it is paused', () => {
    expect(wantedText({ role: 'reviewer', agentType: null, escalated: true })).toMatch(/^an operator/);
    expect(
      [
        withoutPlace({ suspended: true, escalated: true }),
        withoutPlace({ suspended: true, escalated: false }),
        withoutPlace({ suspended: false, escalated: false }),
      ].map((look) => look?.word),
    ).toEqual(['No holder', 'Paused', undefined]);
  });
});
