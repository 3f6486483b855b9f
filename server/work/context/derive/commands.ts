import { posix } from 'node:path';
import { scopeOf } from './checkScope.ts';
import type { SimpleCommand } from './shell.ts';

/** Programs that run the command after them. */
const wrappers = new Set([
  'sudo',
  'time',
  'nohup',
  'env',
  'command',
  'exec',
  'stdbuf',
  'nice',
  'npx',
  'bunx',
  'pnpx',
  'xvfb-run',
  'then',
  'do',
  'else',
  'if',
  'while',
  '!',
  '{',
]);
/** `poetry run pytest`, `pnpm exec tsc`. */
const runners: Record<string, ReadonlySet<string>> = {
  poetry: new Set(['run']),
  uv: new Set(['run']),
  pipenv: new Set(['run']),
  pnpm: new Set(['exec', 'dlx']),
  yarn: new Set(['exec', 'dlx']),
  npm: new Set(['exec']),
  bun: new Set(['x']),
  bundle: new Set(['exec']),
  mise: new Set(['exec', 'x']),
  pixi: new Set(['exec']),
  doppler: new Set(['run']),
  dotenvx: new Set(['run']),
  op: new Set(['run']),
  corepack: new Set(['pnpm', 'yarn', 'npm']),
  dotenv: new Set(['--']),
};
const runnerValue = /^(--(extra|with|group|only-group|package|python|directory|project|env-file)|-p)$/;
const assignment = /^[A-Za-z_]\w*=/;

/** Words of a container's or an environment's command: `docker compose run --rm app npm test`, `conda run -n x pytest`. */
const inside: Record<string, RegExp> = {
  docker: /^docker(?: compose| container)? (?:run|exec) /,
  'docker-compose': /^docker-compose (?:run|exec) /,
  podman: /^podman (?:run|exec) /,
  kubectl: /^kubectl exec /,
  conda: /^(?:conda|mamba|micromamba) run /,
  mamba: /^(?:conda|mamba|micromamba) run /,
  micromamba: /^(?:conda|mamba|micromamba) run /,
  nix: /^nix (?:develop|shell) /,
  direnv: /^direnv exec /,
  flock: /^flock /,
};
const valued =
  /^-[a-zA-Z]$|^--(?:name|env|env-file|user|workdir|volume|file|profile|project-name|entrypoint|network|prefix|cwd)$/;

/** The command that runs inside; null when it has none. */
function insideOf(words: readonly string[]): string[] | null {
  const [first = ''] = words;
  const known = inside[first];
  if (known === undefined || !known.test(`${words.slice(0, 3).join(' ')} `)) return null;
  const marked = words.findIndex((word) => word === '--' || /^(-c|--command)$/.test(word));
  if (marked > 0) return words.slice(marked + 1);
  const from = words.findIndex((word) => /^(run|exec|develop|shell|flock)$/.test(word)) + 1;
  // After the options comes the name of the container, then the command.
  let at = from;
  while (at < words.length && words[at]!.startsWith('-'))
    at += valued.test(words[at]!) && !/^-(it|d|T|i|t)$/.test(words[at]!) ? 2 : 1;
  return words.slice(/^(conda|mamba|micromamba)$/.test(first) ? at : at + 1);
}

/** More programs than these do not run each other in one command. */
const maxWrappers = 20;

/** Program and arguments without assignments, `sudo`, `npx`, `poetry run` and the like. */
export function programOf({ words }: SimpleCommand): { program: string; args: string[] } {
  let rest = words;
  for (let wrapped = 0; ; wrapped += 1) {
    const [first = '', second = ''] = rest;
    if (wrapped === maxWrappers) return { program: posix.basename(first), args: rest.slice(1) };
    if (assignment.test(first) || wrappers.has(first)) rest = rest.slice(1);
    else if (first === 'timeout')
      rest = rest.slice(rest.findIndex((word, index) => index > 0 && !word.startsWith('-')) + 1);
    else if (runners[first]?.has(second) === true) rest = rest.slice(2);
    else if ((insideOf(rest)?.length ?? 0) > 0) rest = insideOf(rest)!;
    else if (first.startsWith('-') && rest !== words) rest = rest.slice(runnerValue.test(first) ? 2 : 1);
    else return { program: posix.basename(first), args: rest.slice(1) };
    if (rest.length === 0) return { program: '', args: [] };
  }
}

/** A check as it is displayed: without assignments and redirections. */
export const plainText = ({ text, words }: SimpleCommand): string => {
  const skipped = words.findIndex((word) => !assignment.test(word));
  return skipped <= 0 ? text : text.split(' ').slice(skipped).join(' ');
};

const checkers = new Set([
  ...[
    'pytest',
    'py.test',
    'vitest',
    'jest',
    'mocha',
    'ava',
    'tap',
    'rspec',
    'phpunit',
    'pest',
    'ctest',
    'tox',
    'nox',
    'nose2',
    'karma',
    'bats',
    'busted',
    'minitest',
    'testthat',
    'cargo-nextest',
  ],
  ...[
    'tsc',
    'tsgo',
    'webpack',
    'rollup',
    'tsup',
    'xcodebuild',
    'ninja',
    'msbuild',
    'mypy',
    'pyright',
    'basedpyright',
    'pytype',
    'pyre',
    'vue-tsc',
    'svelte-check',
    'attw',
  ],
  ...[
    'eslint',
    'oxlint',
    'tslint',
    'stylelint',
    'standard',
    'xo',
    'flake8',
    'pylint',
    'pycodestyle',
    'pydocstyle',
    'bandit',
    'golangci-lint',
    'staticcheck',
    'shellcheck',
    'hadolint',
  ],
  ...[
    'rubocop',
    'ktlint',
    'detekt',
    'swiftlint',
    'markdownlint',
    'markdownlint-cli2',
    'tflint',
    'yamllint',
    'actionlint',
    'phpstan',
    'psalm',
    'phpcs',
    'clippy-driver',
    'knip',
    'depcruise',
  ],
]);
/** Programs that are a check only with some subcommands. */
const subcommands: Record<string, RegExp> = {
  cargo: /^(build|b|check|c|test|t|clippy|nextest|bench)$/,
  go: /^(build|test|vet)$/,
  mix: /^(test|compile|credo|dialyzer|coveralls(\..+)?|sobelow)$/,
  dotnet: /^(build|test)$/,
  swift: /^(build|test)$/,
  zig: /^(build|test)$/,
  bazel: /^(build|test)$/,
  bazelisk: /^(build|test)$/,
  gradle: /^:?(\w+:)*(build|test|check|assemble|lint|compile\w+|\w+Test)$/,
  gradlew: /^:?(\w+:)*(build|test|check|assemble|lint|compile\w+|\w+Test)$/,
  mvn: /^(test|verify|package|compile|install|checkstyle:check)$/,
  mvnw: /^(test|verify|package|compile|install|checkstyle:check)$/,
  sbt: /^(test|compile|testOnly.*)$/,
  lein: /^(test|compile)$/,
  stack: /^(build|test)$/,
  cabal: /^(build|test)$/,
  meson: /^(compile|test)$/,
  docker: /^(build|buildx)$/,
  podman: /^build$/,
  vite: /^build$/,
  next: /^(build|lint)$/,
  nuxt: /^(build|typecheck)$/,
  astro: /^(build|check)$/,
  ng: /^(build|test|lint)$/,
  expo: /^lint$/,
  playwright: /^test$/,
  cypress: /^run$/,
  biome: /^(check|lint|ci)$/,
  ruff: /^check$/,
  flow: /^check$/,
  srb: /^tc$/,
  terraform: /^(validate|plan)$/,
  buf: /^(lint|build)$/,
  node: /^--test$/,
  prisma: /^validate$/,
};
const formatCheckers: Record<string, RegExp> = {
  prettier: /^(--check|-c|--list-different|-l)$/,
  black: /^--check$/,
  isort: /^(--check|--check-only|-c)$/,
  ruff: /^--check$/,
  mix: /^--check-formatted$/,
  cargo: /^--check$/,
  cmake: /^--build$/,
};
/** Names of tasks that check, alone or with a suffix: `test:unit`, `lint-fix`, `app:build`. */
const taskName =
  /^(tests?|t|tst|build|lint|checks?|typecheck|type-check|types|tsc|compile|verify|validate|ci|unit|e2e|spec)([:\-_.].+)?$|[:\-_.](tests?|lint|build|check|typecheck|e2e)$/;
/** `make all`; a build without a name. */
const makeTarget = /^all$/;
const scriptFile =
  /^(?:[\w-]+[-_])?(?:tests?|build|lint|check|typecheck|type-check|verify)\.(?:sh|js|mjs|cjs|ts|mts|py|ps1|rb|pl)$/;
/** Programs that run a task by its name. */
const packageManagers = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const taskRunners = new Set([
  ...packageManagers,
  ...'make gmake just task go-task invoke inv mage mise moon nx turbo lerna rush rake poe pixi hatch rye pdm pants please plz buck2 earthly gulp grunt ant doit lage deno composer rails'.split(
    ' ',
  ),
]);
/** Their subcommands that run no task. */
const noTask =
  /^(install|i|add|remove|rm|uninstall|update|up|upgrade|outdated|create|init|new|publish|pack|link|why|info|view|ls|list|config|cache|env|use|trust|settings|audit|login|generate|g|graph|show|format|fmt|dlx|x|exec|start|dev|serve|require)$/;
const optionsWithValue = /^(--(prefix|cwd|filter|workspace|project|projects|directory|file)|-[CFfw])$/;

/** `make -j 8 test` without the number. */
const withoutJobs = (args: readonly string[]): string[] =>
  args.filter((arg, index) => args[index - 1] !== '-j' || !/^\d+$/.test(arg));

function runsTask(program: string, args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const given = end < 0 ? args : args.slice(0, end);
  const words = withoutJobs(given.filter((arg, index) => !optionsWithValue.test(given[index - 1] ?? '')));
  const [first = '', ...rest] = words.filter((word) => !word.startsWith('-'));
  if (first === '') return program === 'make' || program === 'gmake';
  if (
    noTask.test(first) ||
    (packageManagers.has(program) && (first === 'ci' || (program === 'bun' && first === 'build')))
  )
    return false;
  const runs = /^(run|run-script|r|workspace|workspaces|foreach|affected|run-many|tasks?)$/.test(first);
  const options = words.flatMap((word) => /^--(?:target|targets|task)=(.+)$/.exec(word)?.[1]?.split(',') ?? []);
  if (
    first === 'run' &&
    rest.length > 0 &&
    isCheck({ words: rest.slice(0, maxWrappers), text: '', writes: [], appends: [], input: '', joiner: '' })
  )
    return true;
  // A package manager takes what follows the name as arguments of the task.
  return [...(runs || !packageManagers.has(program) ? [first, ...rest] : [first]), ...options].some((word) =>
    word
      .split(/[:#+/]/)
      .concat(word)
      .some((name) => taskName.test(name) || makeTarget.test(name)),
  );
}
const interpreters =
  /^(bash|sh|zsh|dash|fish|node|nodejs|tsx|ts-node|python|ruby|perl|php|pwsh|powershell|deno|bun|source|\.)$/;

const ownTask = /^(tests?|lint|check|typecheck|verify|ci|build)$/;

export function isCheck(command: SimpleCommand): boolean {
  const { program, args } = programOf(command);
  if (args.some((arg) => /^(--version|--help|-h|-V|help)$/.test(arg))) return false;
  const plain = args.filter((arg) => !arg.startsWith('-'));
  const [first = '', second = ''] = plain;
  if (checkers.has(program)) return !(program === 'tsc' && args.includes('--init'));
  if (formatCheckers[program] !== undefined && args.some((arg) => formatCheckers[program]!.test(arg))) return true;
  if (subcommands[program]?.test(program === 'node' ? (args[0] ?? '') : first) === true) return true;
  if (taskRunners.has(program)) return runsTask(program, args);
  if (scriptFile.test(program)) return true;
  // A script of the project: `./dev test`, `bin/check`.
  if (command.words.some((word) => word.includes('/') && posix.basename(word) === program))
    if (/^(run[-_]?)?(tests?|lint|check|typecheck|verify|ci)$/.test(program) || ownTask.test(first)) return true;
  const bare = bareName(program);
  if (!interpreters.test(bare)) return false;
  if (args[0] === '-m') return checkers.has(args[1] ?? '') || args[1] === 'unittest' || args[1] === 'build';
  if (posix.basename(first) === 'manage.py') return second === 'test' || second === 'check';
  return scriptFile.test(posix.basename(first));
}

/** `python3.12` is `python`. */
const bareName = (program: string): string => program.replace(/[\d.]+$/, '') || program;

/** Whether it runs a script that stands on the command line. */
export function runsOwnScript(command: SimpleCommand): boolean {
  const { program, args } = programOf(command);
  const bare = bareName(program);
  if (!interpreters.test(bare) || /^(?:bash|sh|zsh|dash|fish|source|\.)$/.test(bare)) return false;
  if (args.some((arg) => /^-\w*[ce]$|^--eval$|^-p$/.test(arg))) return true;
  return command.input !== '' && args.every((arg) => arg === '-' || arg.startsWith('-'));
}

/** Programs whose exit code 1 means no match, or a difference. */
const searches = new Set([
  'grep',
  'egrep',
  'fgrep',
  'zgrep',
  'rg',
  'ag',
  'ack',
  'test',
  '[',
  '[[',
  'which',
  'type',
  'pgrep',
  'diff',
  'cmp',
]);
export const isSearch = (command: SimpleCommand): boolean => {
  const { program, args } = programOf(command);
  return searches.has(program) || (program === 'git' && (args[0] === 'diff' || args[0] === 'grep'));
};

/** Commands that only show what a successor can look at again. */
const readings = new Set(
  'cat head tail less more nl ls find tree wc pwd which type stat file du df env printenv ps date whoami id realpath basename dirname sort uniq cut column bat fd'.split(
    ' ',
  ),
);
const gitReadings = /^(status|diff|log|show|branch|blame|rev-parse|ls-files|remote|describe|reflog|shortlog)$/;
export const isReading = (command: SimpleCommand): boolean => {
  const { program, args } = programOf(command);
  if (command.writes.some((file) => !file.startsWith('/dev/'))) return false;
  if (program === 'git') return gitReadings.test(args[0] === '-C' ? (args[2] ?? '') : (args[0] ?? ''));
  if (program === 'sed' || program === 'awk') return !args.some((arg) => /^(-\w*i|--in-place)/.test(arg));
  return readings.has(program) || isSearch(command);
};

const trivial = new Set([
  'cd',
  'pushd',
  'popd',
  'echo',
  'printf',
  'true',
  'false',
  'exit',
  'sleep',
  'set',
  'export',
  'unset',
  'wait',
  'fi',
  'done',
  '}',
  '',
]);
export const isTrivial = (command: SimpleCommand): boolean => trivial.has(programOf(command).program);

/** Programs whose effect does not depend on the folder. */
const anywhere = new Set(['git', 'gh', 'docker', 'kubectl', 'brew', 'apt', 'apt-get', 'systemctl']);
const withSubcommand = new Set([
  ...Object.keys(subcommands).filter((program) => program !== 'node'),
  ...packageManagers,
  ...taskRunners,
  ...anywhere,
  ...[
    'pip',
    'poetry',
    'uv',
    'bundle',
    'helm',
    'gem',
    'conda',
    'aws',
    'gcloud',
    'az',
    'bd',
    'supabase',
    'fly',
    'vercel',
    'alembic',
    'pod',
  ],
]);

/** Identifies what a command does, to recognise a repetition in another form. */
export interface Operation {
  key: string;
  args: readonly string[];
  check: boolean;
}

export function operationOf(command: SimpleCommand, folder: string): Operation {
  const { program, args } = programOf(command);
  const check = isCheck(command);
  const bare = bareName(program);
  if (check) return checkOf(command, folder);
  if (interpreters.test(bare)) {
    const [first = ''] = args.filter((arg) => !arg.startsWith('-'));
    const script = args[0] === '-m' || args.some((arg) => /^-\w*[ce]$/.test(arg)) || first === '';
    if (!script) return { key: `run ${posix.basename(first)}`, args: [], check };
    return { key: `${folder}: ${bare} ${args.join(' ')} ${command.input}`, args: [], check };
  }
  if (command.words[0]?.includes('/') === true && !withSubcommand.has(program))
    return { key: `run ${program}`, args: [], check };
  const plain = args.filter((arg) => !arg.startsWith('-'));
  const where = anywhere.has(program) ? '' : `${folder}: `;
  if (withSubcommand.has(program)) {
    const two = /^(run|r|compose|run-many|affected)$/.test(plain[0] ?? '') || program === 'gh';
    const name = plain.slice(0, two ? 2 : 1).join(' ');
    // A repeated commit may have another message.
    const rest = program === 'git' && name === 'commit' ? [] : plain.slice(two ? 2 : 1);
    return { key: `${where}${program} ${name}`, args: rest, check };
  }
  return { key: `${where}${command.text}`, args: [], check };
}

const runWord = /^(?:run|run-script|r|tasks?)$/;

/** A check by its program, its task and its folder; `args` are the words that select a part of it. */
function checkOf(command: SimpleCommand, folder: string): Operation {
  const { program, args: given } = programOf(command);
  const args = withoutJobs(given);
  const bare = bareName(program);
  const keyed = (key: string, name: string, rest: readonly string[]): Operation => ({
    key: `${folder}: ${key}`,
    args: scopeOf(name, rest),
    check: true,
  });
  if (interpreters.test(bare)) {
    if (args[0] === '-m') return keyed(args[1] ?? '', args[1] ?? '', args.slice(2));
    const at = args.findIndex((arg) => !arg.startsWith('-'));
    // A test of Node, or a script.
    if (at < 0 || args[0] === '--test') return keyed(bare, bare, args);
    const script = posix.basename(args[at]!);
    return { ...keyed(script, script, args.slice(at + 1)), key: `run ${script}` };
  }
  if (command.words[0]?.includes('/') === true && !withSubcommand.has(program) && !checkers.has(program))
    return { ...keyed(program, program, args), key: `run ${program}` };
  if (!withSubcommand.has(program)) return keyed(program, program, args);
  const words = args.map((arg, index) => ({ arg, index })).filter(({ arg }) => !arg.startsWith('-'));
  const first = packageManagers.has(program) && runWord.test(words[0]?.arg ?? '') ? 1 : 0;
  const two = /^(?:run|r|run-many|affected)$/.test(words[first]?.arg ?? '');
  const names = words.slice(first, first + (two ? 2 : 1));
  const used = new Set([...words.slice(0, first), ...names].map(({ index }) => index));
  return keyed(
    `${program} ${names.map(({ arg }) => arg).join(' ')}`,
    program,
    args.filter((_arg, index) => !used.has(index)),
  );
}

/** Whether `later`, which succeeded, repeats the failed `earlier`. A check is repeated only by one that covers at least as much. */
export function repeats(later: Operation, earlier: Operation): boolean {
  if (later.key !== earlier.key) return false;
  const within = (small: readonly string[], large: readonly string[]): boolean => {
    const all = new Set(large);
    return small.every((arg) => all.has(arg));
  };
  return within(later.args, earlier.args) || (!earlier.check && within(earlier.args, later.args));
}
