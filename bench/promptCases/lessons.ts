import { file as named, says } from './facts.ts';
import type { Story } from './stories.ts';
import { type Choice, path, routine, sentence, source } from './vocabulary.ts';

/** What an agent found on its way, in short messages, and what it reported twice. */
export const found = (c: Choice): Story => {
  const [file, other] = [`src/${c.number()}.ts`, `tests/${c.number()}.ts`];
  const [part, kept, late] = [sentence(c), sentence(c), sentence(c)];
  const lessons = [
    `The suite in \`${other}\` can't reach the rows of \`${file}\`. I need to share one of ${c.number()} connections.`,
    `The fixture \`${c.number()}.json\` has no \`agent_id\` at its top level.`,
    `\`${file}\` was added by force: the folder is ignored.`,
    `测试进程无法访问 \`${file}\` 的连接，共享模式才行，见 ${c.number()}。`,
  ];
  const progress = ['All 49 tests pass.', 'Clean compile.', 'The folder is there.', 'JS build succeeds.', '编译通过。'];
  const first = `**Done**\n- \`${file}\`: ${part} (\`${file}:${c.below(90)}\`).\n- \`${other}\`: ${kept}.\n\n**Next steps**\n1. See that ${late}.`;
  const last = `**Done again**\n- \`${file}\`: now ${part} (\`${file}:${c.below(90)}\`), and ${sentence(c)}.\n- ${sentence(c)}.\n- ${sentence(c)}.`;
  const said = [...lessons, ...progress];
  return {
    legs: [
      {
        steps: [
          { person: `Write ${file} so that ${sentence(c)}.` },
          ...routine(c, 3),
          { agent: first },
          { person: `Again, so that ${sentence(c)}.` },
          ...said.flatMap((agent) => [
            { agent: `${agent} ${/[。]$/.test(agent) ? '接下来我来看一下。' : 'Let me look at it.'}` },
            ...routine(c, 1),
          ]),
          { agent: last },
        ],
      },
    ],
    facts: [...lessons, kept, late, last].map(says),
    forbidden: [...progress, `${part} (\`${file}`, 'Let me look at it.', '接下来我来看一下。', 'Tasks left: 0'],
  };
};

/** What failed and what worked instead, beside what only had to be tried again. */
export const solved = (c: Choice): Story => {
  const [script, folder, branch] = [`tools/s${c.number()}.sh`, `web${c.number()}`, `b${c.number()}`];
  const tried = `deploy${c.number()} status`;
  const mended = `Could not resolve "js/a${c.number()}.js"`;
  return {
    legs: [
      {
        steps: [
          { person: `Build it so that ${sentence(c)}.` },
          { run: `./${script} --json`, output: `/usr/bin/env: 'bash\\r': No such file or directory`, code: 127 },
          { run: `perl -pi -e 's/\\r$//' ${script}`, output: '', code: 0 },
          { run: `./${script} --json`, output: '{}', code: 0 },
          { run: `python t${c.number()}.py`, output: 'bash: line 1: python: command not found', code: 127 },
          { run: `python3 t${c.number()}.py`, output: 'ok', code: 0 },
          { run: `node ${folder}/make.js`, output: mended, code: 1 },
          { run: `cd ${folder} && node make.js`, output: 'made', code: 0 },
          { run: 'git push', output: `fatal: The current branch ${branch} has no upstream branch.`, code: 128 },
          { run: `git push --set-upstream origin ${branch}`, output: 'pushed', code: 0 },
          { run: `./tools/up${branch} --now`, output: `error: no service stock${folder}`, code: 1 },
          { run: `systemctl start stock${folder}`, output: '', code: 0 },
          { run: `./tools/up${branch} --now`, output: 'up', code: 0 },
          { run: tried, output: 'error: 503', code: 1 },
          { run: tried, output: 'up', code: 0 },
          { run: 'gti status', output: 'bash: line 1: gti: command not found', code: 127 },
          { run: 'git status', output: 'clean', code: 0 },
          { run: 'npm run seed', output: 'error: no rows', code: 1 },
          { edit: 'src/seed.ts' },
          { run: 'npm run seed', output: 'seeded', code: 0 },
          { agent: `It is built: ${sentence(c)}, ${sentence(c)}, and ${sentence(c)}.` },
        ],
      },
    ],
    facts: [
      'No such file or directory; worked: perl',
      'python: command not found; worked: python3',
      `error: no service stock${folder}; worked: systemctl start stock${folder}`,
      `${mended}; worked: cd ${folder} && node make.js`,
      `has no upstream branch.; worked: git push --set-upstream origin ${branch}`,
    ].map(says),
    forbidden: [tried, 'gti status', 'error: no rows'],
  };
};

/** Tasks in a file, a report whose next steps stand at its end, and an offer that a person took before a question. */
export const leftOpen = (c: Choice): Story => {
  const file = `docs/tasks-${c.number()}.md`;
  const open = Array.from({ length: 3 }, (_, n) => `T00${n + 2} ${sentence(c)}`);
  const report = `I looked at all of it.\n\n${Array.from({ length: 60 }, () => `- ${sentence(c)}.`).join('\n')}\n\nNext:\n1. ${sentence(c)}`;
  const offer = `Shall I also add the option ${c.number()}?`;
  return {
    legs: [
      {
        steps: [
          { person: `Plan it so that ${sentence(c)}.` },
          {
            run: `cat <<'EOF' > ${file}\n- [x] T001 done\n${open.map((task) => `- [ ] ${task}`).join('\n')}\nEOF`,
            output: '',
            code: 0,
          },
          { agent: report },
          { person: `Fine. What of ${c.number()}?` },
          { agent: `It holds. ${offer}` },
          { person: `可以，那么 ${c.number()} 呢` },
          { agent: `That is not touched: ${sentence(c)}.` },
        ],
      },
    ],
    facts: ['(3 open)', ...open, `(to: ${offer})`, report.slice(-50)].map(says),
    forbidden: ['T001 done', 'Tasks left: 0'],
  };
};

/** What was looked at and run before an account that does not tell it, and after it, before the agent was cut off. */
export const looked = (c: Choice): Story => {
  const [file, last] = [path(c), path(c)];
  const [sought, issue, server, inVain] = [c.number(), c.number(), c.number(), c.number()];
  const [defined, state] = [sentence(c), sentence(c)];
  return {
    legs: [
      {
        steps: [
          { person: `Mend issue ${issue} so that ${sentence(c)}.` },
          { run: `tracker show I-${issue}`, output: `I-${issue}: ${defined}`, code: 0 },
          { run: `rg -n key${sought} src`, output: '', code: 1 },
          { read: file, output: source(c) },
          { run: `serve --port ${server}`, background: true },
          { edit: `src/${c.number()}.ts` },
          { agent: `It is mended: ${sentence(c)}, ${sentence(c)}, and ${sentence(c)}.` },
          { person: `And the other one? ${sentence(c)}` },
          { read: last, output: source(c) },
          { run: `rg -n key${inVain} src`, output: '', code: 1 },
          { run: 'queue state', output: state, code: 0 },
          { notice: 'interrupt', text: `The person stopped it after ${c.number()} s.` },
        ],
      },
    ],
    facts: [
      named(file),
      named(last),
      ...[defined, state, `serve --port ${server}`, 'started in the background, and not seen to end'].map(says),
      ...[sought, inVain].map((n) => says(`rg -n key${n} src`)),
    ],
  };
};
