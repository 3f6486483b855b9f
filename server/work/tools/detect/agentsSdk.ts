import { isRecord, type Json, type UnreadCall, recordsIn, stringOr } from './modelCall.ts';
import { callOfItem, isCallItem } from './response.ts';

/** Of the OpenAI Agents SDK: items of a run, the output items of its model, or a RunState. JavaScript writes camelCase, Python snake_case. */

const rawOf = (item: Json): unknown => item['rawItem'] ?? item['raw_item'];
const isRunItem = (item: Json): boolean => stringOr(item['type'], '').endsWith('_item') && isRecord(rawOf(item));
const isModelItem = (item: Json): boolean => isCallItem(item) && typeof item['callId'] === 'string';

/** Reads items, a model response or a RunState; null for any other shape. */
export function readAgentsSdk(answer: unknown): UnreadCall[] | null {
  if (Array.isArray(answer)) {
    const items = recordsIn(answer);
    return items.some((item) => isRunItem(item) || isModelItem(item)) ? callsIn(items, items) : null;
  }
  if (!isRecord(answer)) return null;
  if (answer['$schemaVersion'] === undefined)
    return recordsIn(answer['output']).some(isModelItem) ? readAgentsSdk(answer['output']) : null;
  const processed = answer['lastProcessedResponse'] ?? answer['last_processed_response'];
  const made = [
    ...recordsIn(answer['generatedItems'] ?? answer['generated_items']),
    ...(isRecord(processed) ? recordsIn(processed['handoffs']) : []),
  ];
  return callsIn(lastItems(answer, processed), made);
}

/** What the model answered last: earlier answers of a RunState were already acted on. */
function lastItems(state: Json, processed: unknown): Json[] {
  const items = isRecord(processed) ? recordsIn(processed['newItems'] ?? processed['new_items']) : [];
  if (items.length > 0) return items;
  const last =
    state['lastModelResponse'] ??
    state['last_model_response'] ??
    recordsIn(state['modelResponses'] ?? state['model_responses']).at(-1);
  return isRecord(last) ? recordsIn(last['output']) : [];
}

function callsIn(items: readonly Json[], made: readonly Json[]): UnreadCall[] {
  const targets = targetsIn(made);
  return items.flatMap((item) => {
    const { type } = item;
    // A `tool_approval_item` repeats a call.
    const raw = type === 'tool_call_item' || type === 'handoff_call_item' ? rawOf(item) : item;
    if (!isRecord(raw) || !isCallItem(raw)) return [];
    const call = callOfItem(raw);
    return [type === 'handoff_call_item' ? { ...call, handoff: { target: targets.get(call.callId) ?? null } } : call];
  });
}

/** The targets that the SDK knows, by call id: of output items, and of the handoffs that a RunState has still to make. */
function targetsIn(records: readonly Json[]): Map<unknown, string> {
  const targets = new Map<unknown, string>();
  for (const record of records) {
    const [call, target] = [rawOf(record) ?? record['toolCall'], record['targetAgent'] ?? record['target_agent']];
    if (isRecord(call) && isRecord(target) && typeof target['name'] === 'string')
      targets.set(call['callId'] ?? call['call_id'], target['name']);
  }
  return targets;
}
