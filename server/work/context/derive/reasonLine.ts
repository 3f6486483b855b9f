import { jsonIn, reasonIn } from './json.ts';
import { shorten } from '../shorten.ts';

const longest = 300;
/** Lines at each end of an output that are considered. */
const considered = 200;

const named =
  /^\s*(?:[^\w\s]? ?\[)?(?:[\w.:]*(?:Error|Exception)\b.*|[A-Z]\w*(?:NotFound|Denied|Refused|Failed|Invalid):.*|(?:\S+: )?(?:fatal|error|panic|ERROR|FATAL)(?:\[\w+\])?\b.*|E\s{2,}\S.*)/;
const telling =
  /\b(?:errors?|fail(?:s|ed|ure)?|cannot|can't|could not|unable|denied|refused|not found|no such|invalid|unexpected|missing|exception|fatal|undefined|unknown|unsupported|needs?|requires?|expected|ignored)\b/i;
/** `ENOENT`, `EACCES`: capital letters only. */
const code = /\bE[A-Z]{4,}\b/;
const frames =
  /^\s*(?:at |File "|Traceback|\^|~|\d+ passing|npm (?:ERR!|error) (?:code|A complete log|errno|path|command)|Exit code|exit status|During handling|hint:)|<\/?tool_use_error>$/;

const scoreOf = (line: string): number =>
  line.trim() === ''
    ? -9
    : frames.test(line)
      ? -3
      : (named.test(line) ? 4 : 0) + (telling.test(line) || code.test(line) ? 2 : 0);

/** The line of a failed call's output that says why it failed. */
export function reasonLine(output: string): string {
  const text = output.trim();
  const said = jsonIn(text) === 0 && /[}\]]$/.test(text) ? reasonIn(text) : null;
  return shorten(withoutJson(tellingLine(said ?? output)), longest) || 'failed without a message';
}

const quoted = /^"[^"\\]{1,100}"\s*:\s*"(?:[^"\\]|\\.)*",?$/;
/** A line without JSON in it: what that says stands in its place. */
function withoutJson(line: string): string {
  if (quoted.test(line)) return reasonIn(line) ?? line;
  const at = jsonIn(line);
  const said = at < 0 ? null : reasonIn(line.slice(at));
  return said === null ? line : `${line.slice(0, at)}${said.replace(/\s+/g, ' ')}`.trim();
}

function tellingLine(output: string): string {
  const all = output.replace(/<\/?tool_use_error>/g, '').split('\n');
  const lines = all.length <= 2 * considered ? all : [...all.slice(0, considered), ...all.slice(-considered)];
  // A traceback ends with its reason; other tools say the first reason first.
  const last = lines.some((line) => line.startsWith('Traceback'));
  let best = lines.at(-1) ?? '';
  let most = -Infinity;
  for (const line of last ? lines : lines.toReversed()) {
    const score = scoreOf(line);
    if (score < most || (score === most && score <= 0)) continue;
    [best, most] = [line, score];
  }
  return best.trim();
}

const mostTests = 3;
const nameCharacters = 100;
/** How programs that test name a test that failed: TAP, node, Vitest, Jest, Playwright, pytest, Go, Rust. */
const failedTest =
  /^\s*(?:not ok \d+ -? ?(?!.*# (?:skip|todo)\b)|[✖✕✗×] |FAILED (?=\S+::)|--- FAIL: |test (?=\S+ \.\.\. FAILED$))(\S.*?)(?: \(?[\d.]+ ?m?s\)?| \.\.\. FAILED| - .*)?$/i;

/** Names of tests that failed, as the output of a check gives them, each once. */
export function failedTestsIn(output: string): string[] {
  const names = new Set<string>();
  for (const line of output.split('\n')) {
    const name = line.length < 1_000 ? failedTest.exec(line)?.[1] : undefined;
    if (name !== undefined) names.add(shorten(name, nameCharacters));
    if (names.size === mostTests) break;
  }
  return [...names];
}
