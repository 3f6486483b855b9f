/** Cuts a text to `characters` UTF-16 units, never inside a surrogate pair, and marks the cut. Fewer than one count as one. */
export function shorten(text: string, characters: number): string {
  const most = Math.max(1, characters);
  if (text.length <= most) return text;
  return `${beginningOf(text, most - 1)}…`;
}

/** From this length on, a cut text keeps its end too: conclusions and questions are there. */
const bothEnds = 400;

/** Like `shorten`, but states how much is missing, and keeps the end of longer texts. */
export function abridge(text: string, characters: number): string {
  if (text.length <= characters) return text;
  if (characters < bothEnds) return shorten(text, characters);
  // The final count has at most as many digits as the length of the whole text.
  const room = characters - markOf(text.length).length;
  const begin = beginningOf(text, Math.ceil(room * 0.7));
  const end = endOf(text, room - begin.length);
  return `${begin}${markOf(text.length - begin.length - end.length)}${end}`;
}

/** Keeps both ends of a text in little room: commands state their result at the end. */
export function ends(text: string, characters: number): string {
  if (text.length <= characters || characters < 40) return shorten(text, Math.max(characters, 1));
  const begin = beginningOf(text, Math.floor((characters - 3) / 2));
  return `${begin} … ${endOf(text, characters - 3 - begin.length)}`;
}

const markOf = (missing: number): string => ` [… ${missing} characters …] `;

// Does not end or begin with a joiner, which would be invisible.
function beginningOf(text: string, characters: number): string {
  let end = characters;
  while (end > 0 && /[\uD800-\uDBFF\u200D]/.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}
function endOf(text: string, characters: number): string {
  let start = text.length - characters;
  while (/[\uDC00-\uDFFF\u200D]/.test(text[start] ?? '')) start += 1;
  return text.slice(start);
}

/** The longest form of `least` to `limit` characters that fits, by binary search; null when the shortest does not fit. */
export function longest<Form>(
  form: (characters: number) => Form,
  least: number,
  limit: number,
  fits: (form: Form) => boolean,
): Form | null {
  let [low, high] = [least, limit];
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
