import { readActions, type Action, type Actions } from './actions.ts';
import { programOf } from './commands.ts';
import type { RecordedLog, Workspace } from './log.ts';

/** Workspace from the Turns and from the output of later git commands; null where the log has nothing. */
export function workspaceOf(log: RecordedLog, { list, root }: Actions = readActions(log)): Workspace {
  const steps: { turn: number; order: number; seen: Partial<Workspace> }[] = [
    ...log.workspaces.map(({ turn, folder, branch, commit, host, repository, sandbox }) => ({
      turn,
      order: 0,
      seen: {
        ...(folder && { folder }),
        ...(branch && { branch }),
        ...(commit && { commit }),
        ...(host && { host }),
        ...(repository && { repository }),
        // Another program has another one, or none.
        sandbox: sandbox ?? undefined,
      },
    })),
    ...list.map((action) => ({
      turn: action.call.turn,
      order: 1,
      seen: action.ending === 'PASSED' ? gitStateOf(action) : {},
    })),
  ];
  // Array.sort keeps the order of equals.
  steps.sort((a, b) => a.turn - b.turn || a.order - b.order);
  return steps.reduce<Workspace>((known, { seen }) => ({ ...known, ...seen }), {
    folder: root === '' ? null : root,
    branch: null,
    commit: null,
  });
}

const shown = 4_000;

function gitStateOf({ parts, output }: Action): Partial<Workspace> {
  const seen: Partial<Workspace> = {};
  for (const part of parts) {
    const { program, args } = programOf(part);
    if (program === 'git') Object.assign(seen, stateFromOutput(args[0] === '-C' ? args.slice(2) : args, output));
  }
  return seen;
}

function stateFromOutput([subcommand = '', ...args]: string[], output: string): Partial<Workspace> {
  const text = output.length <= 2 * shown ? output : `${output.slice(0, shown)}\n${output.slice(-shown)}`;
  const last = (pattern: RegExp): RegExpMatchArray | undefined => [...text.matchAll(pattern)].at(-1);
  const plain = args.filter((arg) => !arg.startsWith('-'));
  switch (subcommand) {
    case 'commit':
    case 'cherry-pick':
    case 'revert':
    case 'merge':
    case 'pull':
    case 'am': {
      const made = last(/^\[(detached HEAD|\S+)(?: \(root-commit\))? ([0-9a-f]{7,40})\]/gm);
      if (made !== undefined) return { commit: made[2]!, ...(made[1] !== 'detached HEAD' && { branch: made[1]! }) };
      const forward = last(/^Updating [0-9a-f]{7,40}\.\.([0-9a-f]{7,40})$/gm);
      return forward === undefined ? {} : { commit: forward[1]! };
    }
    case 'status': {
      const branch = (last(/^(?:# )?On branch (\S+)$/gm) ??
        last(/^## (?:No commits yet on )?(\S+?)(?:\.\.\.\S+.*)?$/gm))?.[1];
      return branch === undefined || branch === 'HEAD' ? {} : { branch };
    }
    case 'checkout':
    case 'switch': {
      const createFlag = args.findIndex((arg) => /^-(b|B|c|C)$/.test(arg));
      const at = last(/^HEAD is now at ([0-9a-f]{7,40})/gm)?.[1];
      if (at !== undefined) return { commit: at, branch: null };
      if (createFlag >= 0)
        return args[createFlag + 1] === undefined
          ? {}
          : { branch: args[createFlag + 1]!, ...(plain.length > 1 && { commit: null }) };
      const branch = last(/^Switched to (?:a new )?branch '([^']+)'/gm)?.[1];
      // The commit of the other branch is unknown.
      return branch === undefined ? {} : { branch, commit: null };
    }
    case 'reset': {
      const at = last(/^HEAD is now at ([0-9a-f]{7,40})/gm)?.[1];
      return at === undefined ? {} : { commit: at };
    }
    case 'branch': {
      const branch = args.includes('--show-current') ? text.trim() : last(/^\* ([^\s()]+)$/gm)?.[1];
      return branch !== undefined && /^\S+$/.test(branch) ? { branch } : {};
    }
    case 'rev-parse': {
      const [line = ''] = text.trim().split('\n').slice(-1);
      if (args.includes('--abbrev-ref')) return /^\S+$/.test(line) && line !== 'HEAD' ? { branch: line } : {};
      return plain[0] === 'HEAD' && /^[0-9a-f]{7,40}$/.test(line) ? { commit: line } : {};
    }
    case 'log': {
      // Only logs that begin at HEAD.
      if (
        plain.some((arg) => !/^\d+$/.test(arg)) ||
        args.some((arg) => /^--(all|reverse|skip|author|grep|branches)|^-[SG]/.test(arg))
      )
        return {};
      const commit = (/^commit ([0-9a-f]{40})/m.exec(text) ?? /^([0-9a-f]{7,40}) (?:\(|\S)/m.exec(text))?.[1];
      const branch = /^(?:commit )?[0-9a-f]{7,40} \(HEAD -> ([^,)]+)/m.exec(text)?.[1];
      return { ...(commit !== undefined && { commit }), ...(branch !== undefined && { branch }) };
    }
    default:
      return {};
  }
}
