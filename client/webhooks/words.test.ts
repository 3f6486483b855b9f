import { expect, it } from 'vitest';
import { answerText, lookOf } from './words.ts';

it('a pending delivery that failed is shown as repeated, and one before its first attempt is not', () => {
  expect(lookOf({ status: 'PENDING', error: null }).word).toBe('Pending');
  expect(lookOf({ status: 'PENDING', error: 'TIMEOUT' }).word).toBe('Repeated');
  expect(lookOf({ status: 'FAILED', error: 'TIMEOUT' }).word).toBe('Failed');
});

it('an answer is its status and what was wrong with it', () => {
  expect(answerText({})).toBe('');
  expect(answerText({ responseStatus: 204, error: null })).toBe('status 204');
  expect(answerText({ responseStatus: 500, error: 'STATUS' })).toBe('status 500');
  expect(answerText({ responseStatus: 302, error: 'REDIRECT' })).toBe('status 302, redirect, not followed');
  expect(answerText({ responseStatus: null, error: 'TIMEOUT' })).toBe('no answer within 10 seconds');
});
