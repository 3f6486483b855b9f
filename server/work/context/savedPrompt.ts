import { shorten } from './shorten.ts';

/** What a person sent by a saved prompt: its name, as far as its text tells it, and the words that they typed with it. */
export interface SavedPrompt {
  title: string;
  words: string;
}

const leastCharacters = 200;
/** From this size on, people send files in place of typing. */
const longPrompt = 1_500;
/** More is text of the prompt, not what was typed. */
const longestWords = 8_000;
const titleCharacters = 60;
const stepsCharacters = 120;

/** The head that tells programs what the prompt is for. */
const head =
  /^\s*---\r?\n(?=(?:[^\n]*\n){0,12}?(?:description|argument-hint|allowed-tools|agent|mode):)[^]*?\n---[ \t]*(?:\r?\n|$)/;
/** What only the author of a saved prompt writes. */
const marks = [
  /^\s*#{1,4} User Input\s+```/,
  /^<!-- [A-Z]+:START -->$/m,
  /^\[Extended thinking: /m,
  /^IT IS CRITICAL THAT YOU FOLLOW /m,
  /^<(?:agent-activation|execution_context|success_criteria)(?=[\s>])/m,
];
/** Speaks of the person who sends it, or of what they typed, in the third person. */
const ofTheCaller = [
  /(?<!\bnot |n't |\bnever |\bwithout )\b(?:ask(?:ing)?|tell|confirm with|report (?:back )?to|explain (?:it |this |them )?to|wait for|check with) the user\b/i,
  /\bthe user(?:'s|’s)? (?:wants|needs|request|provided|gave|typed|asked|arguments?|prompt|query|approv(?:al|es))\b|\bprovided by the user\b/i,
  /\b(?:if|when) (?:no|the) arguments? |\barguments? (?:is|are|was|were) (?:provided|given|empty|missing)\b|\b(?:in|as|from) the arguments\b/i,
  /\bthis (?:slash[- ])?(?:command|prompt)\b|\bsubagent_type\b/i,
  /\$ARGUMENTS\b|\{\{ ?args ?\}\}/,
];
/** An expert of a field, whatever the work is. */
const expert = /^You are (?:an?|the) [^\n.]{0,80}\b(?:expert|specialist|specializing)\b/m;
/** Gives the agent a part, or orders in capitals. */
const ofTheAuthor = [
  /^You are (?:an?|the) /m,
  /\bYour (?:task|job|role|goal|mission) is\b/,
  /\b(?:MUST|NEVER|DO NOT|ALWAYS|CRITICAL|IMPORTANT)\b/,
];
/** A person's own words speak of themselves. */
const ofThemselves = /(?<![\w'`"-])(?:I|I'm|I’m|I'd|I've|me|my|mine)(?![\w'`".-])/;

const heading = /^#{1,4} +(.+?)\s*#*$/;
const listed = /^\s*(?:\d+[.)]|[-*+]) /;
const place = "(?:full |original )?(?:(?:the )?user(?:'s|’s)? )?";
/** Names of the place for what was typed. */
const slot =
  'input|arguments?|args|request|query|prompt|question|issue|ticket|topic|target|requirements|feature(?: request| description)?';
const slotHeading = new RegExp(String.raw`^${place}(?:${slot})(?: \([^()]*\))?:?$`, 'i');
const slotLabel = new RegExp(
  String.raw`^[-*\s]*(?:${place}(?:${slot})|the user wants)(?: \([^()]*\))?(?:\*\*)?:(?:\*\*)?\s+(\S.*)$`,
  'i',
);
/** `Review the code of: <words>`, in one of the first lines. */
const slotSentence = /^[A-Z][^:.]{3,100}\b(?:for|in|of|on|to|issue|context|following[^:]{0,30}): +(\S.*)$/;
const firstLines = 8;
const slotElement = /<(user[_-]?(?:input|request|prompt|query|message)|arguments?)>/i;
const generic =
  /^(?:outline|instructions?|steps?|context|goals?|overview|role|tasks?|rules|workflow|process|purpose|guardrails|objective)$/i;
const aim = /^#{1,4} (?:goal|purpose|objective|outline)\s*$/i;
const checked = /\bchecks?\b/i;
/** How text of the prompt begins that stands at its end. */
const directive =
  /^(?:\*\*|[A-Z]+:|(?:Remember|Important|Note|If|When|Do|Don't|Never|Always|Begin|Start|Report|Return|Output|Use|Be|Make|Keep|Only|After|Once|Finally|Follow|Your|You|The|This)\b)/;

/**
 * The saved prompt that a text is, by what only the author of one writes; null for other texts. Programs that store no
 * command store this text in a person's place.
 */
export function savedPromptIn(text: string): SavedPrompt | null {
  const headed = head.exec(text);
  const body = headed === null ? text : text.slice(headed[0].length);
  const lines = body.split('\n');
  const { words, from } = typedIn(body, lines);
  // The same words may stand before their place.
  const rest = body.slice(0, from) + body.slice(from).replace(words, '');
  if (headed === null && !isSaved(body, lines, rest)) return null;
  return { title: titleOf(lines, words), words: words.trim() };
}

/** `rest`: without the words that were typed. */
function isSaved(body: string, lines: readonly string[], rest: string): boolean {
  if (marks.some((mark) => mark.test(body))) return true;
  if (body.length < leastCharacters || ofThemselves.test(rest)) return false;
  const headings = lines.filter((line) => heading.test(line)).length;
  const entries = lines.filter((line) => listed.test(line)).length;
  if (2 * headings + entries < 4) return false;
  const caller = ofTheCaller.filter((sign) => sign.test(rest)).length;
  const author = ofTheAuthor.filter((sign) => sign.test(rest)).length;
  return (caller > 0 && caller + author >= 2) || (expert.test(rest) && headings >= 3 && body.length >= longPrompt);
}

/** The words that were typed with it, and from where on they stand: at the place for them, else at the end, where OpenCode adds them. */
function typedIn(body: string, lines: readonly string[]): { words: string; from: number } {
  const offsetOf = (line: number): number => lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0);
  const element = slotElement.exec(body);
  const end = element === null ? -1 : body.indexOf(`</${element[1]!}>`, element.index);
  if (element !== null && end > 0) {
    const from = element.index + element[0].length;
    return { words: body.slice(from, end).trim().slice(0, longestWords), from };
  }
  const start = body.search(/^<!-- [A-Z]+:START -->$/m);
  if (start > 0 && body.slice(0, start).trim() !== '')
    return { words: body.slice(0, start).trim().slice(0, longestWords), from: 0 };
  for (const [at, line] of lines.entries()) {
    const name = heading.exec(line)?.[1];
    if (name !== undefined && slotHeading.test(name.trim()))
      return { words: belowHeading(lines, at), from: offsetOf(at + 1) };
    if (line.length > longestWords) continue;
    const value = slotLabel.exec(line)?.[1] ?? (at < firstLines ? slotSentence.exec(line)?.[1] : undefined);
    if (value !== undefined) {
      const from = offsetOf(at) + line.lastIndexOf(value);
      return { words: value.replace(/^(["'`])(.*)\1$/, '$2'), from };
    }
  }
  const { words, line } = atTheEnd(lines);
  return { words, from: offsetOf(line) };
}

/** Up to the next heading; of a block of code its content. */
function belowHeading(lines: readonly string[], at: number): string {
  const rest = lines.slice(at + 1);
  const first = rest.findIndex((line) => line.trim() !== '');
  if (first < 0) return '';
  const fence = /^\s*(`{3,}|~{3,})/.exec(rest[first]!)?.[1];
  const from = fence === undefined ? first : first + 1;
  const length = rest
    .slice(from)
    .findIndex((line) =>
      fence === undefined ? heading.test(line) || /^-{3,}$/.test(line) : line.trim().startsWith(fence),
    );
  return rest
    .slice(from, length < 0 ? undefined : from + length)
    .join('\n')
    .trim()
    .slice(0, longestWords);
}

function atTheEnd(lines: readonly string[]): { words: string; line: number } {
  const end = lines.findLastIndex((line) => line.trim() !== '');
  const before = lines.slice(0, Math.max(end, 0)).findLastIndex((line) => line.trim() === '');
  const last = lines.slice(before + 1, end + 1);
  const isOfThePrompt = last.some(
    (line) => heading.test(line) || listed.test(line) || /^\s*(?:[`~]{3}|<|\|)/.test(line),
  );
  if (before < 1 || isOfThePrompt || directive.test(last[0]!.trim())) return { words: '', line: 0 };
  return { words: last.join('\n').slice(0, longestWords), line: before + 1 };
}

/** A step with a name: `2. **Load context**: Read ...`. */
const step = /^(\d+)[.)] +\*\*([^*]+?):?\*\*/;
/** Up to where another list begins. */
function stepsFrom(lines: readonly string[]): string[] {
  const steps: string[] = [];
  for (const line of lines) {
    const [, number, name] = step.exec(line) ?? [];
    if (name === undefined) continue;
    if (Number(number) <= steps.length) break;
    steps.push(name);
  }
  return steps;
}

/** Its first heading, or what it says first, of steps their names; of one that names its goal or its outline, what that says first. */
function titleOf(lines: readonly string[], typed: string): string {
  const isTold = (line: string): boolean => {
    const name = heading.exec(line)?.[1]?.trim();
    return (
      !aim.test(line) &&
      /[\p{L}\p{N}]/u.test(line) &&
      !/^\s*(?:[`~]{3}|<)|\buser (?:input|typed)\b/i.test(line) &&
      (typed === '' || !typed.includes(line.trim())) &&
      (name === undefined || (!generic.test(name) && !slotHeading.test(name)))
    );
  };
  const goal = lines.findIndex((line) => aim.test(line));
  const first = lines.find((line, at) => at < goal && heading.test(line) && isTold(line) && !checked.test(line));
  const found = first ?? lines.slice(goal + 1).find(isTold) ?? '';
  const steps = step.test(found) ? stepsFrom(lines.slice(lines.indexOf(found))) : [];
  if (steps.length > 1) return shorten(steps.join('; '), stepsCharacters);
  const line = (typed !== '' && found.endsWith(`: ${typed}`) ? found.slice(0, -typed.length) : found)
    .replace(/^\s*(?:\d+[.)]|[-+*#]+)\s+/, '')
    .replace(/[*_`"#]+/g, '');
  const [said = ''] = line.split(/(?<=[^\d][.!?])\s/);
  return shorten(said.replace(/[\s.:]+$/, '').trim(), titleCharacters);
}
