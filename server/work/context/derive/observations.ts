import { posix } from 'node:path';
import { shorten } from '../shorten.ts';
import { inFolder, type Action, type Actions } from './actions.ts';
import { isCheck, isReading, isSearch, isTrivial, programOf } from './commands.ts';
import { isDistinct, isMeasure, withoutPaths, wordsIn, type Finding } from './findings.ts';
import { membersIn } from './json.ts';
import { fieldsOf, type RecordedCall } from './log.ts';

/** Calls of each of the two kinds: warnings, and values that were read or printed. */
export const maxObservations = 15;
const lineCharacters = 200;
const commandCharacters = 100;
const longestLine = 500;
/** Of one call. */
const maxWarnings = 3;
/** More lines are progress, not a result. */
const maxPrinted = 5;
/** Each line of a shorter text was looked for; a longer one tells only its settings. */
const small = { characters: 1_000, lines: 20 };
/** A search with more matches looks for places, not for a value. */
const maxMatches = 1;

/** Begins with the word, as programs write it: `npm warn x`, `12:3  warning  x`, `[WARN] x`, `(node:1) DeprecationWarning: x`. */
const warning =
  /^(?:\S{1,80}\s+){0,2}\W*\w*(?:warn(?:ing)?|deprecated|caution)\b|\b\w*(?:warn(?:ing)?|deprecat(?:ed|ion)|caution)\b\W?[:\])>]|\b(?:is|are|was|been) deprecated\b|\bfalling back to\b|\bwill be removed in\b/i;
const noWarning = /\b(?:no|0|zero) (?:warnings?|deprecations?)\b|\bwarnings?[:=] ?0\b/i;
/** `port = 6123`, `"port": 6123,`, `export PORT=6123 # comment`: a name and a literal. */
const setting =
  /^(?:(?:export|const|let|var|set|static|readonly|final|-)\s+)*["'`]?[\w.$/-]+["'`]?\s*(?:=>|:=|[:=])\s*["'`]?([^\s"'`(){}[\];,]+)["'`]?\s*[;,]?\s*(?:(?:#|\/\/|--).*)?$/;
/** The number that a program puts before each line of a file, or the place of a match. */
const place = /^\s*\d+(?:→|\t|\s{2}|[:-](?!\d))|^(?!\d{4}-)(?=\S*[a-z])[\w./@-]+[:-]\d+[:-]/i;
/** What every build of a project says again: of packages, of the program itself, of the code. */
const commonWarning =
  /^npm (?:warn|WARN)\b|\bExperimentalWarning\b|deprecat|\bNO_COLOR\b|\b(?:unused|never used|not used|assigned a value but|defined but)\b|^(?=\S*[a-z])\S+?[:(]\d+[:,]\d+|^\d+:?\s+warning\b|\bwill be removed in\b/i;
/** Addresses on the net, licences and elements of markup are the same for everybody; lists of files are read again. */
const common =
  /https?:\/\/(?!(?:localhost|[\d.]+|[\w-]+)(?::\d{4,5}|\/|["'`\s]|$))|\blicen[cs]e\b|<\/?[a-z][\w-]*[\s>/]|\$schema|\bversion\b|^[-dl][rwx-]{9}|^\w+ tool terminated /i;
const timed = /^\W?\d{4}-\d\d-\d\dT?|^\W?\d\d:\d\d:\d\d/;
/** Of a check it is what the program logs under test: a time or a level first. */
const logged = new RegExp(`${timed.source}|^\\W?WARN(?:ING)?\\b`);
/** Files that set an agent or a package up: each reader has them. */
const setup =
  /(?:^|\/)(?:package|tsconfig[\w.]*|composer|opencode|\.mcp|mcp|settings(?:\.local)?)\.jsonc?$|(?:^|\/)\.(?:claude|opencode|codex|gemini|cursor|github)\/|(?:^|\/)(?:CLAUDE|AGENTS|GEMINI|SKILL|CHANGELOG|LICEN[CS]E)(?:\.\w+)?$|lock(?:\.\w+)?$/;
const settingsFile =
  /\.(?:jsonc?|json5|ya?ml|toml|ini|conf|cfg|cnf|properties|md|txt|rst|xml|plist|tf|hcl|service)\b|\.env\b/;
/** A successor reads code again where it needs it. */
const sourceFile =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|ex|exs|erl|lua|sh|sql|proto|html?|css|scss|vue|svelte|heex)$/;
const showing = /^(?:cat|head|tail|less|more|nl|bat|sed|awk|jq|yq|sort|uniq|cut|tr)$/;

interface Shown {
  /** Number of the last message before the call. */
  at: number;
  callId: string;
  command: string;
  output: string;
  as: 'text' | 'settings' | 'output' | 'check';
}

/**
 * What calls that passed showed and nothing tells since: warnings, and values of files and outputs. One entry for each
 * call, oldest first, warnings last. Leaves out files that were changed, and what `told` has.
 */
export function observationsOf(
  { list, root }: Actions,
  reads: readonly RecordedCall[],
  changedFiles: readonly string[],
  told: string,
): Finding[] {
  const changed = new Set(changedFiles.map((file) => inFolder(root, file)));
  const known = wordsIn(told);
  const shown = [
    ...reads.flatMap((call) => shownTo(call, changed, root)),
    ...list.flatMap((action) => shownBy(action, changed)),
  ].sort((a, b) => a.at - b.at);
  // A command that ran again, or a file that was read again, shows what is so now.
  const last = new Map(shown.map((each) => [each.command, each]));
  const [warnings, values]: [Finding[], Finding[]] = [[], []];
  const seen = new Set<string>();
  for (const each of shown.filter((one) => last.get(one.command) === one).reverse()) {
    if (warnings.length === maxObservations && values.length === maxObservations) break;
    const lines = linesOf(each.output);
    const keep = (found: Finding[], chosen: readonly string[]): void => {
      const fresh = [...new Set(chosen)].filter((line) => !seen.has(line));
      if (fresh.length === 0 || found.length === maxObservations) return;
      for (const line of fresh) seen.add(line);
      const command = shorten(each.command, commandCharacters);
      found.push({ line: shorten(fresh.join('; '), lineCharacters), command, callId: each.callId });
    };
    if (each.as === 'output' || each.as === 'check')
      keep(
        warnings,
        lines
          .filter((line) => isWarning(line) && !(each.as === 'check' && logged.test(line)))
          .slice(0, maxWarnings)
          .filter((line) => !told.includes(line)),
      );
    if (each.as !== 'check') keep(values, valuesOf(each, lines, known));
  }
  return [...values.reverse(), ...warnings.reverse()];
}

/** Without line numbers, places of matches and bullets. */
const linesOf = (output: string): string[] =>
  output.split('\n').flatMap((line) => {
    if (line.length > longestLine) return [];
    const members = /^\s*[{[].*[}\]]\s*$/.test(line) ? membersIn(line) : [];
    if (members.length > 0) return members.map(({ name, value }) => `${name}: ${value.replace(/\s+/g, ' ').trim()}`);
    const own = line
      .replace(place, '')
      .replace(/\s+/g, ' ')
      .replace(/^ ?[-*] /, '')
      .trim();
    return own === '' ? [] : [own];
  });

const isWarning = (line: string): boolean => warning.test(line) && !noWarning.test(line) && !commonWarning.test(line);

function valuesOf({ command, as }: Shown, lines: readonly string[], known: ReadonlySet<string>): string[] {
  const asked = wordsIn(command);
  const isShort = as === 'text' || (as === 'output' && lines.length <= maxPrinted);
  const isNew = (word: string): boolean => !known.has(word) && !asked.has(word) && !isMeasure(word);
  return lines.filter((line) => {
    if ((as === 'output' && warning.test(line)) || common.test(line) || timed.test(line)) return false;
    const value = setting.exec(line)?.[1];
    if (value !== undefined)
      return !isMeasure(value) && [...wordsIn(withoutPaths(value))].some((word) => isNew(word) && isValue(word));
    return isShort && [...wordsIn(withoutPaths(line))].some((word) => isNew(word) && isDistinct(word));
  });
}

/** Of a setting also a short number says something. */
const isValue = (word: string): boolean => isDistinct(word) || /^(?!(?:19[5-9]|20[0-4])\d$)[1-9]\d{2,}$/.test(word);

function shownBy({ call, command, parts, ending, output }: Action, changed: ReadonlySet<string>): Shown[] {
  if (command === null || ending !== 'PASSED') return [];
  const works = parts.filter((part) => !isTrivial(part));
  const shows = (as: Shown['as']): Shown[] => [
    { at: call.sequence, callId: call.callId, command: command.trim(), output, as },
  ];
  if (works.some((part) => programOf(part).program === 'git')) return [];
  if (works.some(isCheck)) return shows('check');
  if (works.length === 0 || !works.every(isReading)) return shows('output');
  const isShow = works.every((part) => isSearch(part) || showing.test(programOf(part).program));
  const wasChanged = works.some(({ words, folder }) => words.some((word) => changed.has(inFolder(folder, word))));
  const as = works.some(isSearch) ? asMatches(output) : asText(output, command);
  return !isShow || wasChanged || as === null || /\s-(?:l|-files\S*)\b/.test(command) ? [] : shows(as);
}

const asMatches = (output: string): 'text' | null =>
  output.trim().split('\n').length <= maxMatches && output.length <= small.characters ? 'text' : null;

function asText(output: string, from: string): 'text' | 'settings' | null {
  if (from.split(/\s+/).some((word) => setup.test(word) || sourceFile.test(word))) return null;
  if (output.length <= small.characters && output.trim().split('\n').length <= small.lines) return 'text';
  return settingsFile.test(from) ? 'settings' : null;
}

function shownTo(
  { callId, sequence, name, arguments: given, result }: RecordedCall,
  changed: ReadonlySet<string>,
  root: string,
): Shown[] {
  if (result === null) return [];
  const args = fieldsOf(given);
  const file = ['file_path', 'notebook_path', 'absolute_path', 'filePath', 'path', 'pattern']
    .map((key) => args[key])
    .find((value): value is string => typeof value === 'string' && value !== '');
  if (file === undefined || changed.has(inFolder(root, file))) return [];
  const as = 'pattern' in args ? asMatches(result) : asText(result, file);
  const where = root !== '' && file.startsWith(`${root}/`) ? posix.relative(root, file) : file;
  return as === null ? [] : [{ at: sequence, callId, command: `${name} ${where}`, output: result, as }];
}
