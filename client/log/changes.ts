import { structuredPatch } from 'diff';

export type LineKind = 'ADDED' | 'REMOVED' | 'SAME' | 'PLACE';

export interface ChangedLine {
  kind: LineKind;
  text: string;
}

/** What a call wrote into a file. */
export interface FileChanges {
  /** Null when the text names its files itself. */
  path: string | null;
  kind: 'WRITTEN' | 'CHANGED' | 'DELETED';
  lines: ChangedLine[];
}

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const textIn = (fields: Fields, ...names: string[]): string | null =>
  names.map((name) => fields[name]).find((value): value is string => typeof value === 'string') ?? null;

/** The changes of files in the arguments of a call, in the forms of Claude Code, Codex, Gemini CLI and similar tools. Empty for other arguments. */
export function changesOf(given: unknown): FileChanges[] {
  const fields = fieldsOf(given);
  const path = textIn(fields, 'file_path', 'notebook_path', 'absolute_path', 'path');
  const edits = Array.isArray(fields['edits']) ? fields['edits'].map(fieldsOf) : [fields];
  const replaced = edits.flatMap((edit) => {
    const [before, after] = [
      textIn(edit, 'old_string', 'old_str', 'oldText'),
      textIn(edit, 'new_string', 'new_str', 'newText'),
    ];
    return before === null || after === null
      ? []
      : [{ path, kind: 'CHANGED' as const, lines: difference(before, after) }];
  });
  if (replaced.length > 0) return replaced;
  const content = textIn(fields, 'content', 'new_source', 'file_text');
  if (path !== null && content !== null) return [{ path, kind: 'WRITTEN', lines: added(content) }];
  const patch = patchIn(given, 0);
  return patch === null ? [] : filesOfPatch(patch);
}

const added = (text: string): ChangedLine[] => linesOf(text).map((line) => ({ kind: 'ADDED', text: line }));
const removed = (text: string): ChangedLine[] => linesOf(text).map((line) => ({ kind: 'REMOVED', text: line }));
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** Longer searches for a short difference would hold the page. */
const mostMs = 100;

/** The changed lines of a text, with three around each. */
export function difference(before: string, after: string): ChangedLine[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: mostMs });
  if (patch === undefined) return [...removed(before), ...added(after)];
  return patch.hunks.flatMap(({ lines }, index) => [
    ...(index === 0 ? [] : [{ kind: 'PLACE' as const, text: '⋯' }]),
    ...lines.filter((line) => !line.startsWith('\\')).map(lineOf),
  ]);
}

const kinds: Record<string, LineKind> = { '+': 'ADDED', '-': 'REMOVED', ' ': 'SAME' };

function lineOf(line: string): ChangedLine {
  const kind = kinds[line[0] ?? ' '];
  return kind === undefined ? { kind: 'SAME', text: line } : { kind, text: line.slice(1) };
}

/** The patch of `apply_patch`, which may be the input itself, an argument, or part of a command. */
function patchIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string')
    return /^\*\*\* Begin Patch\n[\s\S]*?(?=^\*\*\* End Patch|(?![\s\S]))/m.exec(value)?.[0] ?? null;
  if (typeof value !== 'object' || value === null || depth > 3) return null;
  for (const part of Object.values(value)) {
    const found = patchIn(part, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

const fileOfPatch = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const patchKinds = { Add: 'WRITTEN', Update: 'CHANGED', Delete: 'DELETED' } as const;

function filesOfPatch(patch: string): FileChanges[] {
  const files: FileChanges[] = [];
  for (const line of linesOf(patch)) {
    const [, verb, path] = fileOfPatch.exec(line) ?? [];
    const file = files.at(-1);
    if (path !== undefined)
      files.push({ path: path.trim(), kind: patchKinds[verb as keyof typeof patchKinds], lines: [] });
    else if (line.startsWith('*** Move to: ')) file?.lines.push({ kind: 'PLACE', text: `moved to ${line.slice(13)}` });
    else if (line.startsWith('@@')) file?.lines.push({ kind: 'PLACE', text: line.slice(2).trim() || '⋯' });
    else if (!line.startsWith('***')) file?.lines.push(lineOf(line));
  }
  return files;
}

const isDiff = /^(?:diff --git .+|--- (?:a\/|\/dev\/null).*\n\+\+\+ (?:b\/|\/dev\/null).*)$/m;

/** The lines of a text that begins as a difference, such as the output of `git diff`; null for any other text. */
export function linesOfDiff(text: string): ChangedLine[] | null {
  if (!isDiff.test(text.slice(0, 2_000))) return null;
  return linesOf(text).map((line) =>
    /^(diff --git|index |--- |\+\+\+ |@@|new file|deleted file|similarity|rename)/.test(line)
      ? { kind: 'PLACE', text: line }
      : lineOf(line),
  );
}
