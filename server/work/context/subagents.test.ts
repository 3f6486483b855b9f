import { expect, it } from 'vitest';
import { imports } from '../../../test/imports.ts';
import { made, madeFormats } from '../../../test/madeTranscripts.ts';
import { piecesOf } from '../log/transcripts/lines.ts';
import { buildContext } from './build.ts';
import { itemsOf } from './items.ts';
import { readSources } from './sources.ts';

const { db, here, load } = await imports();
const reader = {
  query: async (prepared: { name: string; text: string }, values: unknown[]) =>
    (await db.pool.query<object>({ ...prepared, values })).rows,
};
async function itemsNow(): Promise<Record<string, string>> {
  const sources = (await readSources(reader, here.id))!;
  const context = buildContext(sources, { summary: null, variables: {}, instructions: null });
  return Object.fromEntries(itemsOf(context, { reason: null }).map(({ id, content }) => [id, content]));
}
const texts = { said: 'Find out how panes are listed.', answer: 'They are listed by `tmux list-panes`.' };

it.for(madeFormats)(
  'a session with only the transcript of a sub-agent has its request and its report: %s',
  async (format) => {
    await load(piecesOf(made[format](texts)), { sidechain: true });
    expect(await itemsNow()).toMatchObject({ 'request-1': texts.said, 'last-message-1': texts.answer });
  },
);

it('beside what people and their agent said, the words of a sub-agent are neither a request nor the last message', async () => {
  const own = { said: 'Mend the list of panes.', answer: 'The list is mended.' };
  await load(piecesOf(made.CLAUDE_CODE(own)));
  await load(piecesOf(made.CODEX(texts)), { sidechain: true });
  expect(await itemsNow()).toMatchObject({ 'request-1': own.said, 'last-message-1': own.answer });
});
