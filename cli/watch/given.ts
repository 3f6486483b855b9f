import { batonPrompt } from '../../server/work/log/transcripts/batonPrompt.ts';
import type { Workspace } from '../hook/work.ts';
import { treeDifference, type RecordedTree, type WorkingTree } from '../hook/workingTree.ts';
import type { History } from './history.ts';
import { differenceOf, type WorkPlace } from './place.ts';

/** A handoff that was accepted, with its prompt. */
export interface Accepted {
  id: string;
  sourceAgent: { id: string } | null;
  session: { id: string; title: string; workspace?: WorkPlace | null; workingTree?: RecordedTree | null };
  /** Where the log ends. */
  workspace?: Pick<WorkPlace, 'branch' | 'commit'> | null;
  /** Null until it moved the session. */
  targetAgentSession: { traceparent: string } | null;
  contextPrompt: { text: string };
}

export interface Given {
  /** Standard input. */
  prompt: string;
  /** Added to the environment of `baton watch`. Ids and a path only: recorded text in a variable could reach a shell. */
  env: Record<string, string>;
}

/** Decides what a command gets, with the history that it goes on with. */
export function givenTo(
  agent: string,
  url: string,
  { id, session, workspace, targetAgentSession, contextPrompt }: Accepted,
  history: History | null,
  here: Workspace,
  /** The state of the files here. */
  tree: WorkingTree | null = null,
): Given {
  const before =
    history === null
      ? ''
      : ' The conversation before this message is the log of the session, as Baton wrote it for you.';
  const place = session.workspace ?? null;
  const difference = differenceOf(
    here,
    place && { ...place, branch: workspace?.branch ?? place.branch, commit: workspace?.commit ?? place.commit },
  );
  const files = treeDifference(session.workingTree, tree);
  return {
    prompt: `${batonPrompt(agent, session.id, id)}${before} Do the work that follows. Its tools take ${session.id} as session. To pass the work on, use the tool baton_handoff or a tool transfer_to_...; without that you keep it.${difference}${files === null ? '' : ` ${files}`}\n\n${withoutMentions(contextPrompt.text)}\n`,
    env: {
      BATON_URL: url,
      BATON_AGENT: agent,
      BATON_SESSION: session.id,
      BATON_HANDOFF: id,
      BATON_RESUME: history?.id ?? '',
      BATON_TRANSCRIPT: history?.path ?? '',
      // The name that programs with OpenTelemetry read. The state of another trace does not belong to it.
      TRACEPARENT: targetAgentSession?.traceparent ?? '',
      TRACESTATE: '',
    },
  };
}

/**
 * Claude Code replaces `@path` in a prompt by the content of the file, also between fences: recorded text could read any file
 * of the user. Not after a backslash (seen with 2.1.197).
 */
const withoutMentions = (text: string): string => text.replace(/(?<![\w\\])@(?=\S)/g, '\\@');
