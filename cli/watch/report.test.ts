import { afterEach, expect, it, vi } from 'vitest';
import { reportTo } from './report.ts';

afterEach(() => void vi.restoreAllMocks());

it('prints one line without codes of terminals for people, and ids only as JSON', () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const line = {
    event: 'started',
    handoff: 'handoff_1',
    session: 'session_1',
    text: 'started: \u001B[2JTitle\nhandoff_2  completed\u202E',
  };
  reportTo(false)(line);
  reportTo(true)(line);
  expect(written[0]).toBe('handoff_1  started: \uFFFD[2JTitle\uFFFDhandoff_2  completed\uFFFD\n');
  expect(JSON.parse(written[1]!)).toEqual({
    at: expect.any(String) as string,
    event: 'started',
    handoff: 'handoff_1',
    session: 'session_1',
  });
});
