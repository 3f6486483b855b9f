import type { Sources } from '../sources.ts';
import { changesFiles, type Actions } from './actions.ts';
import { isCheck, isReading, isTrivial } from './commands.ts';
import { isStandardTool } from './tools.ts';

/** Whether a prompt tells the outcome of a call elsewhere, or a successor can look for itself: an agent spoke after it, or it read, edited or checked files. */
export function isTold(
  { callId, name, sequence, failed }: Sources['lastCalls'][number],
  spokeAt: number,
  { list }: Actions,
): boolean {
  if (sequence !== undefined && sequence < spokeAt) return true;
  const action = list.find(({ call }) => call.callId === callId);
  if (action === undefined) return isStandardTool(name);
  if (action.command === null || failed) return true;
  return (
    action.ending !== 'RUNNING' &&
    (changesFiles(action) || action.parts.every((part) => isCheck(part) || isTrivial(part) || isReading(part)))
  );
}
