import { commandLine } from '../server/core/place.ts';
import { withApi } from './api.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { print, printJson, printLine } from './output.ts';
import { serverUrl, urlUsage } from './serverUrl.ts';

const usage = `${commandLine('inbox <agent>')} [options]

Lists the handoffs that wait for an agent, oldest first: id, source, reason, title of the session. Changes nothing.

  --prompt            prints the context of each handoff too, as the agent's model reads it
  --json              prints the handoffs as a JSON list
${urlUsage}

Set BATON_KEY where the server requires a key.`;

interface Waiting {
  id: string;
  reason: string | null;
  initiatedAt: string;
  deadlineAt: string;
  sourceAgent: { id: string } | null;
  session: { id: string; title: string };
  contextPrompt?: { text: string };
}

interface Page {
  handoffs: { nodes: Waiting[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

const query = `query BatonInbox($agent: ID!, $after: String, $prompt: Boolean!) {
  handoffs(first: 20, after: $after, where: { targetAgentId: $agent, status: [INITIATED] }, orderBy: { field: INITIATED_AT, direction: ASC }) {
    nodes { id reason initiatedAt deadlineAt sourceAgent { id } session { id title } contextPrompt @include(if: $prompt) { text } }
    pageInfo { hasNextPage endCursor }
  }
}`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      prompt: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const [agent, ...more] = positionals;
  if (agent === undefined || more.length > 0) throw new UsageError();
  const waiting = await withApi(serverUrl(values.url), async (ask) => {
    const found: Waiting[] = [];
    for (let after: string | null = null, isMore = true; isMore;) {
      const { handoffs }: Page = await ask<Page>(query, { agent, after, prompt: values.prompt });
      found.push(...handoffs.nodes);
      [after, isMore] = [handoffs.pageInfo.endCursor, handoffs.pageInfo.hasNextPage];
    }
    return found;
  });
  if (values.json) return printJson(waiting, 2);
  if (waiting.length === 0) return printLine(`No handoff waits for ${agent}`);
  for (const { id, sourceAgent, reason, session, contextPrompt } of waiting) {
    printLine([id, sourceAgent?.id ?? '-', reason ?? '-', session.title].join('  '));
    if (contextPrompt !== undefined) print(contextPrompt.text);
  }
}

export const inbox: Command = { usage, run };
