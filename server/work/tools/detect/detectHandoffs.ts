import type { Arguments, CallKind, DetectedCall, Detection, Problem } from './detection.ts';
import type { Known, KnownTool } from './known.ts';
import { isRecord, type ModelCall } from './modelCall.ts';
import { type Answer, readAnswer, withArguments } from './readAnswer.ts';
import { byFoldedName, folded, foldedTitle, namesOf, styleOf } from './styles.ts';
import { createTargets, quoted, type Target } from './targets.ts';

/** Finds the handoffs in a model's answer. Takes any value, and executes nothing. @throws TooManyValues */
export function detectHandoffs(response: unknown, known: Known): Detection {
  const answer = readAnswer(response);
  return detectIn(answer && withArguments(answer), known);
}

/** Longer names name no agent. */
const longestName = 100;

/** The agents that calls may name, as `folded` makes their ids. */
export function namesIn(calls: readonly ModelCall[]): string[] {
  const names = calls.flatMap(({ toolName, arguments: given, handoff }) => {
    const target = given?.['target'];
    return [
      styleOf(namesOf(toolName).at(-1)!, given)?.target,
      handoff?.target,
      typeof target === 'string' ? target : null,
    ];
  });
  return names.flatMap((name) => (name == null || name.length > longestName ? [] : [folded(name), foldedTitle(name)]));
}

export function detectIn(answer: Answer | null, known: Known): Detection {
  if (answer === null) return { format: null, calls: [], chosen: null };
  const judge = createJudge(known);
  const calls = answer.calls.map((call, index) => detected(call, index, judge(call)));
  const first = (kind: CallKind): DetectedCall | undefined => calls.find((call) => call.kind === kind);
  return { format: answer.format, calls, chosen: first('HANDOFF') ?? first('UNRESOLVED') ?? null };
}

/** Where a call leads; null when it is no handoff. */
type Verdict = (Target & { tool?: KnownTool | undefined }) | null;

function createJudge(known: Known): (call: ModelCall) => Verdict {
  const targets = createTargets(known);
  const byName = new Map(known.tools.map((tool) => [tool.name, tool]));
  const byFolded = byFoldedName(known.tools, ({ name }) => name);

  function ofTool(tool: KnownTool, call: ModelCall): Target {
    if (tool.enumTargets === undefined)
      return tool.targetAgentId === null ? targets.named(null, []) : targets.withId(tool.targetAgentId);
    if (call.problem !== null) return { problem: call.problem };
    const { argument, agentIds } = tool.enumTargets;
    const named = call.arguments?.[argument];
    return targets.named(typeof named === 'string' ? named : null, [argument], agentIds);
  }

  function ofStyle(name: string, call: ModelCall): Target | null {
    const styled = styleOf(name, call.arguments);
    if (styled === null) return null;
    return styled.target === null && call.problem !== null
      ? { problem: call.problem }
      : targets.named(styled.target, styled.path);
  }

  return (call) => {
    const names = namesOf(call.toolName);
    const name = names.at(-1)!;
    const tool = names.map((each) => byName.get(each)).find((each) => each !== undefined);
    if (tool !== undefined) return { ...ofTool(tool, call), tool };

    const alike = byFolded.get(folded(name)) ?? [];
    const made = call.handoff?.target == null ? null : targets.named(call.handoff.target, ['target']);
    const found = made !== null && 'agentId' in made ? made : (ofStyle(name, call) ?? made);
    if (found !== null && 'agentId' in found)
      return { ...found, tool: alike.find(({ targetAgentId }) => targetAgentId === found.agentId) };
    if (alike.length > 0) return { problem: unknownTool(call.toolName, alike) };
    return found ?? (call.handoff === undefined ? null : targets.named(null, []));
  };
}

const unknownTool = (name: string, alike: readonly KnownTool[]): Problem => {
  const suggestions = alike.map((tool) => tool.name);
  return {
    code: 'UNKNOWN_TOOL',
    message: `The agent has no tool ${quoted(name)}: did you mean ${suggestions.map(quoted).join(' or ')}?`,
    suggestions,
    path: [],
  };
};

function detected(
  { callId, toolName, arguments: given, problem }: ModelCall,
  index: number,
  verdict: Verdict,
): DetectedCall {
  const call = { index, callId, toolName, tool: verdict?.tool ?? null };
  if (verdict === null) return { ...call, arguments: given, kind: 'OTHER', targetAgentId: null, problem };
  const { kept, dropped } = withoutReserved(given);
  if ('problem' in verdict)
    return { ...call, arguments: kept, kind: 'UNRESOLVED', targetAgentId: null, problem: verdict.problem };
  return {
    ...call,
    arguments: kept,
    kind: 'HANDOFF',
    targetAgentId: verdict.agentId,
    problem: problem ?? reserved(dropped),
  };
}

const isReserved = (name: string): boolean => name.startsWith('_handoff_');
/** Arguments that become context variables. */
const holders: readonly string[] = ['variables', 'context'];

/** Names that begin with `_handoff_` say where work came from, so a model may not set them. */
function withoutReserved(given: Arguments | null): { kept: Arguments | null; dropped: string[][] } {
  const dropped: string[][] = [];
  if (given === null) return { kept: null, dropped };
  const keep = (from: Arguments, path: string[]): Arguments =>
    Object.fromEntries(
      Object.entries(from).flatMap(([name, value]) => {
        if (isReserved(name)) return (dropped.push([...path, name]), []);
        return [[name, path.length === 0 && holders.includes(name) && isRecord(value) ? keep(value, [name]) : value]];
      }),
    );
  return { kept: keep(given, []), dropped };
}

function reserved(dropped: readonly string[][]): Problem | null {
  const [path] = dropped;
  if (path === undefined) return null;
  const names = dropped.map((each) => quoted(each.join('.')));
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return {
    code: 'RESERVED_ARGUMENTS',
    message: `Dropped ${shown.join(', ')}: names that begin with '_handoff_' belong to Baton`,
    suggestions: [],
    path,
  };
}
