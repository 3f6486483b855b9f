import { createHash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { isAgentId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { redactInput, redactText } from '../redaction/redact.ts';
import { type Definition, type DefinitionFile, type Problem, Problems, quoted, type Reference } from './definition.ts';
import { splitFile, type Value } from './frontMatter.ts';
import { mcpServersIn } from './mcpServers.ts';
import { slugOf } from './rules.ts';
import { entriesOf, isDeep, isForCollaborations, readSections, type Sections, splitList } from './sections.ts';

export interface Read {
  /** Null when there are errors. */
  definition: Definition | null;
  problems: Problem[];
}

/** Reads a definition for Claude Code or VS Code, or one in plain Markdown, and redacts its secrets. Never throws. */
export function readDefinition(file: DefinitionFile): Read {
  const problems = new Problems(file.path);
  const definition = isReadable(file.content, problems) ? read(file, problems) : null;
  if (definition === null || problems.hasErrors) return { definition: null, problems: problems.found };
  const { contentHash, ...texts } = definition;
  return { definition: { ...redactInput(texts), contentHash }, problems: problems.found };
}

function isReadable(content: string, problems: Problems): boolean {
  const bytes = Buffer.byteLength(content);
  const max = limits.definitions.file;
  if (bytes > max) problems.error(null, `The file has ${bytes} bytes; the limit is ${max}`, 'shorten it');
  else if (content.trim() === '') problems.error(null, 'The file is empty', 'describe the agent');
  else if (content.includes('\0'))
    problems.error(lineOf(content, content.indexOf('\0')), 'The file contains NUL (U+0000)', 'save it as UTF-8 text');
  else if (/\p{Surrogate}/u.test(content))
    problems.error(null, 'The file contains an unpaired surrogate', 'save it as UTF-8 text');
  return !problems.hasErrors;
}

const lineOf = (text: string, position: number): number => text.slice(0, position).split('\n').length;

const fields = {
  name: { characters: 200, multiline: false },
  type: { characters: 50, multiline: false },
  role: { characters: 200, multiline: false },
  model: { characters: 200, multiline: false },
  description: { bytes: 4 * 1024, multiline: true },
  when: { bytes: limits.fields.when, multiline: true },
  instructions: { bytes: limits.fields.reason, multiline: true },
} as const;

interface Said {
  text: string;
  line: number;
}

function read({ path, content }: DefinitionFile, problems: Problems): Definition | null {
  const parts = splitFile(content.replace(/^\u{feff}/u, '').replace(/\r\n?/g, '\n'), problems);
  if (parts === null) return null;
  const { frontMatter, bodyLine } = parts;
  const instructions = parts.body.trim();
  const bytes = Buffer.byteLength(instructions);
  if (bytes > limits.fields.instructions) {
    problems.error(
      bodyLine,
      `The instructions have ${bytes} bytes; the limit is ${limits.fields.instructions}`,
      'shorten them',
    );
    return null;
  }
  if (isDeep(parts.body)) {
    problems.error(bodyLine, 'The text is nested too deeply', 'flatten its lists and quotations');
    return null;
  }
  const sections = readSections(parts.body, bodyLine);
  for (const line of sections.prose) {
    problems.warn(
      line,
      'A list of other agents in prose grants no handoffs',
      "add a section 'Collaborations' with lines such as '- Reviewer: when the code is done'",
    );
  }
  const say = (name: keyof typeof fields): Said | null => {
    const value = frontMatter === null ? labelled(sections, name) : frontMatter.get(name);
    return value === undefined ? null : textOf(value, name, problems);
  };
  const unnamed = (): Said => {
    const said = {
      text: (frontMatter === null ? sections.title : null) ?? basename(path).replace(/(?:\.agent)?\.[^.]*$/, ''),
      line: 1,
    };
    return { ...said, text: limited(said, 'name', problems) };
  };
  const name = say('name') ?? unnamed();
  const type = say('type');
  return {
    path,
    contentHash: createHash('sha256').update(content).digest('hex'),
    slug: slugIn(name, problems),
    name: name.text,
    type: type === null ? undefined : typeIn(type, problems),
    role: say('role')?.text,
    description: say('description')?.text ?? (frontMatter === null ? introOf(sections) : undefined),
    instructions: instructions === '' ? undefined : instructions,
    models: modelsIn(frontMatter?.get('model') ?? labelled(sections, 'model'), problems),
    contextWindow: windowIn(
      frontMatter === null ? labelled(sections, 'context window') : frontMatter.get('contextWindow'),
      problems,
    ),
    tools: toolsIn(frontMatter?.get('tools'), problems),
    mcpServers: mcpServersIn(frontMatter?.get('mcpServers') ?? frontMatter?.get('mcp-servers'), problems),
    collaborations: collaborationsIn(frontMatter, sections, problems),
  };
}

/** The first paragraph when it can be a description. */
const introOf = ({ intro }: Sections): string | undefined =>
  intro !== null && Buffer.byteLength(intro) <= fields.description.bytes ? intro : undefined;

function labelled({ labels }: Sections, name: string): Value | undefined {
  const found = labels.get(name);
  return found && { kind: 'text', ...found };
}

function slugIn({ text, line }: Said, problems: Problems): string {
  const slug = slugOf(redactText(text.slice(0, fields.name.characters)).text);
  if (slug === '')
    problems.error(
      line,
      `The name ${quoted(text)} has no letter from a to z and no digit, so it gives no id`,
      "give a name such as 'Reviewer'",
    );
  else if (!isAgentId(slug))
    problems.error(
      line,
      `The name ${quoted(text)} gives the id ${quoted(slug)}, which is not allowed: an id has 1 to 52 characters`,
      'shorten the name',
    );
  return slug;
}

function typeIn({ text, line }: Said, problems: Problems): string {
  const type = text.toUpperCase();
  if (!/^[A-Z][A-Z0-9_]{0,49}$/.test(type))
    problems.error(
      line,
      `The type ${quoted(text)} is not allowed`,
      "give a letter, then letters, digits and '_', such as 'CLAUDE'",
    );
  return type;
}

const maxModels = 20;

/** One name, or a list: the first is the preferred one. */
function modelsIn(value: Value | undefined, problems: Problems): string[] {
  if (value === undefined) return [];
  const names = (value.kind === 'list' ? value.items : [value]).flatMap(
    (item) => textOf(item, 'model', problems)?.text ?? [],
  );
  if (names.length > maxModels)
    problems.error(value.line, `${names.length} models are listed; the limit is ${maxModels}`, 'list fewer');
  return [...new Set(names)];
}

const maxWindow = 2 ** 31 - 1;

/** Tokens, such as 200000 or 200,000. */
function windowIn(value: Value | undefined, problems: Problems): number | undefined {
  if (value === undefined || value.kind === 'none') return undefined;
  const text = value.kind === 'text' ? value.text.trim() : '';
  const tokens = /^\d{1,3}([,_ ]?\d{3})*$/.test(text) || /^\d+$/.test(text) ? Number(text.replaceAll(/[,_ ]/g, '')) : 0;
  if (tokens >= 1 && tokens <= maxWindow) return tokens;
  problems.error(
    value.line,
    `The context window ${quoted(text)} is not a number of tokens from 1 to ${maxWindow}`,
    'give a number such as 200000',
  );
  return undefined;
}

const maxTools = 500;

function toolsIn(value: Value | undefined, problems: Problems): string[] {
  if (value === undefined || value.kind === 'none' || value.kind === 'map') return [];
  const names =
    value.kind === 'text' ? value.text.split(',') : value.items.map((item) => (item.kind === 'text' ? item.text : ''));
  const tools = names.map((name) => name.trim()).filter((name) => name !== '');
  const tooLong = tools.find((name) => name.length > 200 || hasControls(name));
  if (tooLong !== undefined)
    problems.error(value.line, `The tool ${quoted(tooLong)} is not a name of at most 200 characters`, 'correct it');
  if (tools.length > maxTools)
    problems.error(value.line, `${tools.length} tools are listed; the limit is ${maxTools}`, 'list fewer');
  return tools;
}

/** Null for an empty value. */
function textOf(value: Value, name: keyof typeof fields, problems: Problems): Said | null {
  if (value.kind === 'none') return null;
  if (value.kind !== 'text') {
    problems.error(
      value.line,
      `'${name}' is a ${value.kind === 'list' ? 'list' : 'block of names and values'}`,
      'give a text',
    );
    return null;
  }
  const said = { text: value.text.trim(), line: value.line };
  return said.text === '' ? null : { ...said, text: limited(said, name, problems) };
}

function limited({ text, line }: Said, name: keyof typeof fields, problems: Problems): string {
  const size = fields[name];
  const [actual, limit, unit] =
    'bytes' in size
      ? [Buffer.byteLength(text), size.bytes, 'bytes']
      : [[...text].length, size.characters, 'characters'];
  if (actual > limit) problems.error(line, `'${name}' has ${actual} ${unit}; the limit is ${limit}`, 'shorten it');
  if (!size.multiline && hasControls(text)) problems.error(line, `'${name}' contains a control character`, 'remove it');
  return text;
}

/** Control characters, and characters that change the direction or the lines of a text. */
const hasControls = (text: string): boolean =>
  /[\p{Cc}\p{Zl}\p{Zp}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/u.test(text);

/** Names of lists in the front matter: those of VS Code, and any spelling of `collaborations`. */
const isList = (name: string): boolean => ['agents', 'handoffs'].includes(name) || isForCollaborations(name);

function collaborationsIn(
  frontMatter: Map<string, Value> | null,
  sections: Sections,
  problems: Problems,
): Reference[] | undefined {
  const given = [...(frontMatter ?? [])].flatMap(([key, value]) =>
    isList(key) ? [referencesIn(key, value, problems)] : [],
  );
  if (sections.collaborations !== null)
    given.push(sections.collaborations.map((entry) => ({ ...entry, instructions: null })));
  if (given.length === 0) return undefined;
  const all = given.flat();
  const max = limits.counts.collaborators;
  if (all.length > max * 10) {
    problems.error(all[max]!.line, `${all.length} collaborations are listed; an agent may have ${max}`, 'list fewer');
    return [];
  }
  for (const { name, line, when, instructions } of all) {
    limited({ text: name, line }, 'name', problems);
    if (when !== null) limited({ text: when, line }, 'when', problems);
    if (instructions !== null) limited({ text: instructions, line }, 'instructions', problems);
  }
  return all;
}

function referencesIn(key: string, value: Value, problems: Problems): Reference[] {
  if (value.kind === 'none') return [];
  const items = value.kind === 'list' ? value.items : [value];
  return items.flatMap((item) => referencesOf(key, item, problems));
}

function referencesOf(key: string, item: Value, problems: Problems): Reference[] {
  if (item.kind === 'text') {
    if (item.text.trim() === '*') {
      problems.warn(item.line, `'${key}' is '*', which grants no handoffs`, 'name each agent');
      return [];
    }
    // In the lists of VS Code a text is a name and nothing else.
    if (key === 'agents' || key === 'handoffs')
      return [{ name: item.text.trim(), line: item.line, when: null, instructions: null }];
    return entriesOf(splitList(item.text), item.line).map((entry) => ({ ...entry, instructions: null }));
  }
  if (item.kind !== 'map') return [];
  const text = (...names: string[]): string | null => {
    const found = names.map((name) => item.entries.get(name)).find((each) => each !== undefined);
    return found?.kind === 'text' && found.text.trim() !== '' ? found.text.trim() : null;
  };
  const name = text('agent', 'agentId', 'name');
  if (name === null) {
    problems.error(item.line, `An entry of '${key}' names no agent`, "add 'agent: <name>'");
    return [];
  }
  const line = item.entries.get('agent')?.line ?? item.line;
  return [{ name, line, when: text('when', 'label', 'description'), instructions: text('prompt', 'instructions') }];
}
