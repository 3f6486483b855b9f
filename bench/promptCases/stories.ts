import { batonPrompt } from '../../server/work/log/transcripts/batonPrompt.ts';
import { file, says, type Fact } from './facts.ts';
import type { Notice, Program, Step } from './story.ts';
import {
  aside,
  type Choice,
  notice,
  nouns,
  path,
  reading,
  routine,
  sentence,
  sentences,
  source,
} from './vocabulary.ts';

export interface Story {
  legs: readonly { steps: readonly Step[]; reason?: string }[];
  facts: readonly Fact[];
  /** Whether all of it is the work of one sub-agent. */
  sidechain?: true;
  /** Besides notices, asides, files that were read and prompts of sub-agents. */
  forbidden?: readonly string[];
}

export const stories: Record<string, (c: Choice, program: Program) => Story> = {
  'corrections of a request': (c) => {
    const asked = Array.from(
      { length: 6 },
      (_, n) => `${n === 0 ? 'Please make sure that' : 'No, instead see to it that'} ${sentence(c)}.`,
    );
    const done = `Done as asked: ${sentence(c)}.`;
    return {
      legs: [{ steps: [...asked.flatMap((text) => [{ person: text }, ...routine(c, 4)]), { agent: done }] }],
      facts: [...asked, done].map(says),
    };
  },
  'a decisive message long ago': (c) => {
    const request = `Rewrite the importer so that ${sentence(c)}.`;
    const rule = `One thing before you go on: never change the public names, because ${sentence(c)}.`;
    const finding = `The cause is found: ${sentence(c)}. The plan is to keep the old column until ${sentence(c)}.`;
    const last = `The importer works. Still open: ${sentence(c)}.`;
    const steps: Step[] = [
      { person: request },
      ...routine(c, 5),
      { person: rule },
      ...routine(c, 5),
      { agent: finding },
    ];
    for (let n = 0; n < 70; n += 1)
      steps.push({ person: c.of(['go on', 'yes', 'ok, next one', 'continue please']) }, ...routine(c, 2), {
        agent: `Step ${n} is done.`,
      });
    return { legs: [{ steps: [...steps, { agent: last }] }], facts: [request, rule, finding, last].map(says) };
  },
  'many files in many folders': (c) => {
    const files = [...new Set(Array.from({ length: 120 }, () => path(c)))];
    const request = `Rename the type everywhere; ${sentence(c)}.`;
    return {
      legs: [{ steps: [{ person: request }, ...files.map((edit) => ({ edit })), { agent: 'All files are renamed.' }] }],
      facts: [says(request), ...files.map(file)],
    };
  },
  'files changed by the shell': (c) => {
    const [here, there, sed, teed, moved, copied, gone, renamed, patched, appended, formatted, refused, code] =
      Array.from({ length: 13 }, () => path(c));
    const [to, copy, next] = [path(c), path(c), path(c)];
    const ok = (run: string, output = ''): Step => ({ run, output, code: 0 });
    return {
      legs: [
        {
          steps: [
            { person: `Move the modules; ${sentence(c)}.` },
            ok(`cat > ${here} <<'EOF'\nexport const a = 1;\nEOF`),
            ok(`mkdir -p x && echo "export {}" > ${there}`),
            ok(`sed -i 's/a/b/' ${sed}`),
            ok(`printf 'x' | tee -a ${teed} > /dev/null`),
            ok(`mv ${moved} ${to}`),
            ok(`cp ${copied} ${copy}`),
            ok(`rm -f ${gone}`),
            ok(`git mv ${renamed} ${next}`),
            ok(`git apply - <<'EOF'\n--- a/${patched}\n+++ b/${patched}\n@@ -1 +1 @@\n-a\n+b\nEOF`),
            ok(`echo done >> ${appended}`),
            ok('npx prettier --write .', `${formatted} 12ms\nREADME.md 4ms (unchanged)\n`),
            ok(`python3 - <<'EOF'\nfrom pathlib import Path\nPath('${code}').write_text('x')\nEOF`),
            { edit: refused!, error: 'String to replace not found in file.' },
            {
              run: `sed -i 's/a/b/' src/none.ts`,
              output: "sed: can't read src/none.ts: No such file or directory",
              code: 2,
            },
            { agent: 'All modules are moved.' },
          ],
        },
      ],
      facts: [here, there, sed, teed, moved, to, copy, gone, renamed, next, patched, appended, formatted, code].map(
        (name) => file(name!),
      ),
      forbidden: ['README.md 4ms'],
    };
  },
  'checks that ran often': (c) => {
    const passes = 'Test Files  12 passed (12)\n     Tests  88 passed (88)';
    const fails = 'FAIL src/a.test.ts > adds\nAssertionError: expected 1 to be 2\n Tests  1 failed | 87 passed (88)';
    const steps: Step[] = [{ person: `Make the tests pass: ${sentence(c)}.` }];
    for (let n = 0; n < 8; n += 1)
      steps.push({ run: 'npm test', output: fails, code: 1 }, { edit: 'src/a.ts' }, ...routine(c, 1));
    steps.push(
      { run: 'npm test', output: passes, code: 0 },
      { run: 'npm run lint', output: 'src/b.ts\n  3:1  error  no-undef\n1 problem (1 error)', code: 1 },
      { run: 'npx tsc --noEmit', output: '', code: 0 },
      { agent: `Tests pass, lint is left: ${sentence(c)}.` },
    );
    return {
      legs: [{ steps }],
      facts: [
        { check: 'npm test', outcome: 'passed' },
        { check: 'npm run lint', outcome: 'failed' },
        { check: 'tsc --noEmit', outcome: 'passed' },
      ],
      forbidden: ['AssertionError: expected 1 to be 2', 'failed: npm test'],
    };
  },
  'checks that did not end': (c) => ({
    legs: [
      {
        steps: [
          { person: `Run everything; ${sentence(c)}.` },
          { run: 'npm test', output: 'Tests 5 passed (5)', code: 0 },
          { edit: 'src/a.ts' },
          { run: 'npm test' },
          notice(c, 'interrupt'),
          { person: `Stop, and first see why ${sentence(c)}.` },
        ],
      },
    ],
    facts: [{ check: 'npm test', outcome: 'not finished' }],
    forbidden: ['passed: npm test'],
  }),
  'checks of many tools': (c) => {
    const commands =
      'mise run test|just verify|task lint|make check|nox -s tests|tox -e py312|bazel test //...|turbo run build|nx run-many -t test|moon run app:lint|pnpm -r test|uv run pytest -q|poetry run mypy .|docker compose run --rm app npm test|./gradlew check|./scripts/ci-test.sh|cargo test --workspace|bundle exec rspec'.split(
        '|',
      );
    const mine = commands.filter((_, index) => (index + c.below(2)) % 2 === 0).slice(0, 10);
    return {
      legs: [
        {
          steps: [
            { person: `Check it all; ${sentence(c)}.` },
            ...mine.flatMap((run, index): Step[] => [
              {
                run,
                output: index % 3 === 0 ? `1 failed, ${c.number()} passed` : 'all good',
                code: index % 3 === 0 ? 1 : 0,
              },
              ...routine(c, 1),
            ]),
            { agent: 'I have checked it all.' },
          ],
        },
      ],
      facts: mine.map((check, index) => ({ check, outcome: index % 3 === 0 ? 'failed' : 'passed' })),
    };
  },
  'failures that taught something': (c) => {
    const why = `error: the ${c.of(nouns)} needs libfoo ${c.number()} or later`;
    const refused = `psycopg.OperationalError: connection to server at "127.0.0.1", port ${c.number()} failed: Connection refused`;
    const [tried, gone] = [`./configure --with-${c.of(nouns)}`, path(c)];
    return {
      legs: [
        {
          steps: [
            { person: `Build it with the new library; ${sentence(c)}.` },
            { run: tried, output: `checking for gcc... yes\n${why}`, code: 1 },
            { run: 'gti status', output: 'bash: line 1: gti: command not found', code: 127 },
            { run: 'git status --short', output: '', code: 0 },
            { run: 'grep -rn nothingLikeThis src', output: '', code: 1 },
            { run: `cat ${gone}`, output: `cat: ${gone}: No such file or directory`, code: 1 },
            { run: `cat > ${gone} <<'EOF'\nx\nEOF`, output: '', code: 0 },
            { run: `curl -sf localhost:8080/${c.of(nouns)}`, output: 'curl: (7) Failed to connect', code: 7 },
            { run: `sleep 2; curl -sf localhost:8080/${nouns[0]}`, output: 'ok', code: 0 },
            {
              run: 'python manage.py migrate',
              output: `Traceback (most recent call last):\n  File "manage.py", line 22\n${refused}`,
              code: 1,
            },
            {
              run: 'ls /no/such/place',
              output: "ls: cannot access '/no/such/place': No such file or directory",
              code: 2,
            },
            { agent: 'The library is missing here.' },
          ],
        },
      ],
      facts: [says(tried), says(why), says(refused)],
      forbidden: ['gti: command not found', 'nothingLikeThis src', `cat: ${gone}: No such file`, 'cannot access'],
    };
  },
  'results that later work relies on': (c) => {
    const [port, id] = [c.number(), `build-${c.number()}-${c.of(nouns)}`];
    return {
      legs: [
        {
          steps: [
            { person: `Start the server and find out why ${sentence(c)}.` },
            {
              run: 'npm run dev',
              output: `${source(c, 20)}\nError: listen EADDRINUSE, using port ${port} instead`,
              code: 1,
            },
            ...routine(c, 6),
            { run: `curl -s localhost:${port}/health`, output: `{"status":"ok","release":"${id}"}`, code: 0 },
            ...routine(c, 4),
            { run: `deployctl logs ${id} | tail`, output: 'nothing new', code: 0 },
            ...Array.from({ length: 30 }, () => reading(c)),
            { agent: 'The server runs now.' },
          ],
        },
      ],
      facts: [says(String(port)), says(id)],
    };
  },
  'tasks with descriptions': (c) => {
    const list = Array.from({ length: 8 }, (_, n) => ({
      text: `Task about ${c.of(nouns)} ${c.number()}`,
      about: `Accepted when ${sentence(c)}`,
      done: n < 3,
      begun: n === 3,
    }));
    return {
      legs: [
        {
          steps: [
            { person: `Work through the plan; ${sentence(c)}.` },
            { tasks: list.map(({ text, about }) => ({ text, about })) },
            ...routine(c, 6),
            { tasks: list },
            { agent: 'Three of them are done.' },
          ],
        },
      ],
      facts: list.slice(3).flatMap(({ text, about }) => [says(text), says(about)]),
    };
  },
  'a window that was cut': (c, program) => {
    const request = `Port the module; ${sentence(c)}.`;
    const before = Array.from({ length: 5 }, () => sentence(c));
    const after = `After the cut: ${sentence(c)}.`;
    return {
      legs: [
        {
          steps: [
            { person: request },
            ...routine(c, 30),
            ...(program === 'Gemini CLI'
              ? [{ agent: `So far I know this. ${before.join('. ')}.` }]
              : [
                  {
                    compacted: `Summary:\n${before.map((text, n) => `${n + 1}. ${text}`).join('\n')}\n${sentences(c, 20)}`,
                  },
                ]),
            ...routine(c, 20),
            { person: after },
            { agent: 'Understood.' },
          ],
        },
      ],
      facts: [request, ...before, after].map(says),
    };
  },
  'decisions, a plan and a question': (c) => {
    const decided = `I decided to use one table per ${c.of(nouns)}, because ${sentence(c)}.`;
    const plan = `Plan:\n1. First ${sentence(c)}\n2. Then ${sentence(c)}`;
    const question = `Should the ${c.of(nouns)} stay at ${c.number()}?`;
    return {
      legs: [
        {
          steps: [
            { person: `Design the store; ${sentence(c)}.` },
            ...routine(c, 4),
            { agent: decided },
            ...routine(c, 20),
            { agent: plan },
            ...routine(c, 40),
            { ask: question, options: ['yes', 'no'] },
          ],
        },
      ],
      facts: [says(decided), ...plan.split('\n').slice(1).map(says), says(question)],
    };
  },
  'notices of the program': (c) => {
    const request = `Tidy the settings so that ${sentence(c)}.`;
    const last = `The settings are tidy; ${sentence(c)}.`;
    const kinds: Notice[] = ['template', 'skill', 'environment', 'reminder', 'hook', 'local', 'error'];
    return {
      legs: [
        {
          steps: [
            notice(c, 'environment'),
            notice(c, 'reminder'),
            notice(c, 'hook'),
            { person: request },
            ...kinds.flatMap((kind) => [notice(c, kind), ...routine(c, 2)]),
            { edit: 'config/settings.toml' },
            { agent: last },
            notice(c, 'error'),
            notice(c, 'reminder'),
          ],
        },
      ],
      facts: [says(request), says(last), file('config/settings.toml')],
    };
  },
  'five legs': (c) => {
    const legs = Array.from({ length: 5 }, (_, n) => ({
      fact: c.number(),
      read: c.number(),
      warned: `warning: the disk of node-${c.number()} is slow`,
      request: `Leg ${n}: ${sentence(c)}.`,
      decided: `I decided that ${sentence(c)}.`,
      changed: path(c),
      reason: `Reason ${n}: ${sentence(c)}`,
    }));
    return {
      legs: legs.map(({ fact, read, warned, request, decided, changed, reason }, n) => ({
        reason,
        steps: [
          ...(n === 0
            ? []
            : [
                {
                  notice: 'takeover',
                  text: `${batonPrompt(`agent-${n}`, 'session_2wBV', `handoff_${n}x`)}\n\n# Handoff\n\n${sentences(c, 12)}`,
                } as const,
              ]),
          notice(c, 'hook'),
          notice(c, 'environment'),
          ...(n === 0 ? [{ person: request }] : []),
          ...routine(c, 6),
          { run: `./probe ${n}`, output: `warming up\nlistening on port ${fact}`, code: 1 },
          { run: `curl localhost:${fact}`, output: 'ok', code: 0 },
          { run: `./deploy ${n}`, output: `deploying\n${warned}\ndone`, code: 0 },
          { read: `config/${n}.toml`, output: `[vault]\n# Set by the operators of the first hour.\nslot = ${read}` },
          { agent: decided },
          { edit: changed },
          ...routine(c, 6),
          { run: `echo x > ${changed}.txt`, output: '', code: 0 },
        ],
      })),
      facts: [
        says(legs[0]!.request),
        ...legs.flatMap(({ fact, read, warned, decided, changed, reason }) => [
          says(String(fact)),
          says(String(read)),
          says(warned),
          says(decided),
          file(changed),
          file(`${changed}.txt`),
          says(reason),
        ]),
      ],
    };
  },
  'the same failure three times': (c) => {
    const why = `ENOSPC: no space left on device, write ${c.number()}`;
    return {
      legs: [
        {
          steps: [
            { person: `Build the image; ${sentence(c)}.` },
            ...Array.from({ length: 3 }, (): Step[] => [
              { run: 'docker build -t app .', output: `Step 1/9\n${why}`, code: 1 },
              aside(c),
            ]).flat(),
            { agent: `The disk is full: ${sentence(c)}.` },
          ],
        },
      ],
      facts: [says(why), { check: 'docker build', outcome: 'failed' }],
    };
  },
  'a report given long before the end': (c) => {
    const report = `Report\n\n${Array.from({ length: 12 }, () => `- ${sentence(c)}`).join('\n')}`;
    return {
      legs: [
        {
          steps: [
            { person: `Analyse the store and report; ${sentence(c)}.` },
            ...routine(c, 10),
            { agent: report },
            { person: 'thanks' },
            { agent: 'You are welcome.', aside: true },
            { person: `Now apply the first point, but ${sentence(c)}.` },
            ...routine(c, 60),
          ],
        },
      ],
      facts: report.split('\n').slice(2).map(says),
    };
  },
  'work of sub-agents': (c) => {
    const report = `The search found that ${sentence(c)}.`;
    return {
      legs: [
        {
          steps: [
            { person: `Find all callers; ${sentence(c)}.` },
            { subagent: sentences(c, 20), report },
            ...routine(c, 30),
            { agent: `From the search: ${sentence(c)}.` },
          ],
        },
      ],
      facts: [says(report.slice(0, -1))],
    };
  },
  'requests in other languages': (c) => {
    const requests = [
      `設定ファイルを読み込む処理を直してください。番号は${c.number()}です。`,
      `Corrige aussi l'analyse des dates, référence ${c.number()}.`,
      `Bitte prüfe außerdem die Größe ${c.number()} der Tabelle.`,
    ];
    return {
      legs: [
        {
          steps: [
            ...requests.flatMap((person) => [{ person }, ...routine(c, 3)]),
            { agent: `終わりました。残りは${c.number()}件です。` },
          ],
        },
      ],
      facts: requests.map(says),
    };
  },
  'large results': (c) => {
    const [request, last] = [`Find the slow query; ${sentence(c)}.`, `It is the join: ${sentence(c)}.`];
    return {
      legs: [
        {
          steps: [
            { person: request },
            ...Array.from({ length: 25 }, (): Step => ({ read: path(c), output: source(c, 400) })),
            { run: 'psql -f slow.sql', output: source(c, 900), code: 0 },
            { agent: last },
          ],
        },
      ],
      facts: [says(request), says(last)],
    };
  },
};
