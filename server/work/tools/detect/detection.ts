import type { KnownTool } from './known.ts';

export type DetectedFormat =
  | 'ANTHROPIC_MESSAGE'
  | 'OPENAI_CHAT_COMPLETION'
  | 'OPENAI_RESPONSE'
  | 'AGENTS_SDK'
  | 'GEMINI_RESPONSE'
  | 'BEDROCK_CONVERSE'
  | 'OLLAMA_CHAT'
  | 'AI_SDK'
  | 'LANGCHAIN_MESSAGE';

/** HANDOFF has a target. UNRESOLVED looks like a handoff and has a problem. OTHER is any other call. */
export type CallKind = 'HANDOFF' | 'UNRESOLVED' | 'OTHER';

export type ProblemCode =
  | 'UNKNOWN_TARGET'
  | 'AMBIGUOUS_TARGET'
  | 'ARCHIVED_TARGET'
  | 'SAME_AGENT'
  | 'MISSING_TARGET'
  | 'UNKNOWN_TOOL'
  | 'INVALID_ARGUMENTS'
  | 'RESERVED_ARGUMENTS';

export interface Problem {
  code: ProblemCode;
  message: string;
  /** Agents, or tools for UNKNOWN_TOOL, that may have been meant, nearest first. */
  suggestions: readonly string[];
  /** Where in the arguments; empty for the whole call. */
  path: readonly string[];
}

export interface DetectedCall {
  /** Position among the calls of the answer, from 0. */
  index: number;
  callId: string | null;
  /** The name as the model called it. */
  toolName: string;
  /** Null exactly when the problem is INVALID_ARGUMENTS. Those of a handoff are without names that begin with `_handoff_`. */
  arguments: Arguments | null;
  kind: CallKind;
  /** Set exactly for HANDOFF. */
  targetAgentId: string | null;
  /** The agent's own tool that was called; null when only the style of the name is known. */
  tool: KnownTool | null;
  /** Of a HANDOFF only INVALID_ARGUMENTS (do not execute it) or RESERVED_ARGUMENTS (they were dropped). */
  problem: Problem | null;
}

export interface Detection {
  /** Null when the answer has none of the known shapes. */
  format: DetectedFormat | null;
  calls: readonly DetectedCall[];
  /** The first HANDOFF, else the first UNRESOLVED, else null. */
  chosen: DetectedCall | null;
}

export type Arguments = Readonly<Record<string, unknown>>;
