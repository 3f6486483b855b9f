import { validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Finding } from './finding.ts';

const known = new Set(wordlist);
const lengths = [24, 21, 18, 15, 12];
// Longer runs are excerpts of the word list itself.
const longest = 30;
const run =
  /(?:(?<![A-Za-z\\])|(?<=\\[nrt]))[a-z]{3,8}(?:(?:[\s"',.;|)>*-]|\d|\\{1,7}[nrt"']){1,24}[a-z]{3,8}(?![A-Za-z])){11,}/g;
const cue = /seed|mnemonic|recovery|wallet|phrase|semilla|wiederherstellung/i;

/** Finds seed phrases of wallets: at least 12 words of the BIP 39 list that are announced as such, or have a valid checksum. */
export function findSeedPhrases(text: string): Finding[] {
  return [...text.matchAll(run)].flatMap(({ index, 0: words }) => {
    const named = cue.test(text.slice(Math.max(0, index - 80), index));
    return streaks(words)
      .filter(
        (streak) =>
          streak.length >= 12 && streak.length <= longest && (named || isSeedPhrase(streak.map(({ word }) => word))),
      )
      .map((streak): Finding => {
        const [first, last] = [streak[0]!, streak.at(-1)!];
        return {
          kind: 'seed phrase',
          from: index + first.at,
          start: index + first.at,
          end: index + last.at + last.word.length,
        };
      });
  });
}

export function isSeedPhrase(words: readonly string[]): boolean {
  if (words.length < 12 || !words.every((word) => known.has(word))) return false;
  return lengths.some((length) =>
    words.some(
      (_, start) =>
        start + length <= words.length && validateMnemonic(words.slice(start, start + length).join(' '), wordlist),
    ),
  );
}

interface Word {
  word: string;
  at: number;
}

function streaks(text: string): Word[][] {
  const found: Word[][] = [[]];
  // Skips the letter of an escaped line break, as in `\nword`.
  for (const { index, 0: word } of text.matchAll(/(?<!\\)[a-z]{3,8}/g)) {
    if (known.has(word)) found.at(-1)!.push({ word, at: index });
    else found.push([]);
  }
  return found;
}
