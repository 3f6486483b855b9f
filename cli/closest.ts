import { closest, distance } from 'fastest-levenshtein';

/** "Did you mean ...?" with the known word that is spelled most alike, or nothing when none is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(word, known);
  // Two letters that changed places are two edits.
  const most = Math.max(word.length > 4 ? 2 : 1, Math.floor(word.length / 3));
  return nearest !== word && distance(word, nearest) <= most ? ` Did you mean '${nearest}'?` : '';
}
