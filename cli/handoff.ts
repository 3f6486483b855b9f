import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { Api } from '../client/api/request.ts';
import { InitiateHandoffDocument } from '../client/api/operations.ts';
import { commandLine } from '../server/core/place.ts';
import { StartError } from '../server/core/startError.ts';
import { withApi } from './api.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { printJson, printLine, tellLine } from './output.ts';
import { importUnsent, type Tenure } from './native/importUnsent.ts';
import { workIn } from './hook/work.ts';
import { workingTreeIn } from './hook/workingTree.ts';
import { serverUrl, urlUsage } from './serverUrl.ts';

const usage = `${commandLine('handoff <agent>')} [options]

Hands a session off from its holder to the agent, with the same rules as for the holder itself. The agent is named by its
id, or by a display name, a role or a type that it alone has. The session of a folder takes with it what the holder's program wrote
there and no hook has sent, and the state of the folder's files.

  --session <id>      the session; default: BATON_SESSION, else that of this folder and branch
  --reason <text>     the reason, for the agent and for people
  --summary <text>    a summary of the work; default: Baton composes one
  --queue             waits for the agent when it has no free place
  --json              prints the handoff and the session as JSON
${urlUsage}

Set BATON_KEY where the server requires a key.`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      session: { type: 'string' },
      reason: { type: 'string' },
      summary: { type: 'string' },
      queue: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const [targetAgentId, ...more] = positionals;
  if (targetAgentId === undefined || more.length > 0) throw new UsageError();
  const { reason, summary } = values;
  const url = serverUrl(values.url);
  const { handoff, session } = await withApi(url, async (ask) => {
    const sessionId = values.session ?? (process.env['BATON_SESSION'] || (await sessionHere(ask)));
    const tenure = values.session === undefined ? await tenureOf(ask, sessionId) : null;
    for (const problem of tenure === null ? [] : await importUnsent(url, realpathSync('.'), tenure))
      tellLine(`A log was not imported: ${problem}`);
    const tree = values.session === undefined ? await workingTreeIn(realpathSync('.')) : null;
    if (tree !== null)
      await ask(recordTree, { input: { sessionId, ...tree } }).catch(({ message }: Error) =>
        tellLine(`The working tree was not recorded: ${message}`),
      );
    return ask(InitiateHandoffDocument, {
      input: {
        sessionId,
        targetAgentId,
        ...(reason !== undefined && { reason }),
        ...(summary !== undefined && { summary }),
        queue: values.queue,
        idempotencyKey: randomUUID(),
      },
    });
  });
  if (values.json) printJson({ handoff, session }, 2);
  else if (handoff === null) printLine(`${session.id} waits for a free place`);
  else
    printLine(`${handoff.id}: ${handoff.sourceAgent?.id ?? '-'} handed ${session.id} off to ${handoff.targetAgent.id}`);
}

const recordTree =
  'mutation BatonTree($input: RecordWorkingTreeInput!) { answer: recordWorkingTree(input: $input) { __typename ... on Error { code message } } }';

/** The holder's tenure; null when no agent holds the session. */
async function tenureOf(ask: Api, id: string): Promise<Tenure | null> {
  const { session } = await ask<{ session: { agentSession: Omit<Tenure, 'id'> | null } | null }>(
    'query BatonTenure($id: ID!) { session(id: $id) { agentSession { startedAt agent { id type } } } }',
    { id },
  );
  return session?.agentSession == null ? null : { id, ...session.agentSession };
}

async function sessionHere(ask: Api): Promise<string> {
  const { externalId } = workIn(realpathSync('.'));
  const { session } = await ask<{ session: { id: string } | null }>(
    'query BatonSessionHere($externalId: String!) { session(externalId: $externalId) { id } }',
    { externalId },
  );
  if (session === null) throw new StartError('No session belongs to this folder and branch: give one with --session');
  return session.id;
}

export const handoff: Command = { usage, run };
