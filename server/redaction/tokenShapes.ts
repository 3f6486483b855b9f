import type { Rule } from './finding.ts';
import { isPlaceholder } from './values.ts';

export const ends = String.raw`(?![A-Za-z0-9])`;

/** A token that is unmistakable in any context. */
export const token = (kind: string, pattern: string, ...hints: string[]): Rule => ({
  kind,
  hints,
  pattern: new RegExp(pattern, 'g'),
  except: isPlaceholder,
});

/** A token that must begin at a word boundary. */
export const word = (kind: string, pattern: string, ...hints: string[]): Rule => ({
  ...token(kind, pattern, ...hints),
  notAfter: /[A-Za-z0-9]/,
});
