import { expect, it } from 'vitest';
import { ModelError, type Answer, type Model } from './conversation.ts';
import { answerOf, Stopped } from './fallback.ts';

const question = { sessionId: 's', agentId: 'a', tenure: 0, step: 0, system: '', entries: [], tools: [] };
const answer: Answer = { response: {}, text: 'Done.', model: 'm', usage: null, isCut: false, providerOptions: [] };

/** A model that fails so often, each time in this way. */
function failing(name: string, errors: ModelError[]): Model {
  return {
    name,
    contextWindow: null,
    price: null,
    answer: async () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return answer;
    },
  };
}
const never = new AbortController().signal;

async function ask(models: Model[]): Promise<{ by: string | null; told: string[] }> {
  const told: string[] = [];
  const by = await answerOf(models, question, { signal: never, stopping: never }, (text) => told.push(text)).then(
    (given) => given.by.name,
    (error: unknown) => {
      told.push(`${(error as ModelError).message}${(error as ModelError).isPassing ? ' (passing)' : ''}`);
      return null;
    },
  );
  return { by, told };
}

it('asks a model again after the time that it says', async () => {
  expect(
    await ask([failing('a', [new ModelError('a answered 429', true, 20), new ModelError('a answered 500', true, 0)])]),
  ).toEqual({
    by: 'a',
    told: ['a answered 429; asked again in 0.0 s', 'a answered 500; asked again in 0.0 s'],
  });
});

it('asks the next model when one wants more than two minutes, and when one refuses', async () => {
  const models = [
    failing('a', [new ModelError('a answered 429', true, 121_000)]),
    failing('b', [new ModelError('b answered 401', false)]),
    failing('c', []),
  ];
  expect(await ask(models)).toEqual({
    by: 'c',
    told: ['a answered 429; the next model is asked', 'b answered 401; the next model is asked'],
  });
});

it('says of all models why none answers, and whether waiting may help', async () => {
  const away = () => failing('a', [new ModelError('a answered 503', true, 500_000)]);
  const wrong = () => failing('b', [new ModelError('b answered 404', false)]);
  expect((await ask([away(), wrong()])).told.at(-1)).toBe('a answered 503; b answered 404 (passing)');
  expect((await ask([wrong()])).told.at(-1)).toBe('b answered 404');
});

it('leaves a model soon at whose address nothing answers', async () => {
  const unreached = new ModelError('a is not reached', true, 16_000, true);
  expect((await ask([failing('a', [unreached]), failing('b', [])])).by).toBe('b');
});

it('asks nothing again once the runner is to end', async () => {
  const stopping = new AbortController();
  const models = [failing('a', [new ModelError('a answered 429', true, 100_000)])];
  const asked = answerOf(models, question, { signal: never, stopping: stopping.signal }, () => stopping.abort());
  await expect(asked).rejects.toThrow(Stopped);
});
