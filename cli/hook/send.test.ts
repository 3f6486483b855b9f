import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { calls, entry, listen, passOn, resultOf, uploadsTo, workplace } from '../../test/hooks.ts';
import { hookServer } from '../../test/hookServer.ts';
import { world } from '../../test/world.ts';
import { encodeId } from '../../server/core/ids.ts';

const { database, url, sessionOf, eventually } = await hookServer();

describe('after a turn', () => {
  it('imports only what is new, and each turn as one', async () => {
    const counted = await uploadsTo(url);
    const place = workplace(counted.url);
    const turn = (n: number): object[] => [
      entry('user', `Question ${n}`),
      calls('Bash', `call-${n}`, { command: 'x'.repeat(10_000) }),
      resultOf(`call-${n}`, 'ok'),
      entry('assistant', [{ type: 'text', text: `Answer ${n}` }]),
    ];
    const sizes: number[] = [];
    for (const n of [1, 2, 3]) {
      const before = statSync(place.transcript).size;
      place.write(...turn(n));
      sizes.push(statSync(place.transcript).size - before);
      await place.hook('Stop');
      await eventually(place, {
        turns: n,
        messages: [1, 2, 3].slice(0, n).flatMap((m) => [`Question ${m}`, `Answer ${m}`]),
      });
      await vi.waitFor(() => expect(counted.uploads).toEqual(sizes), { timeout: 60_000 });
    }
    expect((await sessionOf(place))!.calls).toEqual([1, 2, 3].map((n) => `call-${n}: ok`));
  });

  it('continues a turn that still ran at a compaction, with the results of its open calls', async () => {
    const counted = await uploadsTo(url);
    const place = workplace(counted.url);
    place.write(
      entry('user', 'Dig.'),
      calls('Bash', 'first', { command: 'x'.repeat(10_000) }),
      resultOf('first', 'done'),
      calls('Bash', 'dig', { command: 'dig' }),
    );
    await place.hook('PreCompact', { trigger: 'auto' });
    await eventually(place, { messages: ['Dig.'], calls: ['first: done', 'dig: open'] });
    place.write(resultOf('dig', 'deep'), entry('assistant', [{ type: 'text', text: 'Dug.' }]));
    await place.hook('Stop');
    await eventually(place, { turns: 1, messages: ['Dig.', 'Dug.'], calls: ['first: done', 'dig: deep'] });
    // Between the two parts of the turn the compaction was announced. The second part is without what Baton has.
    expect(counted.uploads).toEqual([expect.any(Number), 0, expect.toSatisfy((bytes: number) => bytes < 2_000)]);
  });

  it('waits for the lines that the tool writes after its event, so that the turn is whole', async () => {
    const counted = await uploadsTo(url);
    const place = workplace(counted.url);
    place.write(entry('user', 'Dig.'), entry('assistant', [{ type: 'text', text: 'Dug "it".' }]));
    await place.hook('Stop', { last_assistant_message: 'Dug "it".' });
    await eventually(place, { turns: 1, messages: ['Dig.', 'Dug "it".'] });
    place.write(entry('user', 'Dig deeper.'), calls('Bash', 'dig', { command: 'dig' }));
    await place.hook('Stop', { last_assistant_message: 'Dug "it".' });
    place.write(resultOf('dig', 'deep'), entry('assistant', [{ type: 'text', text: 'Dug "it".' }]));
    await eventually(place, {
      turns: 2,
      messages: ['Dig.', 'Dug "it".', 'Dig deeper.', 'Dug "it".'],
      calls: ['dig: deep'],
    });
    expect(counted.uploads).toHaveLength(2);
  });

  it('goes on with the session from which Baton wrote the transcript, in any folder', async () => {
    const id = await world(database.pool).session('claude-1', { title: 'From elsewhere' });
    const place = workplace(url);
    writeFileSync(
      place.transcript,
      await (await fetch(`${url}/sessions/${encodeId('session', id)}.claude-code.jsonl`)).text(),
    );
    expect((await place.hook('SessionStart', { source: 'resume' })).context).toContain(encodeId('session', id));
    place.write(entry('user', 'Dig.'), entry('assistant', [{ type: 'text', text: 'Dug.' }]));
    await place.hook('Stop', { last_assistant_message: 'Dug.' });
    await vi.waitFor(
      async () =>
        expect(
          (await database.pool.query('SELECT content FROM messages WHERE session_id = $1 ORDER BY sequence', [id]))
            .rows,
        ).toEqual([{ content: 'Dig.' }, { content: 'Dug.' }]),
      { timeout: 60_000 },
    );
    expect([await sessionOf(place), place.logged()]).toEqual([null, []]);
  });

  it('keeps the tasks of earlier turns when a later one changes a single task', async () => {
    const place = workplace(url);
    const created = (n: number, subject: string): object[] => [
      calls('TaskCreate', `task-${n}`, { subject }),
      resultOf(`task-${n}`, `Task #${n} created`, { task: { id: String(n), subject } }),
    ];
    place.write(entry('user', 'Plan.'), ...created(1, 'Dig'), ...created(2, 'Water'));
    await place.hook('Stop');
    await eventually(place, { tasks: ['Dig: PENDING', 'Water: PENDING'] });
    place.write(entry('user', 'Begin.'), entry('assistant', [{ type: 'text', text: 'I begin.' }]));
    await place.hook('Stop');
    await eventually(place, { turns: 2 });
    place.write(
      entry('user', 'Go on.'),
      calls('TaskUpdate', 'done-1', { taskId: '1', status: 'completed' }),
      resultOf('done-1', 'Updated'),
    );
    await place.hook('Stop');
    await eventually(place, { turns: 3, tasks: ['Dig: DONE', 'Water: PENDING'] });
    expect((await sessionOf(place))!.calls).toHaveLength(3);
  });

  it('sends what a killed program left of its last turn when the next conversation starts, each line once', async () => {
    const place = workplace(url);
    await place.hook('SessionStart');
    place.write(entry('user', 'Dig.'), calls('Bash', 'dig', { command: 'dig' }), resultOf('dig', 'deep'));
    const next = join(place.transcript, '../next.jsonl');
    writeFileSync(next, '');
    const start = () => place.hook('SessionStart', { transcript_path: next });
    await start();
    await eventually(place, { turns: 1, messages: ['Dig.'], calls: ['dig: deep'] });
    await start();
    // It was not killed after all.
    place.write(entry('assistant', [{ type: 'text', text: 'Dug.' }]));
    await place.hook('Stop');
    await eventually(place, { turns: 1, messages: ['Dig.', 'Dug.'], calls: ['dig: deep'] });
    expect(place.logged()).toEqual([]);
  });

  it.each([
    ['Baton was away at the start of the next conversation', () => true],
    [
      'Baton did not take its lines at the start of the next conversation',
      (path: string) => path.includes('/transcript'),
    ],
  ])('sends what a killed program left also when %s', async (_what, refuses) => {
    let isAway = false;
    const server = await listen(
      createServer((request, response) =>
        isAway && refuses(request.url!) ? void response.writeHead(503).end() : void passOn(url, request, response),
      ),
    );
    const place = workplace(server);
    const start = (name: string) => {
      const path = join(place.transcript, '..', name);
      writeFileSync(path, '');
      return place.hook('SessionStart', { transcript_path: path });
    };
    await place.hook('SessionStart');
    place.write(entry('user', 'Dig.'), calls('Bash', 'dig', { command: 'dig' }), resultOf('dig', 'deep'));
    isAway = true;
    await start('second.jsonl');
    await vi.waitFor(() => expect(place.logged()).not.toEqual([]), { timeout: 60_000 });
    expect(await sessionOf(place)).toMatchObject({ messages: [] });
    isAway = false;
    await start('third.jsonl');
    await eventually(place, { turns: 1, messages: ['Dig.'], calls: ['dig: deep'] });
  });

  it('imports once what two events send at the same time', async () => {
    const place = workplace(url);
    place.write(entry('user', 'Dig.'), entry('assistant', [{ type: 'text', text: 'Dug.' }]));
    await Promise.all(['Stop', 'PreCompact', 'SessionEnd', 'Stop'].map((event) => place.hook(event)));
    await eventually(place, { turns: 1, messages: ['Dig.', 'Dug.'] });
    expect(place.logged()).toEqual([]);
  });
});
