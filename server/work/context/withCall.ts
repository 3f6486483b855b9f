import { bounds, isReader, isShower, type Sources } from './sources.ts';

/** A call with its result that is written in the same statement as the Handoff that it makes, as a Turn of its own. */
export interface PendingCall {
  id: string;
  turnId: string;
  /** Index of its Turn. */
  turn: number;
  /** Number of the last Message before it. */
  sequence: number;
  callId: string;
  name: string;
  arguments: unknown;
  result: string;
  /** Its arguments as PostgreSQL prints them, at most the beginning that a Context holds. */
  argumentsText: string;
  argumentsBytes: number;
  /** SHA-256 of its Turn, as `lastAgentTurnHash`. */
  hash: string;
}

/** What `readSources` returns once the call is in the log. */
export function withCall(sources: Sources, call: PendingCall): Sources {
  const { id, turnId, turn, sequence, callId, name, arguments: given, result } = call;
  const others = sources.tools.filter((tool) => tool.name !== name);
  const known = sources.tools.find((tool) => tool.name === name);
  const tool = {
    name,
    calls: (known?.calls ?? 0) + 1,
    errors: known?.errors ?? 0,
    lastResult: result.slice(0, bounds.toolResultCharacters + 1),
    lastCallId: id,
    lastSequence: sequence,
  };
  const asked = Buffer.byteLength(name) + call.argumentsBytes;
  const bytes = asked + Buffer.byteLength(result);
  const fact = { callId, turn, sequence, name, arguments: given, result, error: null, filesModified: [] };
  return {
    ...sources,
    turns: sources.turns + 1,
    tools: [...others, tool].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1)),
    lastCalls: [
      {
        id,
        callId,
        sequence,
        name,
        arguments: call.argumentsText,
        outcome: result,
        outcomeShortened: false,
        failed: false,
      },
    ],
    reads:
      isShower(name) && Buffer.byteLength(result) <= bounds.readBytes
        ? [...sources.reads, fact].slice(-bounds.reads)
        : sources.reads,
    calls: isReader(name) ? sources.calls : [...sources.calls, fact].slice(-bounds.factCalls),
    totals: {
      ...sources.totals,
      tools: sources.totals.tools + (known === undefined ? 1 : 0),
      calls: sources.totals.calls + 1,
      lastCalls: 1,
      unansweredCalls: 0,
    },
    lastTurnId: turnId,
    lastTurnCallIds: [id],
    lastAgentTurnHash: call.hash,
    visible: {
      ...sources.visible,
      bytes: sources.visible.bytes + bytes,
      bytesSince: sources.visible.bytesSince + bytes,
    },
  };
}
