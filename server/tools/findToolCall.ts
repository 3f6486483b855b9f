import { createHash } from 'node:crypto';
import { UnknownHandoffTargetError } from '../core/errors.ts';
import { redactInput, redactText } from '../redaction/redact.ts';
import { detectHandoffs } from './detect/detectHandoffs.ts';
import type { DetectedCall } from './detect/detection.ts';
import type { Call } from './executeCall.ts';
import { knownTools, loadKnown } from './known.ts';
import { findTools, type Reader } from './queries.ts';

interface Asked {
  toolName: string;
  arguments: unknown;
  callId: string | null;
}

/** The call of a tool by its name, as detection understands it. */
export async function findToolCall(reader: Reader, holderId: string | null, { toolName, arguments: given, callId }: Asked): Promise<Call> {
  // An answer with this one call, so that names mean the same as in a model's whole answer.
  const answer = [{ type: 'function_call', call_id: callId, name: toolName, arguments: given ?? {} }];
  const named = holderId === null ? [] : knownTools(await findTools(reader, { agentIds: [holderId], name: toolName, archived: true }));
  const [own] = named;
  // To find one of its own tools by its name, the other tools and agents need not be read.
  const agents = own?.targetAgentId == null ? null : [{ id: own.targetAgentId, archived: false }];
  const known = agents === null || holderId === null ? await loadKnown(reader, holderId ?? '') : { agentId: holderId, tools: named, agents };
  const [detected] = known === null ? [] : detectHandoffs(answer, known).calls;
  if (detected !== undefined && detected.kind !== 'OTHER') return callOf(detected);
  const suggestions = (known?.tools ?? []).slice(0, 20).map(({ name }) => name);
  const advice = suggestions.length === 0 ? 'it has none' : `call one of ${suggestions.join(', ')}`;
  return { callId: storedId(callId), detected: null, refusal: new UnknownHandoffTargetError(`'${toolName}' is no handoff tool of the agent: ${advice}`, toolName, suggestions) };
}

/** A detected call without secrets. */
export const callOf = (detected: DetectedCall): Call => ({ callId: storedId(detected.callId), detected: redactInput(detected), refusal: null });

/** The id to store: its hash when it looks like a secret, since two redacted ids would be the same call. */
function storedId(callId: string | null): string | null {
  if (callId === null || redactText(callId).text === callId) return callId;
  return `sha256_${createHash('sha256').update(callId).digest('hex').slice(0, 40)}`;
}
