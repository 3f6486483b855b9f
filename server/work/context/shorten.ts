/** Cuts a text to `characters` UTF-16 units, never inside a surrogate pair, and marks the cut. Fewer than one count as one. */
export function shorten(text: string, characters: number): string {
  const most = Math.max(1, characters);
  if (text.length <= most) return text;
  return `${beginningOf(text, most - 1)}…`;
}

/** From this length on, a cut text keeps its end too: conclusions and questions are there. */
const bothEnds = 400;

/** Share of a cut text that may go as well, so that it ends with a line, a sentence or a word; of a short text, characters, at most half of it. */
const spared = 0.2;
const sparedWord = 24;
const sentenceEnd = /(?<=[.!?;:,]\s)|(?<=[。！？；，、])/g;

/** Like `shorten`, but cuts behind a word where one ends close by. */
export function shortenAtWord(text: string, characters: number): string {
  if (text.length <= Math.max(1, characters)) return text;
  return `${beginningAt(text, Math.max(1, characters) - 1, false).trimEnd()}…`;
}

/** Like `shorten`, but states how much is missing, keeps the end of longer texts, and cuts between lines, sentences or words where they end close by. */
export function abridge(text: string, characters: number): string {
  if (text.length <= characters) return text;
  if (characters < bothEnds) return shorten(text, characters);
  // The final count has at most as many digits as the length of the whole text.
  const room = characters - markOf(text.length).length;
  const most = Math.ceil(room * 0.7);
  const begin = beginningAt(text, most, true);
  const end = endAt(text, room - most);
  return `${begin}${markOf(text.length - begin.length - end.length)}${end}`;
}

/** Like `abridge`, but never cuts a word where another place is close by. */
export const abridgeAtWord = (text: string, characters: number): string =>
  characters < bothEnds ? shortenAtWord(text, characters) : abridge(text, characters);

/** Keeps both ends of a text in little room: commands state their result at the end. */
export function ends(text: string, characters: number): string {
  if (text.length <= characters || characters < 40) return shorten(text, Math.max(characters, 1));
  const begin = beginningOf(text, Math.floor((characters - 3) / 2));
  return `${begin} … ${endOf(text, characters - 3 - begin.length)}`;
}

const markOf = (missing: number): string => ` [… ${missing} characters …] `;

/** The beginning, of at most `characters`. It ends with a line or a sentence where `bySentence` allows and one ends close by, else with a word. */
function beginningAt(text: string, characters: number, bySentence: boolean): string {
  const begin = beginningOf(text, characters);
  const { length } = begin;
  const next = text[length] ?? '\n';
  const from = Math.max(Math.floor(length / 2), Math.min(Math.floor(length * (1 - spared)), length - sparedWord));
  const last = begin.slice(from);
  if (bySentence && next !== '\n') {
    const line = last.lastIndexOf('\n') + 1;
    const to = line > 0 ? line : ([...last.matchAll(sentenceEnd)].at(-1)?.index ?? 0);
    if (to > 0) return begin.slice(0, from + to);
  }
  const word = /\s/.test(next) ? 0 : last.search(/\s\S*$/) + 1;
  return word > 0 ? begin.slice(0, from + word) : begin;
}

/** The end, of at most `characters`. It begins with a line, a sentence or a word, whichever begins close by, in this order. */
function endAt(text: string, characters: number): string {
  const end = endOf(text, characters);
  const first = end.slice(0, Math.floor(end.length * spared));
  const line = first.indexOf('\n');
  const sentence = line >= 0 ? line : ([...first.matchAll(sentenceEnd)][0]?.index ?? -1);
  const at = sentence >= 0 ? sentence : first.search(/\s/);
  return at >= 0 ? end.slice(at) : end;
}

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
