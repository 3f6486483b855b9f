/** Elements in which models write what they think before they answer. Aider gives them names of its own, with a number. */
const opening = /<(think(?:ing)?|thinking-content-[\da-f]+|reasoning|thought)>/gi;
/** Headings that Aider puts around them. */
const headed = /^-{2,}\n► \*\*THINKING\*\*\n[^]*?\n-{2,}\n► \*\*ANSWER\*\*\n/gm;

/** Before the summary of a conversation, as Claude Code has it written. */
const analysis = /^\s*<analysis>[^]*?<\/analysis>\s*(?=<summary>)/;

/** A message of an agent without what its model thought; of an element without an end, the text stays. */
export function withoutThoughts(text: string): string {
  if (!/<th|<reasoning>|<analysis>|► \*\*THINKING/i.test(text)) return text;
  const plain = text.replace(headed, '').replace(analysis, '');
  const unclosed = new Set<string>();
  let kept = '';
  let from = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(plain); found !== null; found = opening.exec(plain)) {
    const name = found[1]!;
    const end = unclosed.has(name) ? -1 : plain.indexOf(`</${name}>`, opening.lastIndex);
    if (end < 0) {
      unclosed.add(name);
      continue;
    }
    kept += plain.slice(from, found.index);
    from = end + name.length + 3;
    opening.lastIndex = from;
  }
  const answer = (kept + plain.slice(from)).trim();
  return answer === '' ? text : answer;
}
