/** Cuts a text to `characters` UTF-16 units at most, never inside a surrogate pair, and marks the cut. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return `${head(text, characters - 1)}…`;
}

/** From here on a cut text keeps its end as well: conclusions and questions stand there. */
const bothEnds = 400;

/** Cuts a text like `shorten`, but says how much is missing, and of a longer one keeps the end too. */
export function abridge(text: string, characters: number): string {
  if (text.length <= characters) return text;
  if (characters < bothEnds) return shorten(text, characters);
  // The count can only become shorter than that of the whole text.
  const room = characters - markOf(text.length).length;
  const begin = head(text, Math.ceil(room * 0.7));
  const end = tail(text, room - begin.length);
  return `${begin}${markOf(text.length - begin.length - end.length)}${end}`;
}

/** Both ends of a text on little room, for what a tool answered: commands say last how they ended. */
export function ends(text: string, characters: number): string {
  if (text.length <= characters || characters < 40) return shorten(text, Math.max(characters, 1));
  const begin = head(text, Math.floor((characters - 3) / 2));
  return `${begin} … ${tail(text, characters - 3 - begin.length)}`;
}

const markOf = (missing: number): string => ` [… ${missing} characters …] `;

// A joiner that joins nothing any more is not seen.
function head(text: string, characters: number): string {
  let end = characters;
  while (end > 0 && /[\uD800-\uDBFF\u200D]/.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}
function tail(text: string, characters: number): string {
  let start = text.length - characters;
  while (/[\uDC00-\uDFFF\u200D]/.test(text[start] ?? '')) start += 1;
  return text.slice(start);
}

/** The longest form of `least` to `most` characters that fits, as far as longer ones fit less; null when the shortest does not. */
export function longest<Form>(form: (characters: number) => Form, least: number, most: number, fits: (form: Form) => boolean): Form | null {
  let [low, high] = [least, most];
  let best: Form | null = null;
  while (low <= high) {
    const middle = best === null && low === least ? least : Math.ceil((low + high) / 2);
    const candidate = form(middle);
    if (fits(candidate)) {
      best = candidate;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}
