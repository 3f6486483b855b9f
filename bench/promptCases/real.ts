import { existsSync, readFileSync } from 'node:fs';
import { isSubagent, realDataFolder, realPath } from '../../test/realData.ts';
import type { Case, Fact } from './facts.ts';

/** What was found by reading each transcript: short quotations, changed files and checks. */
interface Known {
  says: readonly string[];
  files?: readonly string[];
  checks?: readonly (readonly [check: string, outcome: string])[];
  not?: readonly string[];
}

const colors = ['choose your color', 'docs/blue.md'];
const known: Record<string, Known> = {
  'claude-code/codemie-incremental-turn1.jsonl': {
    says: ['analyze existing CLI command and create specification for adding missing CLI commands'],
  },
  'claude-code/codemie-incremental-turn2.jsonl': {
    says: [
      'no commit',
      'analyze existing CLI command and create specification for adding missing CLI commands',
      'comprehensive technical specification for **10 valuable new CLI commands**',
      '-mmin -10 2>/dev/null (call toolu_bdrk_01NNGBKLENmr7j3TfUKZW7rz) -> found nothing',
      'read bin/codemie.js',
      'said only that it begins, and reported nothing',
    ],
    files: ['SPEC-NEW-CLI-COMMANDS.md'],
  },
  'claude-code/dkv-1af7fc5e.jsonl': {
    says: [
      '/init',
      "I've created a basic CLAUDE.md file for this empty repository",
      'nobody allowed: Write /path/to/Demo/CLAUDE.md; it was not made',
    ],
    not: ['What to add: 1. Commands that will be commonly used'],
  },
  'claude-code/dkv-5c0375b4-sidechain.jsonl': {
    says: ['no commit', 'CLAUDE.md を最新の状態にアップデートしてください', 'Next.js 15.5.2'],
    files: ['CLAUDE.md'],
    not: ['Split complex tasks into independent subtasks and execute them'],
  },
  'claude-code/scripted-2.1.197.jsonl': { says: ['write hello.txt and test it'], files: ['hello.txt'] },
  'claude-code/slay-2969822b-2.1.126.jsonl': {
    says: [
      "I have some dotfiles from github I'd like to use",
      "So I can't have an entire .claude/ directory for this project? It has to be global?",
      'You absolutely can have a project-level `.claude/` directory',
      "Does your dotfiles repo have a specific structure you're working with?",
    ],
  },
  'claude-code/spotter-8463c716-compact.jsonl': {
    says: [
      'passed: cd assets && npx vitest run',
      "up to date with 'origin/spotter-fum'",
      'Work on bead spotter-fum. Run bd show spotter-fum to see the issue details',
      'All 4 tasks completed and pushed',
      "`load_session_messages` doesn't include `agent_id` in the map",
      'af81c43',
      "the LiveView process can't access the SQL sandbox from the test process",
      'I need to use shared sandbox mode',
      'The test config is missing the Endpoint configuration',
      'Need `lazy_html` dependency',
      "doesn't actually contain any `agent-xxx` patterns",
      'Could not resolve "js/app.js"',
      'worked: cd assets && node build.js',
    ],
    files: [
      'assets/js/app.js',
      'assets/test/highlight-integration.test.js',
      'config/test.exs',
      'lib/spotter/services/transcript_renderer.ex',
      'lib/spotter_web/components/layouts/root.html.heex',
      'lib/spotter_web/live/session_live.ex',
      'mix.exs',
      'priv/static/assets/spotter.css',
      'test/spotter/services/transcript_renderer_test.exs',
      'test/spotter_web/live/session_live_test.exs',
    ],
    checks: [
      ['mix test', 'passed'],
      ['mix credo', 'passed'],
    ],
    not: [
      'If you need specific details from before compaction',
      'changes made but not yet compiled/tested/committed',
      'Complete spotter-fum.3 by running',
      'Now close the epic',
      'spotter-fum.3 done.',
      'All 16 JS tests pass',
      "Could not find the language 'cobol'",
      'Tasks left: 0',
      'Keep `render_message/1` unchanged (backward compat for direct callers)',
      '.claude/plans/',
    ],
  },
  'claude-code/spotter-8463c716-compact/subagents/agent-a7be2f0.jsonl': {
    says: [
      'How Spotter.Services.Tmux.list_panes/0 works and what happens if tmux is not running',
      '`list_panes/0` will NOT crash. It returns `{:error, reason}` safely',
      'hooks_controller_test.exs',
    ],
    not: ['Let me check for more test support files', 'EISDIR: illegal operation on a directory'],
  },
  'claude-code/spotter-8463c716-compact/subagents/agent-acompact-f46190.jsonl': {
    says: ['(saved prompt "summarise the conversation so far")', 'User asked to work on bead `spotter-fum`'],
    not: [
      'Function body is nested too deep (max depth is 2, was 4).\n</system-reminder>',
      'paying close attention to the user',
      'Let me chronologically analyze the conversation',
    ],
  },
  'claude-code/spotter-short.jsonl': { says: ['mix phx.server doesnt seem to start'] },
  'claude-code/spotter-subagent-parent.jsonl': {
    says: [
      'no commit',
      'websearch to learn how to fastest setup credo, dialyzer, mix_audit',
      'create the beads',
      '`spotter-0p7`',
      'No Igniter installers',
    ],
    not: ['This skill ONLY creates beads (epic + tasks'],
  },
  'claude-code/spotter-tool-heavy.jsonl': {
    says: [
      'PR #2388',
      'the agent said nothing since ``` scrolling back in xterm.js',
      'start phoenix in background',
      'scrolling back in xterm.js still does not work',
      'read assets/js/app.js',
      '-> started in the background, and not seen to end',
      'REFUSED JOIN terminal',
    ],
    not: ['Reconnected to tidewave.', 'Caveat: The messages below were generated'],
  },
  'codex/codemie-019e1625.rollout.jsonl': {
    says: [
      'not staged',
      "let's update the defailt context compart to 90 in env var",
      'Implemented the default context compaction setting as `threshold: 0.9`',
      'The graph MCP tools mentioned by `AGENTS.md` are not exposed in this session',
      'The OpenCode adapter builds `OPENCODE_CONFIG_CONTENT` inline',
    ],
    files: ['src/agents/plugins/__tests__/codemie-code-reasoning.test.ts', 'src/agents/plugins/codemie-code.plugin.ts'],
    checks: [['npm run build', 'passed']],
    not: [
      'Run focused verification',
      'The diff is small and scoped',
      'Tasks left: 0',
      'This project uses codebase-memory-mcp to maintain a knowledge graph',
      'Available tool groups in this session',
    ],
  },
  'codex/cpolar-613a9a68-token-restart.jsonl': {
    says: [
      'the agent said nothing since ``` init应该放在--help的第一行显示 ``` ## First request ``` 检查目前项目的设计',
      ' tool calls, ',
      'sandbox read-only, approval on-request',
      'changed since: pytest -q',
      'no commit',
      '检查目前项目的设计',
      '可以，开始实施',
      '帮我补充 status 的无登录降级体验',
      '还有什么地方应该补充单测的吗',
      '目前每个命令的描述风格似乎不一致',
      '可以直接放在docstring',
      'click.argument/click.option 的 help是哪些',
      '实际上没有必要接受`chinese`/`english，可以去除相关逻辑',
      'init应该放在--help的第一行显示',
      '已移除别名，仅保留 zh/en',
      '(agreed to; #29 tells what was done)',
      '**优先补测点**',
      '可以，这样的话doctor还有必要保留吗 (to: 在 status 中显示 known hosts 与主机密钥校验状态？; 增加 --offline/--no-login 选项以强制本地模式？)',
      '`StrictHostKeyChecking no` 与 `UserKnownHostsFile /dev/null` 永久禁用主机校验',
      'cannot create temp file for here document',
    ],
    files: ['src/cpolar_connect/cli.py', 'src/cpolar_connect/i18n.py', 'src/cpolar_connect/config.py'],
    checks: [['pytest -q', 'passed']],
    not: [
      '<approval_policy>on-request</approval_policy> <sandbox_mode>',
      '我准备这样统一并落盘到代码',
      'Tasks left: 0',
    ],
  },
  'codex/moonmind-019a7ae6-token-restart.jsonl': {
    says: [
      'setup-plan.sh --json (call call_Mvh13FPY5WPVgch7LR9551Za) -> Copied plan template to specs/001-celery-chain-workflow/plan.md',
      'Load design documents; ',
      ' tool calls, ',
      'no commit',
      '.env-template',
      'why would jobs be routed to codex-1 and codex-2? I thought the workers just pulled',
      'I want to update my spec to remove this queue separation and just have a codex queue',
      'with 32 executable tasks aligned to the design docs',
      'Mirror the single-queue terminology in the related plan/quickstart/docs',
      '‘bash\\r’: No such file or directory',
      "worked: perl -pi -e 's/\\r$//' .specify/scripts/bash/check-prerequisites.sh",
      'python: command not found',
      'command timed out after 2005 milliseconds',
      'timeout_ms 5000',
      'Not on a feature branch. Current branch: codex/troubleshoot-sign-in-callback-issue-in-celery-dpn1ee; worked: git checkout -b 001-codex-single-queue',
      'written over a list with at least 21 done): T001',
    ],
    files: [
      'specs/003-celery-oauth-volumes/spec.md',
      'specs/001-celery-chain-workflow/plan.md',
      'specs/001-celery-chain-workflow/tasks.md',
    ],
    not: [
      'You **MUST** consider the user input before proceeding (if not empty).',
      '# Agent Instructions ## Retrieving GitHub Action Status',
      'Modeled the storage layer by detailing entities, relationships',
      'IMPL_PLAN: `specs/001-celery-chain-workflow/plan.md` - Generated/updated Phase-1 docs',
      'Tasks left: 0',
    ],
  },
  'codex/scripted-0.169.0.jsonl': {
    says: ['make a.txt and b.txt', 'Both files are there.'],
    files: ['a.txt', 'b.txt'],
  },
  'codex/test-framework-019c2a1a-warning.jsonl': {
    says: [
      'no commit',
      '.codex/ (12)',
      'sprint-status.yaml',
      'Cargo.toml',
      'untracked',
      '0-1-configurer-un-projet-via-config-',
      'Mis à jour la story',
      'Souhaites-tu que je traite ces corrections maintenant ?',
      'Exiger `cloud_endpoint` + `cloud_model`',
      'Les 72 tests revendiqués ne sont pas vérifiés ici',
      '(3 open)',
      'First request ``` CR (to: Code Review: comprehensive review workflow.)',
      'Validation URL trop restrictive',
    ],
    not: [
      'Tasks left: 0',
      'Warning: apply_patch was requested via',
      'NEVER break character until given an exit command.',
    ],
  },
  'gemini/entire-12_cbfeaa512b_0.json': {
    says: ['add new text to test-gemini.txt', ',how are you'],
    files: ['test-gemini.txt'],
  },
  'gemini/entire-9c_53780d06b7_0.json': {
    says: [...colors, 'cmd/entire/cli/agent/geminicli/gemini.go'],
    not: ['Gemini CLI update available!'],
  },
  'gemini/entire-ab_2b9748b105_0.json': {
    says: ['cmd/entire/cli/agent/geminicli/gemini.go', 'git add docs/color.md', colors[0]!, 'Staged `docs/color.md`'],
    files: ['docs/color.md'],
    not: ['Gemini CLI update available!', 'I have successfully created', 'Removed `docs/blue.md`', 'I misread the'],
  },
};

/** The real transcripts, where they are available. */
export function realCases(): Case[] {
  if (realDataFolder === undefined) return [];
  return Object.entries(known)
    .filter(([name]) => existsSync(realPath(name)))
    .map(([name, { says, files = [], checks = [], not = [] }]) => ({
      name,
      legs: [{ text: readFileSync(realPath(name), 'utf8'), reason: '' }],
      sidechain: isSubagent(name),
      facts: [
        ...says.map((text): Fact => ({ says: text })),
        ...files.map((file): Fact => ({ file })),
        ...checks.map(([check, outcome]): Fact => ({ check, outcome })),
      ],
      forbidden: not,
    }));
}
