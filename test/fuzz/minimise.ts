import type { Input, Step } from './input.ts';

const most = 60;

/** Removes steps, then parts of the largest text, as long as `fails` says that it still fails; each try is a request. */
export async function minimise(input: Input, fails: (input: Input) => Promise<boolean>): Promise<Input> {
  let best = input;
  let left = most;
  const attempt = async (steps: Step[]): Promise<boolean> => {
    left -= 1;
    const smaller = { ...best, steps };
    if (!(await fails(smaller))) return false;
    best = smaller;
    return true;
  };
  for (let at = best.steps.length - 1; at >= 0 && best.steps.length > 1 && left > 0; at -= 1)
    await attempt(best.steps.toSpliced(at, 1));
  for (const at of best.steps.keys()) {
    const text = textOf(best.steps[at]!);
    if (text === undefined) continue;
    let now = text;
    for (let part = now.length >> 1; part >= 4 && left > 0; part >>= 1)
      for (let from = 0; from < now.length && left > 0;) {
        const smaller = now.slice(0, from) + now.slice(from + part);
        if (await attempt(best.steps.with(at, withText(best.steps[at]!, smaller)))) now = smaller;
        else from += part;
      }
  }
  return best;
}

const textOf = (step: Step): string | undefined =>
  'raw' in step ? step.raw : 'messages' in step ? undefined : (step.body ?? step.path);
const withText = (step: Step, text: string): Step =>
  'raw' in step
    ? { raw: text }
    : 'messages' in step
      ? step
      : step.body === undefined
        ? { ...step, path: text }
        : { ...step, body: text };
