import type { Context } from './context.ts';
import { readActions } from './derive/actions.ts';
import { checksOf } from './derive/checks.ts';
import { failedAttemptsOf } from './derive/failedAttempts.ts';
import type { RecordedLog } from './derive/log.ts';
import { openQuestionsOf } from './derive/openQuestions.ts';
import { workspaceOf } from './derive/workspace.ts';
import { weightOf } from './requests.ts';
import { shorten } from './shorten.ts';
import { bounds, type Sources } from './sources.ts';

type Facts = Pick<Context, 'workspace' | 'checks' | 'failedAttempts' | 'openQuestions'>;

const longestPlace = 1_000;

/** What the log says about where the work stands, as far as it was read. */
export function factsOf(sources: Sources): Facts {
  const log = logOf(sources);
  const actions = readActions(log);
  const { folder, branch, commit } = workspaceOf(log, actions);
  const place = (value: string | null): string | null => value && shorten(value, longestPlace);
  return {
    workspace: folder === null && branch === null && commit === null ? null : { folder: place(folder), branch: place(branch), commit: place(commit) },
    checks: checksOf(log, actions),
    failedAttempts: failedAttemptsOf(log, actions),
    openQuestions: openQuestionsOf(log),
  };
}

function logOf({ byUsers, recent, lastAssistant, calls, workspaces }: Sources): RecordedLog {
  // A command that steers the program answers nobody's question.
  const users = byUsers.filter(({ content }) => weightOf(content) > 0);
  // Of a message that was read only in part, the end is missing.
  const others = recent.filter(({ sequence }) => sequence !== lastAssistant?.sequence).map((said) => (said.content.length > bounds.messageCharacters ? { ...said, content: '' } : said));
  const messages = [...users, ...others, ...(lastAssistant === null ? [] : [lastAssistant])].sort((a, b) => a.sequence - b.sequence);
  return { messages, calls, workspaces };
}
