import { readdirSync, readFileSync } from 'node:fs';
import { lexer, type Token, type Tokens } from 'marked';

const root = new URL('../../', import.meta.url);

/** A fenced block of a document. */
export interface Block {
  file: string;
  line: number;
  language: string;
  text: string;
  /** The comment `<!-- not run: reason -->` before the block. */
  notRun: string | undefined;
  /** The comment `<!-- until: text -->` before the block: its command runs on and is stopped after printing this text. */
  until: string | undefined;
  /** The `json`, `text` or `markdown` block that follows: the expected output. */
  sample: string | undefined;
}

const first = ['README.md', 'docs/frontend.md', 'docs/agents.md', 'docs/analysts.md', 'docs/operations.md'];
/** In the order of running. */
export const documents = [
  ...new Set([
    ...first,
    ...readdirSync(new URL('docs/', root))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `docs/${name}`),
  ]),
];

export const textOf = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const isSample = ({ language }: Block): boolean => ['json', 'text', 'markdown'].includes(language);

/** All blocks of a document except samples, which belong to the block before them. */
export function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  let line = 1;
  let marker = '';
  let last: Block | undefined;
  for (const token of lexer(textOf(file))) {
    if (isCode(token)) {
      const block = {
        file,
        line,
        language: token.lang ?? '',
        text: token.text,
        notRun: find('not run', marker),
        until: find('until', marker),
        sample: undefined,
      };
      if (isSample(block) && last?.language === 'sh' && last.sample === undefined) last.sample = block.text;
      else blocks.push((last = block));
    }
    marker = token.type === 'html' ? token.raw : token.type === 'space' ? marker : '';
    line += token.raw.split('\n').length - 1;
  }
  return blocks;
}

const isCode = (token: Token): token is Tokens.Code => token.type === 'code';
const find = (name: string, html: string): string | undefined => new RegExp(`<!-- ${name}: (.+?) -->`).exec(html)?.[1];
