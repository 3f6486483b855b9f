/** One simple command of a shell line, such as `npm test` in `cd app && npm test 2>&1 | tail`. */
export interface SimpleCommand {
  /** Its words, unquoted. */
  words: string[];
  /** The same words as written, without redirections. */
  text: string;
  /** Files that its output is redirected into. */
  writes: string[];
  /** Of them those that keep what they had. */
  appends: string[];
  /** Content of its here documents; empty without one. */
  input: string;
  /** Operator after it; empty for the last command. */
  joiner: '&&' | '||' | '|' | ';' | '&' | '';
}

/** Splits a shell line into its simple commands. Reads every character once; invalid shell gives words too. */
export function splitShell(line: string): SimpleCommand[] {
  return new Splitter(line).split();
}

type Redirect = 'write' | 'append' | 'read' | 'heredoc' | 'heredoc-tabs' | 'copy';

class Splitter {
  #at = 0;
  #word: string | null = null;
  #wordFrom = 0;
  #redirect: Redirect | null = null;
  #commands: SimpleCommand[] = [];
  #current = empty();
  #raw: string[] = [];
  #heredocs: { delimiter: string; tabs: boolean; reader: SimpleCommand }[] = [];

  constructor(private readonly line: string) {}

  split(): SimpleCommand[] {
    const { line } = this;
    while (this.#at < line.length) {
      const char = line[this.#at]!;
      const pair = line.slice(this.#at, this.#at + 2);
      if (char === '\n') {
        this.#end(';', 1);
        this.#readHeredocs();
      } else if (char === ' ' || char === '\t' || char === '\r') {
        this.#endWord();
        this.#at += 1;
      } else if (char === '#' && this.#word === null) {
        const end = line.indexOf('\n', this.#at);
        this.#at = end < 0 ? line.length : end;
      } else if (pair === '\\\n') this.#at += 2;
      else if (char === '\\') this.#take(line[this.#at + 1] ?? '', 2);
      else if (char === "'") this.#quoted(line.indexOf("'", this.#at + 1));
      else if (char === '"') this.#doubleQuoted();
      else if (char === '`') this.#quoted(line.indexOf('`', this.#at + 1));
      else if (pair === '$(') this.#take('$()', this.#substitution(this.#at + 2) - this.#at);
      else if (pair === '&>')
        this.#startRedirect(line[this.#at + 2] === '>' ? 'append' : 'write', line[this.#at + 2] === '>' ? 3 : 2);
      else if (pair === '&&' || pair === '||') this.#end(pair, 2);
      else if (char === '|') this.#end('|', pair === '|&' ? 2 : 1);
      else if (char === ';' || char === '&') this.#end(char, 1);
      else if (char === '(' || char === ')') this.#end(';', 1);
      else if (char === '>') this.#output();
      else if (char === '<') this.#input();
      else this.#take(char, 1);
    }
    this.#end('', 0);
    return this.#commands;
  }

  #take(text: string, length: number): void {
    if (this.#word === null) this.#wordFrom = this.#at;
    this.#word = (this.#word ?? '') + text;
    this.#at += length;
  }

  #quoted(end: number): void {
    const until = end < 0 ? this.line.length : end;
    this.#take(this.line.slice(this.#at + 1, until), until + 1 - this.#at);
  }

  #doubleQuoted(): void {
    const { line } = this;
    const parts: string[] = [];
    let at = this.#at + 1;
    let from = at;
    while (at < line.length && line[at] !== '"') {
      if (line[at] === '\\') at += 2;
      else if (line[at] === '$' && line[at + 1] === '(') {
        parts.push(line.slice(from, at));
        at = from = this.#substitution(at + 2);
      } else at += 1;
    }
    parts.push(line.slice(from, at));
    this.#take(parts.join(''), at + 1 - this.#at);
  }

  /** The position after a `$(...)` whose content begins at `at`. */
  #substitution(at: number): number {
    const { line } = this;
    let depth = 1;
    while (at < line.length) {
      const char = line[at];
      const heredoc = char === '<' && line[at + 1] === '<' ? heredocAt(line, at) : null;
      if (heredoc !== null) at = bodyOf(line, heredoc.bodyFrom, heredoc.delimiter, heredoc.tabs).next;
      else if (char === '\\') at += 2;
      else if (char === "'") at = line.indexOf("'", at + 1) < 0 ? line.length : line.indexOf("'", at + 1) + 1;
      else {
        if (char === '(') depth += 1;
        if (char === ')') depth -= 1;
        at += 1;
        if (depth === 0) return at;
      }
    }
    return line.length;
  }

  #output(): void {
    const { line } = this;
    if (this.#word !== null && /^\d+$/.test(this.#word)) this.#word = null;
    if (line[this.#at + 1] === '&') this.#startRedirect('copy', 2);
    else if (line[this.#at + 1] === '>') this.#startRedirect('append', 2);
    else this.#startRedirect('write', line[this.#at + 1] === '|' ? 2 : 1);
  }

  #input(): void {
    const { line } = this;
    if (line.startsWith('<<<', this.#at)) this.#startRedirect('read', 3);
    else if (line.startsWith('<<-', this.#at)) this.#startRedirect('heredoc-tabs', 3);
    else if (line.startsWith('<<', this.#at)) this.#startRedirect('heredoc', 2);
    else if (line[this.#at + 1] === '(') this.#take('<()', this.#substitution(this.#at + 2) - this.#at);
    else this.#startRedirect('read', line[this.#at + 1] === '&' ? 2 : 1);
  }

  #startRedirect(redirect: Redirect, length: number): void {
    this.#endWord();
    this.#redirect = redirect;
    this.#at += length;
  }

  #endWord(): void {
    const word = this.#word;
    if (word === null) return;
    this.#word = null;
    const redirect = this.#redirect;
    this.#redirect = null;
    if (redirect === null) {
      this.#current.words.push(word);
      this.#raw.push(this.line.slice(this.#wordFrom, this.#at));
    } else if (redirect === 'write' || redirect === 'append') {
      this.#current.writes.push(word);
      if (redirect === 'append') this.#current.appends.push(word);
    } else if (redirect === 'heredoc' || redirect === 'heredoc-tabs') {
      this.#heredocs.push({ delimiter: word, tabs: redirect === 'heredoc-tabs', reader: this.#current });
    }
  }

  #end(joiner: SimpleCommand['joiner'], length: number): void {
    this.#endWord();
    this.#redirect = null;
    this.#at += length;
    const { words, writes } = this.#current;
    // A newline after `&&` or `|` does not end a command.
    if (words.length === 0 && writes.length === 0) return;
    this.#current.text = this.#raw.join(' ');
    this.#current.joiner = joiner;
    this.#commands.push(this.#current);
    this.#current = empty();
    this.#raw = [];
  }

  #readHeredocs(): void {
    for (const { delimiter, tabs, reader } of this.#heredocs) {
      const { body, next } = bodyOf(this.line, this.#at, delimiter, tabs);
      reader.input += body;
      this.#at = next;
    }
    this.#heredocs = [];
  }
}

const empty = (): SimpleCommand => ({ words: [], text: '', writes: [], appends: [], input: '', joiner: '' });

/** The here document that starts with `<<` at `at`; null when no here document starts there. */
function heredocAt(line: string, at: number): { delimiter: string; tabs: boolean; bodyFrom: number } | null {
  const end = line.indexOf('\n', at);
  if (end < 0) return null;
  const found = /^<<(-?)\s*(["']?)([\w.-]+)\2/.exec(line.slice(at, Math.min(end, at + 200)));
  return found === null ? null : { delimiter: found[3]!, tabs: found[1] === '-', bodyFrom: end + 1 };
}

function bodyOf(line: string, from: number, delimiter: string, tabs: boolean): { body: string; next: number } {
  let at = from;
  while (at < line.length) {
    const end = line.indexOf('\n', at);
    const until = end < 0 ? line.length : end;
    const text = line.slice(at, until);
    if ((tabs ? text.replace(/^\t+/, '') : text) === delimiter) return { body: line.slice(from, at), next: until };
    at = until + 1;
  }
  return { body: line.slice(from), next: line.length };
}
