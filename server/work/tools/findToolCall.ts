import { UnknownHandoffTargetError } from '../../core/errors.ts';
import { isAgentId } from '../../core/ids.ts';
import { redactInput } from '../redaction/redact.ts';
import { detectIn } from './detect/detectHandoffs.ts';
import type { DetectedCall } from './detect/detection.ts';
import { readCalls } from './detect/modelCall.ts';
import type { Answer } from './detect/readAnswer.ts';
import { callOfItem } from './detect/response.ts';
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
const answerOf = ({ toolName, arguments: given, callId }: Asked): Answer => ({
  format: 'OPENAI_RESPONSE',
  calls: readCalls([callOfItem({ call_id: callId, name: toolName, arguments: given ?? {} })]),
});

/** Whether a tool has the name of a generated one. */
export const isGeneratedName = (name: string): boolean =>
  name.startsWith(generatedPrefix) && isAgentId(name.slice(generatedPrefix.length));

/**
 * The call of a tool with the name of a generated one, without a read; null for other names. `executeCall` refuses it when
 * the tool does not exist. The input has no secrets.
 */
export function assumedCall(asked: Asked): Call | null {
  const { toolName: name } = asked;
  if (!isGeneratedName(name)) return null;
  const targetAgentId = name.slice(generatedPrefix.length);
  const tools = [{ id: null, name, targetAgentId, generated: true }];
  const [detected] = detectIn(answerOf(asked), {
    agentId: '',
    tools,
    agents: [{ id: targetAgentId, archived: false }],
  }).calls;
  if (detected?.kind !== 'HANDOFF') return null;
  // Secrets are found in values, not in their JSON.
  return {
    ...(typeof asked.arguments === 'string' ? callOf(detected) : { callId: detected.callId, detected, refusal: null }),
    assumed: true,
  };
}

/** The call of a tool by its name, as detection understands it. */
export async function findToolCall(reader: Reader, holderId: string | null, asked: Asked): Promise<Call> {
  const { toolName, callId } = asked;
  const answer = answerOf(asked);
  const named =
    holderId === null
      ? []
      : knownTools(await findTools(reader, { agentIds: [holderId], name: toolName, archived: true }));
  const [own] = named;
  // To find one of its own tools by its name, the other tools and agents need not be read.
  const agents = own?.targetAgentId == null ? null : [{ id: own.targetAgentId, archived: false }];
  const found = agents === null || holderId === null ? await detectFor(reader, holderId ?? '', answer) : null;
  const calls =
    agents === null || holderId === null
      ? found?.detection.calls
      : detectIn(answer, { agentId: holderId, tools: named, agents }).calls;
  const detected = calls?.[0];
  if (detected !== undefined && detected.kind !== 'OTHER') return callOf(detected);
  const suggestions = (found === null ? named : knownTools(found.handoffTools)).slice(0, 20).map(({ name }) => name);
  const advice = suggestions.length === 0 ? 'it has none' : `call one of ${suggestions.join(', ')}`;
  return {
    ...redactInput({ callId }),
    detected: null,
    refusal: new UnknownHandoffTargetError(
      `'${toolName}' is no handoff tool of the agent: ${advice}`,
      toolName,
      suggestions,
    ),
  };
}

/** A detected call without secrets. */
export function callOf(found: DetectedCall): Call {
  const detected = redactInput(found);
  return { callId: detected.callId, detected, refusal: null };
}
