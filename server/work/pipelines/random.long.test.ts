import { it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { runRandomStories } from '../../../test/randomStories.ts';

const db = await testDatabase();

it('loses none of a thousand random sessions in random pipelines, and has none in two stages', async () => {
  await runRandomStories(db, 1_000, 'max');
}, 600_000);
