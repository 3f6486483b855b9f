import { posix } from 'node:path';
import { ends, shorten } from '../shorten.ts';
import { bodyOf, changesFiles, endingOf, inFolder, type Action, type Actions } from './actions.ts';
import { isCheck, isReading, isSearch, isTrivial, programOf, runsOwnScript } from './commands.ts';
import { fieldsOf, type RecordedCall } from './log.ts';
import { askTool } from './openQuestions.ts';
import { isStandardTool, subagentTool, webTool } from './tools.ts';
import { webGist } from './web.ts';

/** A call that no other part of a Context tells, or the files of one folder that were read. */
export interface Step {
  what: string;
  /** On one line; null when there is nothing to tell of it. */
  outcome: string | null;
  /** Null for files. */
  callId: string | null;
  /** Whether no agent spoke since, or what it started still runs: a successor goes on from there. */
  since?: true;
}

/** Calls since the agent spoke, and those before, of which searches in vain are fewer. */
export const maxSteps = 20;
const maxVain = 6;
const maxFiles = 60;
const whatCharacters = 160;
const outcomeCharacters = 300;
/** More lines are a list of places, which a successor looks up again. */
const fewLines = 3;
const fewCharacters = 200;

const readTool = /^(?:Read|NotebookRead|read|read_file|view|view_image)$/;
const searchTool = /^(?:Grep|Glob|LS|grep|glob|list|ls|grep_search|search_file_content|list_directory|list_dir)$/;
const planTool = /plan_?mode$/i;
const vain = 'found nothing';
const foundNothing = /^(?:|no (?:files|matches|results)\b[^\n]*|└── \(empty\)|\(empty\))$/i;
const showing = /^(?:cat|head|tail|less|more|nl|bat|sed|awk)$/;
/** Packages that others wrote. */
const foreign = /(?:^|\/)(?:node_modules|site-packages|vendor)\//;
const isFile = /^(?!-)(?=.*[\w-]\.\w+$|.*\/)[\w./@~+-]+$/;
const reminders = /\s*<system-reminder>[^]*?(?:<\/system-reminder>\s*|$)/g;

interface Told {
  /** Calls that other parts tell. */
  calls: ReadonlySet<string>;
  /** Whether messages tell an output. */
  tells: (output: string) => boolean;
  /** Whole paths of changed files. */
  files: ReadonlySet<string>;
  /** Number of the last message of an agent. */
  spokeAt: number;
}

interface Seen {
  /** Number of the last message before the call. */
  at: number;
  what: string;
  outcome: string | null;
  callId: string;
  /** Whole paths of files that it only read. */
  reads: readonly string[];
  isRunning: boolean;
  /** Whether it tells a successor nothing once the agent spoke. */
  isPassing: boolean;
}

/**
 * What the agent looked at, searched and ran, which nothing else tells: the newest `maxSteps` since it spoke last and as many before, oldest
 * first, each with what came of it. Files that were read stand by folder. What can be read again is named without its text.
 */
export function stepsOf({ list, root }: Actions, looks: readonly RecordedCall[], told: Told): Step[] {
  const places = (text: string): string => (root === '' ? text : text.replaceAll(`${root}/`, ''));
  const actions = new Set(list.map(({ call }) => call));
  const seen = [
    ...looks.filter((call) => !actions.has(call)).flatMap((call) => seenByTool(call, root)),
    ...list.flatMap(seenByCommand),
  ]
    .filter(({ callId }) => !told.calls.has(callId))
    .sort((a, b) => a.at - b.at);
  const newest = new Map(seen.map((each) => [keyOf(each), each]));
  const steps: Record<'before' | 'since', Step[]> = { before: [], since: [] };
  const files: Record<'before' | 'since', Set<string>> = { before: new Set(), since: new Set() };
  const read = new Set<string>();
  let vainly = 0;
  for (const each of seen.filter((one) => newest.get(keyOf(one)) === one).reverse()) {
    const when = each.isRunning || each.at >= told.spokeAt ? 'since' : 'before';
    if (each.reads.length > 0) {
      for (const file of each.reads)
        if (!told.files.has(file) && !read.has(file) && read.size < maxFiles && isOfWork(file, root)) {
          read.add(file);
          files[when].add(places(file));
        }
      continue;
    }
    const isTold = when === 'before' && (each.isPassing || each.outcome === null || told.tells(each.outcome));
    const isVain = when === 'before' && each.outcome === vain;
    if (isTold || steps[when].length >= maxSteps || (isVain && vainly >= maxVain)) continue;
    if (isVain) vainly += 1;
    const outcome = each.outcome === null ? null : ends(oneLine(places(each.outcome)), outcomeCharacters);
    steps[when].push({
      what: shorten(oneLine(places(each.what)), whatCharacters),
      outcome,
      callId: each.callId,
      ...(when === 'since' && { since: true }),
    });
  }
  return (['before', 'since'] as const).flatMap((when) => [
    ...byFolder(files[when]).map((what): Step => ({
      what,
      outcome: null,
      callId: null,
      ...(when === 'since' && { since: true }),
    })),
    ...steps[when].reverse(),
  ]);
}

const keyOf = ({ what }: Seen): string => what.replace(/\s*(?:2>&1|2>\s*\/dev\/null)/g, '');
/** Not a skill, a package or an output of a program. */
const isOfWork = (file: string, root: string): boolean =>
  (root === '' || file.startsWith(`${root}/`)) && !foreign.test(file) && !isOutput(file);
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function byFolder(files: ReadonlySet<string>): string[] {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const folder = posix.dirname(file);
    folders.set(folder, [...(folders.get(folder) ?? []), posix.basename(file)]);
  }
  return [...folders].map(
    ([folder, names]) =>
      `read ${folder === '.' ? '' : `${folder}/${names.length === 1 ? '' : ': '}`}${names.join(', ')}`,
  );
}

function seenByTool(call: RecordedCall, root: string): Seen[] {
  const { name, callId, sequence } = call;
  const { ending } = endingOf(call);
  if (ending === 'REFUSED' || ending === 'SKIPPED' || askTool.test(name) || planTool.test(name)) return [];
  const isSearching = searchTool.test(name);
  const args = fieldsOf(call.arguments);
  const main = ['pattern', 'query', 'url', 'prompt', 'file_path', 'notebook_path', 'absolute_path', 'filePath', 'path']
    .map((key) => args[key])
    .find((value): value is string => typeof value === 'string' && value !== '');
  const text = bodyOf(call.error ?? call.result ?? '')
    .replace(reminders, '')
    .trim();
  const base = { at: sequence, callId, isRunning: false };
  if (readTool.test(name))
    return main === undefined || ending !== 'PASSED'
      ? []
      : [{ ...base, what: `${name} ${main}`, outcome: null, reads: [inFolder(root, main)], isPassing: true }];
  const isWeb = webTool.test(name);
  if (!isSearching && !isWeb && (isStandardTool(name) || subagentTool.test(name))) return [];
  const what = `${name} ${main ?? JSON.stringify(call.arguments ?? {})}`;
  if (ending === 'UNKNOWN') return [{ ...base, what, outcome: 'no result', reads: [], isPassing: true }];
  if (ending === 'FAILED') return [{ ...base, what, outcome: `failed: ${text}`, reads: [], isPassing: true }];
  const outcome = isWeb ? gistOf(text) : isSearching ? matches(text) : text === '' ? null : text;
  return [{ ...base, what, outcome, reads: [], isPassing: isSearching && outcome !== vain }];
}

function seenByCommand(action: Action): Seen[] {
  const { call, command, parts, ending } = action;
  if (command === null || ending === 'REFUSED' || ending === 'SKIPPED') return [];
  const works = parts.filter((part) => !isTrivial(part));
  const output = action.output.replace(reminders, '').trim();
  const base = { at: call.sequence, callId: call.callId, what: command.trim(), isRunning: false, reads: [] };
  if (ending === 'RUNNING')
    return [{ ...base, outcome: 'started in the background, and not seen to end', isRunning: true, isPassing: false }];
  if (command.includes('*** Begin Patch')) return [];
  if (works.length === 0 || works.some((part) => isCheck(part) || isGit(part)) || changesFiles(action)) return [];
  if (ending === 'UNKNOWN') return [{ ...base, outcome: 'no result', isPassing: true }];
  if (ending === 'FAILED') return [{ ...base, outcome: `failed: ${output}`, isPassing: true }];
  /** Reads the output of the command before it. */
  const isFed = (part: Action['parts'][number]): boolean => parts[parts.indexOf(part) - 1]?.joiner === '|';
  const files = works.flatMap((part) =>
    showing.test(programOf(part).program)
      ? part.words.filter((word) => isFile.test(word)).map((word) => inFolder(part.folder, word))
      : [],
  );
  if (
    files.length > 0 &&
    works.every(isReading) &&
    !works.some((part) => isSearch(part) && !isFed(part)) &&
    !files.some(isOutput)
  )
    return [{ ...base, outcome: null, reads: files, isPassing: true }];
  const isLook =
    works.every((part) => isReading(part) || runsOwnScript(part)) || (isReading(works.at(-1)!) && isFed(works.at(-1)!));
  if (isLook) {
    const outcome = files.some(isOutput) ? output : matches(output);
    return [{ ...base, outcome, isPassing: outcome !== vain || !isSearching(works) }];
  }
  return [{ ...base, outcome: foundNothing.test(output) ? null : output, isPassing: false }];
}

const isSearching = (parts: Action['parts']): boolean =>
  isSearch(parts.at(-1)!) || programOf(parts.at(-1)!).program === 'find';
/** A search that a program made without recording what it found says one word. */
const gistOf = (text: string): string | null => (/^\w*$/.test(text) ? null : webGist(text, outcomeCharacters));

const isGit = (part: Action['parts'][number]): boolean => programOf(part).program === 'git';
/** What a program wrote while it ran: a successor cannot expect to find it. */
const isOutput = (file: string): boolean => /^(?:\/private)?\/tmp\/|\.(?:log|output|out)$/.test(file);

/** What a search found: nothing, a few lines, or how many. */
function matches(output: string): string | null {
  if (foundNothing.test(output)) return vain;
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.length <= fewLines && output.length <= fewCharacters ? lines.join('; ') : null;
}
