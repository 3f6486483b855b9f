import { canonicalJson } from '../../core/canonicalJson.ts';
import type { ArgumentProblem } from '../../core/errors.ts';
import { unwrapped } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { ToolVariable } from './tool.ts';
import { faultOfValue } from './variables.ts';

/** What a call of a tool gives, checked as its schema in `define.ts` says. Pure. */

export interface GivenArguments {
  reason: string | null;
  summary: string | null;
  variables: Record<string, unknown>;
}

type Checked = GivenArguments | { problems: ArgumentProblem[] };
interface CheckedTool {
  generated: boolean;
  variables: readonly ToolVariable[];
  /** The tool of a framework, which may have no argument for a reason. */
  foreign?: boolean;
}
type Arguments = Readonly<Record<string, unknown>>;
/** The problems of 50,000 names would be 10 MB. */
const mostProblems = 20;

const longest = { reason: limits.fields.reason, summary: limits.fields.summary };

/** Checks the arguments of a call. Reserved names were dropped before. `targetIn` is the argument that names the target, if one does. */
export function checkArguments(given: Arguments, tool: CheckedTool, targetIn?: string): Checked {
  const problems: ArgumentProblem[] = [];
  const text = (name: 'reason' | 'summary'): string | null => {
    const value = own(given, name);
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string') problems.push({ path: [name], message: 'is not a string: give a string' });
    else if (Buffer.byteLength(value) > longest[name])
      problems.push({
        path: [name],
        message: `has ${Buffer.byteLength(value)} bytes; the limit is ${longest[name]}: shorten it`,
      });
    else return value;
    return null;
  };
  const [reason, summary] = [text('reason'), text('summary')];
  if (tool.generated && tool.foreign !== true && (own(given, 'reason') ?? null) === null)
    problems.push(missing('reason'));
  const variables = tool.generated
    ? freeVariables(own(given, 'variables'), problems)
    : typedVariables(given, tool.variables, problems);
  const known = [
    'reason',
    'summary',
    ...(tool.generated ? ['variables'] : []),
    ...(targetIn === undefined ? [] : [targetIn]),
    ...tool.variables.map(({ name }) => name),
  ];
  for (const name of Object.keys(given)) {
    if (problems.length >= mostProblems) break;
    if (!known.includes(name))
      problems.push({
        path: [name],
        message: `is no argument of this tool: leave it out. It takes ${known.join(', ')}`,
      });
  }
  if (Buffer.byteLength(canonicalJson(variables)) > limits.fields.json)
    problems.push({
      path: tool.generated ? ['variables'] : [],
      message: `variables have more than ${limits.fields.json} bytes: shorten them`,
    });
  return problems.length === 0 ? { reason, summary, variables } : { problems: problems.slice(0, mostProblems) };
}

const missing = (name: string): ArgumentProblem => ({ path: [name], message: 'is required: give a value' });

/** Arguments come from JSON, where `__proto__` and `constructor` are names like others. */
const own = (given: Arguments, name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined);

function typedVariables(
  given: Arguments,
  variables: readonly ToolVariable[],
  problems: ArgumentProblem[],
): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  for (const variable of variables) {
    const value = own(given, variable.name);
    if (value === undefined || (value === null && !variable.required)) {
      if (variable.required) problems.push(missing(variable.name));
      else if (variable.default !== null) entries.push([variable.name, variable.default]);
      continue;
    }
    const fault = faultOfValue(variable, value);
    if (fault === null) entries.push([variable.name, value]);
    else problems.push({ path: [variable.name], message: fault });
  }
  return Object.fromEntries(entries);
}

const longestName = 128;

function freeVariables(given: unknown, problems: ArgumentProblem[]): Record<string, unknown> {
  const value = unwrapped(given);
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    problems.push({ path: ['variables'], message: 'is not an object: give names and values' });
    return {};
  }
  for (const name of Object.keys(value)) {
    if (problems.length >= mostProblems) break;
    if (name === '' || name.startsWith('_') || [...name].length > longestName) {
      problems.push({
        path: ['variables', name.slice(0, longestName)],
        message: `is no name of a variable: give 1 to ${longestName} characters, not '_' first`,
      });
    }
  }
  return { ...value };
}
