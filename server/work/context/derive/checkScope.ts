const prose = /\.(?:md|markdown|rst|adoc)$|(?:^|\/)(?:LICEN[CS]E|NOTICE|AUTHORS)$/i;
const ofProse = /prettier|markdown|spell|\bdocs?\b/i;
const test = /(?:^|\/)(?:tests?|specs?|__tests__)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec)s?\.\w+$/i;

/**
 * Whether a check in a folder covers a file below it: no prose, unless it is a check of prose or names the file; of tests, where it names some,
 * only those. `text` is its line, `scope` what it names.
 */
export function coversFile(text: string, scope: readonly string[], file: string): boolean {
  const isNamed = scope.some((word) => file === word || file.startsWith(`${word.replace(/\/$/, '')}/`));
  if (isNamed) return true;
  if (prose.test(file)) return ofProse.test(text);
  return !test.test(file) || !scope.some((word) => test.test(word) || test.test(`${word}/`));
}

/** Options that only report, or that change how a check runs, with their value as the next word. */
const valued =
  /^(?:--(?:[\w-]*reporters?|[\w-]*reporter-destination|tb|format(?:ter)?|[\w-]*-format|output(?:-file)?|log-level|verbosity|logger|show-capture|durations(?:-min)?|maxfail|max-?warnings|max-?workers|min-?workers|workers|threads|jobs|parallel|concurrency|num-?processes|dist|retries|repeat|[\w-]*timeout|seed|cov-report|junit-?xml|cache-location|test-threads)|-(?:count|timeout|parallel|cpu|coverprofile|blockprofile|memprofile|o))$/i;
/** The same with one letter, which means something else to another program. */
const valuedLetters: Partial<Record<string, RegExp>> = {
  pytest: /^-[noWrp]$/,
  mocha: /^-[Rtsr]$/,
  eslint: /^-f$/,
  rspec: /^-[fo]$/,
  jest: /^-w$/,
  dotnet: /^-[cv]$/,
  mvn: /^-[TP]$/,
  mvnw: /^-[TP]$/,
};
const color = /^--colou?r$/;
const colorValue = /^(?:always|never|auto|yes|no|on|off|true|false)$/;
/** Options that leave a part of the check out, alone or with a value behind `=` or `:`. A value that is the next word is a word of its own. */
const narrowing =
  /^--?(?:run|skip|short|f?grep|invert|filter|match|only|exclude|ignore|deselect|test-?[nN]ame|test-?[pP]ath|tests|test[_-](?:filter|name)|name|keyword|marker|projects?|select|workspaces?|package|pl|lib|bins?|doc|examples?|benches|tags?|group|suite|testsuite|shard|changed|related|find-?[rR]elated|lf|last-?[fF]ailed|failed|stale|sw|stepwise|targets?|since|affected|include|scope|spec|collect-only|co|config|list|dry-run|D(?:it\.)?test|Dgroups)(?=[=:A-Z-]|$)/;

/** Whether the next word is the value of an option that only reports. */
function hasValue(program: string, option: string, next: string): boolean {
  if (next.startsWith('-')) return false;
  if (color.test(option)) return colorValue.test(next);
  return valued.test(option) || valuedLetters[program]?.test(option) === true;
}

/** More words say nothing more of one check. */
const maxWords = 100;

/** What of a check its words leave out: files, names and options that select a part, without those that only report. Empty for all of it. */
export function scopeOf(program: string, args: readonly string[]): string[] {
  const scope: string[] = [];
  for (let at = 0; at < args.length && scope.length < maxWords; at += 1) {
    const arg = args[at]!;
    if (!arg.startsWith('-')) {
      if (arg !== '' && !(arg === '.' && program !== 'go') && !(program === 'vitest' && arg === 'run')) scope.push(arg);
    } else if (hasValue(program, arg, args[at + 1] ?? '-')) at += 1;
    else if (narrowing.test(arg)) scope.push(arg);
  }
  return scope;
}
