import { expect, it } from 'vitest';
import { keyedDashboard } from '../../test/keyedDashboard.ts';

const { keys, signIn } = await keyedDashboard();

const offers: [
  role: 'AGENT' | 'SOURCE' | 'ANALYST' | 'OPERATOR',
  who: string,
  acts: { decide: boolean; cancel: boolean; reassign: boolean },
][] = [
  ['AGENT', 'the target', { decide: true, cancel: false, reassign: false }],
  ['SOURCE', 'the source', { decide: false, cancel: true, reassign: false }],
  ['ANALYST', 'an analyst', { decide: false, cancel: false, reassign: false }],
  ['OPERATOR', 'an operator', { decide: true, cancel: true, reassign: true }],
];
it.each(offers)(
  'offers on each page the actions of %s, %s, without an error',
  async (role, _who, { decide, cancel, reassign: mayReassign }) => {
    const { page, faults } = await signIn('/sessions', keys[role]);
    await page.getByText('Add rate limits').waitFor();
    const refused: string[] = [];
    page.on('response', (response) => {
      const note = (text: string) => void (text.includes('"errors"') && refused.push(text.slice(0, 300)));
      if (response.url().endsWith('/graphql')) void response.text().then(note, () => undefined);
    });
    const offered = async () => ({
      decide: (await page.getByRole('button', { name: 'Accept "Add rate limits"' }).count()) > 0,
      reject: (await page.getByRole('button', { name: 'Reject "Add rate limits"' }).count()) > 0,
      cancel: (await page.getByRole('button', { name: 'Cancel the handoff of "Add rate limits"' }).count()) > 0,
      reassign: (await page.getByRole('button', { name: 'Reassign' }).count()) > 0,
    });

    expect(await page.getByRole('button', { name: 'New session' }).count()).toBe(role === 'ANALYST' ? 0 : 1);
    expect(await page.getByRole('checkbox', { name: 'Select Add rate limits' }).count()).toBe(mayReassign ? 1 : 0);

    // The session, with all that was said and passed on.
    await page.getByRole('link', { name: 'Add rate limits', exact: true }).click();
    await page.getByText('Half of it is done.').waitFor();
    await page.getByText('Not accepted yet', { exact: true }).first().waitFor();
    expect(await offered()).toEqual({ decide, reject: decide, cancel, reassign: mayReassign });
    // An agent steers what it holds once it has accepted, and cancels no session.
    await page.getByRole('combobox', { name: 'More acts on this session' }).click();
    const steering = [
      'Pause this session',
      'Complete this session …',
      'Fail this session …',
      'Cancel this session …',
      'Import a transcript into this session …',
    ];
    expect(await page.getByRole('option').allInnerTexts()).toEqual([
      ...(mayReassign ? steering : []),
      'Copy the id of this session',
    ]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Context prompt' }).click();
    await page.getByLabel('Context prompt', { exact: true }).getByText('Half of it is done.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /^Snapshots/ }).click();
    await page.getByRole('table').getByText('Handoff started').waitFor();
    await page.getByRole('link', { name: /^Handoffs ?1/ }).click();
    await page.getByRole('button', { name: 'Context of handoff 1' }).click();

    // The handoff.
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('region', { name: 'Context', exact: true }).waitFor();
    expect(await offered()).toEqual({ decide, reject: decide, cancel, reassign: false });

    // The inbox: an agent sees its own first, people see every agent's.
    await page.getByRole('link', { name: /^Inbox\b/ }).click();
    if (role === 'SOURCE') await page.getByText('Every handoff to claude-1 was answered.').waitFor();
    else await page.getByRole('heading', { name: 'Add rate limits' }).waitFor();
    expect(await offered()).toEqual({ decide, reject: decide, cancel: cancel && role !== 'SOURCE', reassign: false });
    const isAgent = role === 'AGENT' || role === 'SOURCE';
    expect(await page.getByRole('combobox', { name: 'Agent' }).count()).toBe(isAgent ? 0 : 1);

    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByText('2 of 2 agents').waitFor();
    expect(await page.getByRole('group', { name: /^Status of/ }).count()).toBe(mayReassign ? 2 : 0);
    expect(await page.getByRole('button', { name: 'Register an agent' }).count()).toBe(mayReassign ? 1 : 0);
    // An agent's page: all of it is for people and for the agent itself.
    await page.getByRole('link', { name: 'codex-1', exact: true }).click();
    await page.getByRole('heading', { name: 'codex-1', level: 1 }).waitFor();
    await (
      role === 'SOURCE' ? page.getByText('of itself only.') : page.getByText('Its model gets no handoff tool.')
    ).waitFor();
    expect(await page.getByRole('button', { name: 'Take out …' }).count()).toBe(mayReassign ? 1 : 0);
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByText('There are no handoff tools yet.').waitFor();
    expect(await page.getByRole('link', { name: 'New tool' }).count()).toBe(mayReassign ? 1 : 0);
    await page.getByRole('link', { name: 'Handoffs', exact: true }).click();
    await page.getByText('1 of 1 handoff').waitFor();
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.getByRole('link', { name: /^1 handoff from claude-1 to codex-1/ }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(refused).toEqual([]);
    expect(faults).toEqual([]);
  },
  120_000,
);
