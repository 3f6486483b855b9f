import tab from '@bomb.sh/tab';
import { commandLine } from '../server/core/place.ts';
import { withApi } from './api.ts';
import { UsageError, type Command, type Entry } from './command.ts';
import { serverUrl } from './serverUrl.ts';

const shells = ['bash', 'zsh', 'fish'];

const usage = `${commandLine('complete <bash, zsh or fish>')}

Prints what makes a shell complete the commands of baton, their options, and the names of agents of the server that it finds. In bash, for one session:

  source <(baton complete bash)

Put this line into ~/.bashrc, or with zsh into ~/.zshrc, for all sessions; fish reads it by 'baton complete fish | source'. bash needs the
package bash-completion.`;

/** One Tab waits no longer for the names of agents. */
const askedMs = 1_000;

/** The command that completes the others. */
export const completeFor = (commands: Record<string, Entry>): Command => ({
  usage,
  async run([shell = '', ...words]) {
    if (shell === '--') return answer(commands, words);
    if (!shells.includes(shell) || words.length > 0) throw new UsageError();
    tab.setup('baton', 'baton', shell);
  },
});

/** Prints what may stand in the place of the last word. */
async function answer(commands: Record<string, Entry>, words: string[]): Promise<void> {
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const command = tab.command(name, summary);
    const parts = name.split(' ');
    if (words.length <= parts.length || parts.some((part, index) => words[index] !== part)) continue;
    // A command of two words is found below the first of them.
    if (parts.length > 1) tab.command(parts[0]!, summary);
    const text = (await load()).usage;
    const agents = /[<[]agent/.test(text) ? await agentsOf() : [];
    const list = (complete: (id: string, name: string) => void): void => agents.forEach(([id, of]) => complete(id, of));
    for (const { option, value, summary: says } of optionsOf(text)) {
      if (value === 'agent') command.option(option, says, list);
      // With a handler it takes a value.
      else if (value !== undefined) command.option(option, says, () => undefined);
      else command.option(option, says);
    }
    if (/^(?:npm run|baton) [a-z]+ (?:-- )?[<[]agent/.test(text)) command.argument('agent', list);
  }
  tab.parse(words);
}

/** The options that a usage lists, with the name of their value. */
export const optionsOf = (text: string): { option: string; value: string | undefined; summary: string }[] =>
  [...text.matchAll(/^ {2}--([\w-]+)(?: <([\w ]+)>)? {2,}(.+)$/gm)].map(([, option, value, summary]) => ({
    option: option!,
    value,
    summary: summary!,
  }));

/** Ids and names; none when no server answers. */
async function agentsOf(): Promise<[id: string, name: string][]> {
  const query = '{ agents(first: 100) { nodes { id name } } }';
  type Page = { agents: { nodes: { id: string; name: string }[] } };
  const asked = withApi(serverUrl(undefined), (ask) => ask<Page>(query, {})).then(
    ({ agents }) => agents.nodes.map(({ id, name }): [string, string] => [id, name]),
    () => [],
  );
  return Promise.race([asked, new Promise<[]>((resolve) => setTimeout(() => resolve([]), askedMs).unref())]);
}
