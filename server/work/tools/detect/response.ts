import { callOf, isRecord, type Json, type UnreadCall, recordsIn, stringOr } from './modelCall.ts';

/** Of the Responses API: `function_call` and `custom_tool_call` items of `output`. An `mcp_call` ran at the provider and is not a call. */

/** Whether the item is a call as the API gives it; with `callId` it is one of the Agents SDK. */
export const isCallItem = ({ type, name }: Json): boolean =>
  (type === 'function_call' || type === 'custom_tool_call') && typeof name === 'string';
const isOutputItem = (item: Json): boolean =>
  isCallItem(item) || (item['type'] === 'message' && item['role'] === 'assistant');

/** Reads a response, or a list of its output items; null for any other shape. */
export function readResponse(answer: unknown): UnreadCall[] | null {
  const output = isRecord(answer) ? answer['output'] : answer;
  if (!Array.isArray(output)) return null;
  const items = recordsIn(output);
  if (!(isRecord(answer) && answer['object'] === 'response') && !items.some(isOutputItem)) return null;
  return items.filter(isCallItem).map(callOfItem);
}

/** Reads one call item, of the API or of the Agents SDK. */
export const callOfItem = (item: Json): UnreadCall =>
  callOf({
    callId: item['call_id'] ?? item['callId'],
    name: stringOr(item['name'], ''),
    input: item['arguments'] ?? item['input'],
    cut: item['status'] === 'incomplete' || item['status'] === 'in_progress',
  });

const outputOf = (response: unknown): Json[] => (isRecord(response) ? recordsIn(response['output']) : []);

/** Puts a recorded stream together to a response; null for events of another format. */
export function assembleResponse(events: readonly Json[]): Json | null {
  if (!events.some(({ type }) => typeof type === 'string' && type.startsWith('response.'))) return null;
  const items = new Map<unknown, { item: Json; input: string }>();
  for (const event of events) {
    const { type, output_index: index } = event;
    const final = type === 'response.completed' || type === 'response.incomplete' ? outputOf(event['response']) : [];
    if (type === 'response.created' || final.length > 0) items.clear();
    for (const [at, item] of final.entries()) items.set(at, { item, input: '' });
    if (type === 'response.output_item.added' && isRecord(event['item']))
      items.set(index, { item: { status: 'in_progress', ...event['item'] }, input: '' });
    if (type === 'response.output_item.done' && isRecord(event['item']))
      items.set(index, { item: event['item'], input: '' });
    const open = items.get(index);
    if (open === undefined) continue;
    if (type === 'response.function_call_arguments.delta' || type === 'response.custom_tool_call_input.delta')
      open.input += stringOr(event['delta'], '');
    const whole =
      type === 'response.function_call_arguments.done'
        ? event['arguments']
        : type === 'response.custom_tool_call_input.done'
          ? event['input']
          : undefined;
    if (typeof whole === 'string') items.set(index, { item: { ...open.item, status: 'completed' }, input: whole });
  }
  return {
    object: 'response',
    output: [...items.values()].map(({ item, input }) => (input === '' ? item : { ...item, arguments: input })),
  };
}
