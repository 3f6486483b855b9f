import { hostname } from 'node:os';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testDatabase } from './database.ts';
import { client } from './graphql.ts';
import { brokenInvariants } from './invariants.ts';
import { claudeArgs, codexArgs, codingPrograms, mcp, mcpOfClaude, relayPlace } from './relaying.ts';
import { startServer } from './server.ts';
import { world } from './world.ts';

// A person decides between the real command lines of Claude Code and Codex, by their hooks and MCP. A script plays the models.
vi.setConfig({ testTimeout: 300_000 });
const patience = { timeout: 120_000, interval: 100 };

const programs = codingPrograms();

describe.skipIf(programs.claude === null || programs.codex === null)(
  'a person between Claude Code and Codex',
  async () => {
    const database = await testDatabase();
    const { url } = await startServer({ databaseUrl: database.url });
    const { models, execute, repository } = await relayPlace(url);
    const { agent } = world(database.pool);
    const { post } = client(url);

    beforeAll(async () => {
      await agent('claude-1', { maxCapacity: 100 });
      await agent('codex-1', { type: 'CODEX', maxCapacity: 100 });
    });

    interface Found {
      id: string;
      status: string;
      agent: { id: string };
      lastHandoff: { id: string; status: string; contentHash: string };
      approval: { kind: string; id: string } | null;
    }
    const workIn = async (folder: string): Promise<Found> =>
      (
        await post<{ session: Found }>(
          'query ($id: String) { session(externalId: $id) { id status agent { id } approval { kind id } lastHandoff { id status contentHash } } }',
          { id: `${hostname()}:${folder}#main` },
        )
      ).data.session;
    const decide = async (mutation: string, input: object): Promise<void> => {
      const type = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
      const { data } = await post(
        `mutation ($input: ${type}Input!) { answer: ${mutation}(input: $input) { __typename ... on Error { message } } }`,
        { input },
      );
      expect(data).toEqual({ answer: { __typename: `${type}Payload` } });
    };
    const askClaude = (folder: string, words: string, ...more: string[]) =>
      execute(folder, programs.claude!, [...more, ...claudeArgs, '--', words]);
    /** What a model was asked from then on, without what only its program asks. */
    const asked = (of: 'claude' | 'codex', from: number): string =>
      JSON.stringify(
        models[of].received
          .slice(from)
          .map(({ body }) => body)
          .filter(({ tools }) => ((tools as object[] | undefined) ?? []).length > 0),
      );

    /** Claude Code works, hands off to Codex, and ends its turn: a person has to decide. */
    async function proposed(name: string): Promise<{ folder: string; handoffId: string }> {
      const folder = await repository(name);
      await decide('updateAgent', {
        id: 'claude-1',
        collaborations: [{ agentId: 'codex-1', approval: 'REQUIRED' }],
      });
      models.claude.say(
        { calls: [mcpOfClaude('toolu_1', 'transfer_to_codex-1', { reason: 'Translate it' })] },
        { text: 'A person decides now.' },
      );
      const before = models.claude.received.length;
      expect(await askClaude(folder, 'Write a greeting.')).toContain('A person decides now.');
      expect(asked('claude', before)).toMatch(/person has to approve[^"]*End your turn/);
      await vi.waitFor(
        async () =>
          expect(await workIn(folder)).toMatchObject({
            status: 'RUNNING',
            agent: { id: 'claude-1' },
            approval: { kind: 'HANDOFF' },
            lastHandoff: { status: 'PROPOSED' },
          }),
        patience,
      );
      return { folder, handoffId: (await workIn(folder)).lastHandoff.id };
    }

    it('is seen by Codex as what the person made of the handoff: edited, with a note that says so', async () => {
      const { folder, handoffId } = await proposed('approved');
      await decide('approveHandoff', {
        handoffId,
        edits: {
          reason: 'Translate it into German',
          summary: 'Only the greeting counts.',
          instructions: 'Use no slang.',
        },
        note: 'Fine',
      });
      expect(await workIn(folder)).toMatchObject({ agent: { id: 'codex-1' }, lastHandoff: { status: 'INITIATED' } });
      const before = models.codex.received.length;
      models.codex.say({ calls: [mcp('call_1', 'baton_accept', {})] }, { text: 'Translated.' });
      expect(await execute(folder, programs.codex!, [...codexArgs, 'Take it over.'])).toContain('Translated.');
      const read = asked('codex', before);
      for (const words of [
        '# Handoff from claude-1 to codex-1',
        'Translate it into German',
        'Only the greeting counts.',
        'Use no slang.',
        'Write a greeting.',
      ])
        expect([words, read.includes(words)]).toEqual([words, true]);
      expect(read).toMatch(/An operator edited this handoff before approving it: reason, summary, instructions/);
      // Claude Code hears that it does not hold the work any more, and why.
      const after = models.claude.received.length;
      models.claude.say({ text: 'Then I stop.' });
      expect(await askClaude(folder, 'Go on.', '--continue')).toContain('Then I stop.');
      const heard = asked('claude', after);
      expect(
        heard.split(`Your handoff ${handoffId} to 'codex-1' was approved by a person, who changed reason`),
      ).toHaveLength(2);
      expect(heard).toContain('Agent codex-1 holds the work of this folder');
      expect(await brokenInvariants(database.pool)).toEqual([]);
    });

    it('is heard by Claude Code before its next prompt, once, when the person declines', async () => {
      const { folder, handoffId } = await proposed('declined');
      await decide('declineHandoff', { handoffId, reason: 'Write the tests first' });
      const before = models.claude.received.length;
      const line = `Your handoff ${handoffId} to 'codex-1' was declined by a person: you hold`;
      models.claude.say({ text: 'I write them.' });
      expect(await askClaude(folder, 'Go on.', '--continue')).toContain('I write them.');
      const read = asked('claude', before);
      expect(read.split(line)).toHaveLength(2);
      expect(read).toContain('Write the tests first');
      const after = models.claude.received.length;
      models.claude.say({ text: 'Written.' });
      expect(await askClaude(folder, 'And now?', '--continue')).toContain('Written.');
      // It stands in the conversation, where it was said.
      expect(asked('claude', after).split(line).length).toBe(2);
      expect(await workIn(folder)).toMatchObject({ status: 'RUNNING', agent: { id: 'claude-1' }, approval: null });
      expect(await brokenInvariants(database.pool)).toEqual([]);
    });

    it('answers a question of Claude Code, which hears the answer before its next prompt, once', async () => {
      const folder = await repository('asked');
      models.claude.say(
        { calls: [mcpOfClaude('toolu_3', 'baton_note', { text: 'Begun.' })] },
        { calls: [mcpOfClaude('toolu_4', 'baton_ask', { question: 'Which port?' })] },
        { text: 'I wait for the answer.' },
      );
      expect(await askClaude(folder, 'Start the server.')).toContain('I wait for the answer.');
      const { approval, status } = await workIn(folder);
      expect({ approval, status }).toMatchObject({ status: 'PAUSED', approval: { kind: 'QUESTION' } });
      await decide('answerQuestion', { questionId: approval!.id, answer: 'Take 8080' });
      for (const words of ['Go on.', 'And now?']) {
        const before = models.claude.received.length;
        models.claude.say({ text: 'On 8080.' });
        expect(await askClaude(folder, words, '--continue')).toContain('On 8080.');
        expect(asked('claude', before).split(/A person answered your question [^.]*Take 8080/)).toHaveLength(2);
      }
      expect(await workIn(folder)).toMatchObject({ status: 'RUNNING', agent: { id: 'claude-1' }, approval: null });
      expect(await brokenInvariants(database.pool)).toEqual([]);
    });
  },
);
