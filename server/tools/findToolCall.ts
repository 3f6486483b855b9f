import { createHash } from 'node:crypto';
import { UnknownHandoffTargetError } from '../core/errors.ts';
import { isAgentId } from '../core/ids.ts';
import { redactInput, redactText } from '../redaction/redact.ts';
import { detectHandoffs } from './detect/detectHandoffs.ts';
import type { DetectedCall } from './detect/detection.ts';
import type { Call } from './executeCall.ts';
import { detectFor, knownTools } from './known.ts';
import { findTools, type Reader } from './queries.ts';
import { generatedPrefix } from './tool.ts';

interface Asked {
  toolName: string;
  arguments: unknown;
  callId: string | null;
}

// An answer with this one call, so that names mean the same as in a model's whole answer.
const answerOf = ({ toolName, arguments: given, callId }: Asked): unknown => [{ type: 'function_call', call_id: callId, name: toolName, arguments: given ?? {} }];

/**
 * The call of a tool with the name of a generated one, without a read; null for other names. `executeCall` refuses it when
 * the tool does not exist. The input has no secrets.
 */
export function assumedCall(asked: Asked): Call | null {
  const { toolName: name } = asked;
  const targetAgentId = name.slice(generatedPrefix.length);
  if (!name.startsWith(generatedPrefix) || !isAgentId(targetAgentId)) return null;
  const tools = [{ id: null, name, targetAgentId, generated: true }];
  const [detected] = detectHandoffs(answerOf(asked), { agentId: '', tools, agents: [{ id: targetAgentId, archived: false }] }).calls;
  if (detected?.kind !== 'HANDOFF') return null;
  // Secrets are found in values, not in their JSON.
  return { ...(typeof asked.arguments === 'string' ? callOf(detected) : { callId: storedId(detected.callId), detected, refusal: null }), assumed: true };
}

/** The call of a tool by its name, as detection understands it. */
export async function findToolCall(reader: Reader, holderId: string | null, asked: Asked): Promise<Call> {
  const { toolName, callId } = asked;
  const named = holderId === null ? [] : knownTools(await findTools(reader, { agentIds: [holderId], name: toolName, archived: true }));
  const [own] = named;
  // To find one of its own tools by its name, the other tools and agents need not be read.
  const agents = own?.targetAgentId == null ? null : [{ id: own.targetAgentId, archived: false }];
  const found = agents === null || holderId === null ? await detectFor(reader, holderId ?? '', answerOf(asked)) : null;
  const calls = agents === null || holderId === null ? found?.detection.calls : detectHandoffs(answerOf(asked), { agentId: holderId, tools: named, agents }).calls;
  const detected = calls?.[0];
  if (detected !== undefined && detected.kind !== 'OTHER') return callOf(detected);
  const suggestions = (found === null ? named : knownTools(found.handoffTools)).slice(0, 20).map(({ name }) => name);
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
