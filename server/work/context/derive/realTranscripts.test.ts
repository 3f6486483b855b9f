import { describe, expect, it } from 'vitest';
import { realDataFolder } from '../../../../test/realData.ts';
import { realLog } from '../../../../test/recordedLogs.ts';
import { checksOf } from './checks.ts';
import { failedAttemptsOf } from './failedAttempts.ts';
import { openQuestionsOf } from './openQuestions.ts';
import { workspaceOf } from './workspace.ts';

/** Counted by reading the files. A call is named by the end of its id. */
interface Expected {
  /** Folder, branch, commit, and what Codex allowed. */
  workspace: [folder: string | null, branch: string | null, commit: string | null, sandbox?: string];
  /** "outcome, current or stale, call: command". */
  checks?: string[];
  /** "call: how what failed begins". */
  failedAttempts?: string[];
  openQuestions?: string[];
}

const spotter = '/home/user1/projects/spotter';
const worktree = '/home/USER/projects/spotter-worktrees/spotter-fum';
const codemieTest = 'npm test -- --run src/agents/plugins/__tests__/codemie-code-reasoning.test.ts';

const expected: Record<string, Expected> = {
  // Its only Write was not permitted.
  'claude-code/dkv-1af7fc5e.jsonl': { workspace: ['/path/to/Demo', null, null] },
  // The failed Edit was repeated by a MultiEdit.
  'claude-code/dkv-5c0375b4-sidechain.jsonl': {
    workspace: ['/path/to/Demo', 'main', null],
  },
  // A person refused its only command.
  'claude-code/spotter-short.jsonl': { workspace: [spotter, 'master', null] },
  'claude-code/spotter-tool-heavy.jsonl': { workspace: [spotter, 'master', null] },
  // Its AskUserQuestion was answered.
  'claude-code/spotter-subagent-parent.jsonl': { workspace: [spotter, 'master', null] },
  'claude-code/spotter-8463c716-compact.jsonl': {
    workspace: [worktree, 'spotter-fum', 'af81c43'],
    checks: [
      'PASSED stale XNx6tgX4: mix compile',
      'PASSED stale Jch7Cqp5: cd assets && node build.js',
      'PASSED current VCWEXz3L: cd assets && npx vitest run',
      'PASSED current MDvwSKe7: mix test',
      'PASSED current Wp1CzMPx: mix credo',
    ],
  },
  'claude-code/codemie-incremental-turn1.jsonl': {
    workspace: ['/Users/User/repo/codemie-ai/codemie-code', 'hooks', null],
  },
  'claude-code/codemie-incremental-turn2.jsonl': {
    workspace: ['/Users/User/repo/codemie-ai/codemie-code', 'hooks', null],
  },
  'claude-code/slay-2969822b-2.1.126.jsonl': {
    workspace: ['/Users/USER/c/slay', 'main', null],
    openQuestions: ["Does your dotfiles repo have a specific structure you're working with?"],
  },
  'claude-code/scripted-2.1.197.jsonl': {
    workspace: ['/home/USER/demo', 'master', null],
    failedAttempts: ['toolu_4: cat hello.txt; false'],
  },
  // Each command goes on in the background and ends in a later write_stdin; two searches found nothing.
  'codex/codemie-019e1625.rollout.jsonl': {
    workspace: [
      '/Users/Sample_User/repos/codemie-ai/codemie-code',
      'feat/codex-agent-plugin',
      'c8c252acd853de59c54b5c31374fec6028ee812e',
      'workspace-write without network, approval on-request',
    ],
    checks: [`PASSED current md4WFUIJ: ${codemieTest}`, 'PASSED current Or3Ukrfp: npm run build'],
  },
  'codex/cpolar-613a9a68-token-restart.jsonl': {
    workspace: [
      '/Users/USER/Downloads/CpolarAutoUpdater',
      'master',
      '2dd7acac0d3422d81635a4f5f93cae5f0fe1385f',
      'read-only, approval on-request',
    ],
    checks: ['PASSED stale 6kiOetRn: pytest -q'],
    failedAttempts: ['DRPV8l5v: python - <<'],
  },
  // A patch that did not fit was repeated by writing the whole file.
  'codex/moonmind-019a7ae6-token-restart.jsonl': {
    workspace: [
      '/mnt/d/ai/MoonMind',
      '001-codex-single-queue',
      'd11a29f5b463059a735c67fdad8c362dfc3ade1e',
      'workspace-write without network, approval on-request',
    ],
  },
  'codex/test-framework-019c2a1a-warning.jsonl': {
    workspace: [
      '/home/USER/test-framework',
      'main',
      '15cf835872d2fdbe9c5658fa58c058790df4c165',
      'workspace-write without network, approval on-request',
    ],
    openQuestions: ['Souhaites-tu que je traite ces corrections maintenant ?'],
  },
  'codex/scripted-0.169.0.jsonl': {
    workspace: ['/home/USER/demo', null, null, 'danger-full-access, approval never'],
    failedAttempts: ['call_1: echo hi > a.txt'],
  },
};

describe.runIf(realDataFolder !== undefined)('what is derived from real transcripts', () => {
  it.for(Object.entries(expected))(
    '%s gives the expected workspace, checks, failed attempts and questions',
    async ([
      file,
      {
        workspace: [folder, branch, commit, sandbox],
        checks = [],
        failedAttempts = [],
        openQuestions = [],
      },
    ]) => {
      const log = await realLog(file);
      expect(workspaceOf(log)).toEqual({ folder, branch, commit, sandbox });
      expect(
        checksOf(log).map(
          ({ command, outcome, callId, stale }) =>
            `${outcome} ${stale ? 'stale' : 'current'} ${callId.slice(-8)}: ${command}`,
        ),
      ).toEqual(checks);
      const found = failedAttemptsOf(log).map(({ what, callId }) => `${callId.slice(-8)}: ${what}`);
      expect(found.map((attempt, index) => attempt.slice(0, failedAttempts[index]?.length))).toEqual(failedAttempts);
      expect(openQuestionsOf(log)).toEqual(openQuestions);
    },
  );
});

if (realDataFolder === undefined)
  it.skip('is skipped: set BATON_REAL_DATA to the folder of real transcripts', () => undefined);
