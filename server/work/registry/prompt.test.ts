import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { unknownId } from '../../../test/refusals.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

const db = await testDatabase();
const { url } = await startApp(db, {
  variables: { BATON_ADMIN_KEY: adminKey, BATON_URL: 'https://baton.example.com' },
});
const { agent, session, turn } = world(db.pool);
await agent('ada', {
  instructions: 'I am $AGENT_ID in ${SESSION_ID} on $BRANCH at $BATON_URL. Do ${TASK}; price $5; $EXTERNAL_ID.',
});
await agent('bob');
const asAdmin = client(url, { key: adminKey });
const asAda = client(url, { key: await secretFor(db.pool, 'AGENT', 'ada') });

const prompt = (variables: object | null, { id = 'ada', sessionId = null as string | null, as = asAdmin } = {}) =>
  as.post<{ agent: { prompt: { text: string; missing: string[]; unused: string[] } } | null } | null>(
    'query ($id: ID!, $variables: JSON, $sessionId: ID) { agent(id: $id) { prompt(variables: $variables, sessionId: $sessionId) { text missing unused } } }',
    { id, variables, sessionId },
  );

describe('Agent.prompt', () => {
  it('fills in the given variables and those of the session, and names the missing and the unused', async () => {
    const uuid = await session('ada', { externalId: 'TICKET-7' });
    await turn(uuid, { workspace: { folder: '/w', branch: 'old', commit: null } });
    await turn(uuid, { workspace: { folder: '/w', branch: 'feature/x', commit: null } });
    await turn(uuid);
    const sessionId = encodeId('session', uuid);
    const { data } = await prompt({ TASK: { steps: ['$AGENT_ID'] }, OTHER: 1 }, { sessionId });
    expect(data!.agent!.prompt).toEqual({
      text: `I am ada in ${sessionId} on feature/x at https://baton.example.com. Do {"steps":["$AGENT_ID"]}; price $5; TICKET-7.`,
      missing: [],
      unused: ['OTHER'],
    });
  });

  it('leaves variables without a value in the text, and is empty without instructions', async () => {
    const { data } = await prompt({ TASK: null });
    expect(data!.agent!.prompt.missing).toEqual(['SESSION_ID', 'BRANCH', 'TASK', 'EXTERNAL_ID']);
    expect(data!.agent!.prompt.text).toContain('Do ${TASK};');
    expect((await prompt({ A: 1 }, { id: 'bob' })).data!.agent!.prompt).toEqual({
      text: '',
      missing: [],
      unused: ['A'],
    });
  });

  it('is NOT_FOUND for a session that the caller may not read, or that does not exist', async () => {
    const foreign = encodeId('session', await session('bob'));
    expect((await prompt(null, { sessionId: foreign, as: asAda })).errors).toMatchObject([
      { extensions: { code: 'NOT_FOUND' } },
    ]);
    expect((await prompt(null, { sessionId: unknownId('session') })).errors).toMatchObject([
      { extensions: { code: 'NOT_FOUND' } },
    ]);
    expect((await prompt(null, { sessionId: foreign })).errors).toBeUndefined();
  });

  it('is FORBIDDEN for another agent', async () => {
    expect((await prompt(null, { id: 'bob', as: asAda })).errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ]);
  });

  it('refuses values that are no object, and a text over 256 KB', async () => {
    await agent('loud', { instructions: '$A'.repeat(1_000) });
    expect((await prompt([1])).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', path: ['variables'] } }]);
    const { errors } = await prompt({ A: 'x'.repeat(1_000) }, { id: 'loud' });
    expect(errors).toMatchObject([
      {
        message: 'variables would make the prompt longer than 262144 characters: give shorter values',
        extensions: { code: 'BAD_USER_INPUT', path: ['variables'] },
      },
    ]);
  });
});
