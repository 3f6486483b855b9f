import { z } from 'zod';
import { InvalidStateError, NotFoundError } from '../../core/errors.ts';
import { runWork } from '../../core/runWork.ts';
import type { ImportReport, TypeCount } from '../../work/log/importReport.ts';
import { withPrepared, type ImportSource } from '../../work/log/importThread.ts';
import { type ImportAnswer, importNewSession, importTranscript } from '../../work/log/importTranscript.ts';
import { demandReadableSession } from '../../work/log/queries.ts';
import { formats } from '../../work/log/transcripts/formats.ts';
import { piecesOf } from '../../work/log/transcripts/lines.ts';
import type {
  Count,
  ImportedTask,
  TranscriptFormat as TranscriptFormatName,
} from '../../work/log/transcripts/transcript.ts';
import { workers } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { TaskStatus } from '../graphql/enums.ts';
import { agentId, idOf, optional, showAs, withDefault } from '../graphql/input/schemas.ts';
import { demandMutation, mutation, sessionOf, type Fields } from '../graphql/mutation.ts';

const TranscriptFormat = builder.enumType('TranscriptFormat', {
  description: 'Formats of transcripts.',
  values: {
    AUTO: { description: 'Detects the format by the first lines. Never returned.' },
    CLAUDE_CODE: { description: 'Claude Code: the JSON lines of a session, or of one of its sub-agents.' },
    CODEX: { description: 'OpenAI Codex: a rollout.' },
    GEMINI_CLI: { description: 'Gemini CLI: a session, as JSON lines (0.40 and later) or as one JSON document.' },
    OPENCODE: { description: 'OpenCode: what `opencode export` or `opencode run --format json` prints.' },
    COPILOT_CLI: { description: 'GitHub Copilot CLI: the `events.jsonl` of a session.' },
    CURSOR_CLI: { description: 'Cursor CLI: what `--output-format stream-json` prints, or an agent transcript.' },
    AIDER: { description: 'Aider: the Markdown history of a chat. Commands have no output in it.' },
  },
});

const EntryTypeCount = builder.objectRef<TypeCount>('EntryTypeCount').implement({
  access: 'inherit',
  description: 'Number of entries of one type in a transcript.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Type as the file names it.' }),
    count: t.exposeInt('count', { description: 'Number of entries.' }),
  }),
});

const ToolCount = builder.objectRef<Count>('ToolCount').implement({
  access: 'inherit',
  description: 'Number of calls of one tool in a transcript.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the tool.' }),
    count: t.exposeInt('count', { description: 'Number of calls. A call that the file repeats counts once.' }),
  }),
});

const ImportedTaskType = builder.objectRef<ImportedTask>('ImportedTask').implement({
  access: 'inherit',
  description: 'A task of the last list in a transcript.',
  fields: (t) => ({
    content: t.exposeString('content', { description: 'What is to be done.' }),
    status: t.expose('status', { type: TaskStatus, description: 'Status of the task.' }),
  }),
});

const ImportReportType = builder.objectRef<ImportReport>('ImportReport').implement({
  access: 'inherit',
  description:
    'What an import read and wrote. Counts of added, filled and known items concern this import; all others concern the whole file.',
  fields: (t) => ({
    format: t.expose('format', { type: TranscriptFormat, description: 'Format in which the file was read.' }),
    lines: t.exposeInt('lines', { description: 'Number of lines, without blank lines.' }),
    badLines: t.exposeInt('badLines', {
      description: 'Lines that are too long to read, or damaged when the upload leaves those out; skipped.',
    }),
    hugeLines: t.exposeInt('hugeLines', {
      description:
        'Lines of `badLines` with more than 8 million characters, 150,000 values and names, or 1,000 levels.',
    }),
    entryTypes: t.field({
      type: [EntryTypeCount],
      listSize: partOfRecord,
      description: 'Number of entries by type.',
      resolve: ({ entryTypes }) => entryTypes,
    }),
    unknownTypes: t.field({
      type: [EntryTypeCount],
      listSize: partOfRecord,
      description: 'Types of `entryTypes` that Baton does not know; skipped.',
      resolve: ({ unknownTypes }) => unknownTypes,
    }),
    humanMessages: t.exposeInt('humanMessages', { description: 'Messages of people. Each begins a Turn.' }),
    assistantMessages: t.exposeInt('assistantMessages', {
      description: 'Messages of models, including sub-agents. A message that spans several lines counts once.',
    }),
    firstAt: t.expose('firstAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Earliest time in the file; null when it has none.',
    }),
    lastAt: t.expose('lastAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Latest time in the file; null when it has none.',
    }),
    messagesAdded: t.exposeInt('messagesAdded', { description: 'Messages added to the log.' }),
    turnsAdded: t.exposeInt('turnsAdded', { description: 'Turns added to the log.' }),
    toolCallsAdded: t.exposeInt('toolCallsAdded', { description: 'ToolCalls added to the log.' }),
    toolCalls: t.field({
      type: [ToolCount],
      listSize: partOfRecord,
      description: 'Number of tool calls by tool.',
      resolve: ({ toolCalls }) => toolCalls,
    }),
    resultsFilled: t.exposeInt('resultsFilled', {
      description: 'ToolCalls of the log that had no result before and have one now.',
    }),
    toolErrors: t.exposeInt('toolErrors', { description: 'Failed tool calls.' }),
    filesModified: t.exposeStringList('filesModified', {
      description: 'Paths written by successful tool calls, in alphabetical order. At most 10,000, with 512 KB in all.',
    }),
    tasks: t.field({
      type: [ImportedTaskType],
      listSize: partOfRecord,
      description: 'The last list of tasks in the file, in order; empty when it has none.',
      resolve: ({ tasks }) => tasks,
    }),
    usage: t.field({
      type: 'Usage',
      description: 'Tokens of all messages, each counted once.',
      resolve: ({ usage }) => usage,
    }),
    compactions: t.exposeInt('compactions', {
      description: "Number of times the agent's window was cut. Each new one captures a TRUNCATION snapshot.",
    }),
    sidechainLines: t.exposeInt('sidechainLines', { description: 'Lines of sub-agents.' }),
    thinkingBlocks: t.exposeInt('thinkingBlocks', { description: 'Blocks of thinking; counted, not stored.' }),
    replacedCharacters: t.exposeInt('replacedCharacters', {
      description: 'NUL characters and unpaired surrogates replaced by U+FFFD.',
    }),
    shortened: t.exposeInt('shortened', {
      description: 'Texts and values that exceeded the limit of a field and were shortened.',
    }),
    redactions: t.exposeInt('redactions', { description: 'Secrets removed from what was added.' }),
    alreadyKnown: t.exposeInt('alreadyKnown', { description: 'Lines that an earlier import had brought; skipped.' }),
  }),
});

/** Options of an import, in GraphQL and in the URL of an upload. */
export const importOptions = {
  agentId: optional(agentId),
  format: withDefault(
    showAs(
      z.enum(['AUTO', ...(Object.keys(formats) as TranscriptFormatName[])], {
        message: `is not a known format: give AUTO, ${Object.keys(formats).join(', ')}`,
      }),
      {
        type: TranscriptFormat,
      },
    ),
    'AUTO',
  ),
};

type Source = Pick<ImportSource, 'chunks' | 'format' | 'sidechain' | 'skipDamaged' | 'hasTurn'>;

/**
 * Reads, redacts and imports a transcript with the caller's rights. Does not use `run`: a worker thread redacts, and the entries refer
 * to each other.
 */
export async function runImport(
  { pool, log, caller, streams, settings }: GraphQLContext,
  {
    sessionId,
    agentId,
    windowFull,
    ...source
  }: { sessionId: string; agentId: string | null; windowFull: boolean } & Source,
): Promise<ImportAnswer> {
  demandMutation(caller, 'importTranscript');
  // Refuses early, before a large file is read; the write is authorised again under the lock.
  const onRecognised = () => demandReadableSession(pool, caller, sessionId);
  const { principal } = caller;
  return withPrepared(
    { pool, log, principal },
    { sessionId, ...source, mayBeEmpty: windowFull, onRecognised },
    (transcript) =>
      runWork({ pool, announcer: streams, log, caller, mutation: 'importTranscript', input: {} }, (work) =>
        importTranscript(work, { sessionId, agentId, transcript, windowFull }, settings),
      ),
  );
}

/** Imports into a new Session, which is created after the whole file was read: a refused file leaves nothing. */
export async function runImportOfNew(
  { pool, log, caller, streams, settings }: GraphQLContext,
  { title, agentId, ...source }: { title: string | null; agentId: string | null } & Source,
): Promise<ImportAnswer> {
  demandMutation(caller, 'createSession');
  demandMutation(caller, 'importTranscript');
  const { principal } = caller;
  return withPrepared({ pool, log, principal }, { sessionId: null, ...source }, (transcript) =>
    runWork({ pool, announcer: streams, log, caller, mutation: 'importTranscript', input: {} }, (work) =>
      importNewSession(work, { title, agentId, handoffsEnabled: settings.handoffsEnabled, transcript }, settings),
    ),
  );
}

mutation('importTranscript', {
  access: workers,
  description:
    'Appends the new parts of a transcript to the log as history: it accepts or completes no Handoff and changes no Context. Importing the same transcript again changes nothing; a longer version adds what is new. For files over 1 MB use POST /sessions/<id>/transcript.',
  input: z.object({
    sessionId: idOf('session').describe('The Session to write to. It must not be finished; an AGENT must hold it.'),
    agentId: importOptions.agentId.describe(
      'Agent of the Turns. It must have or have had the Session. Null: the holder; no Agent when the Session is unassigned.',
    ),
    format: importOptions.format.describe('Format of the file.'),
    content: z.string().describe('The whole file as text.'),
    sidechain: withDefault(z.boolean(), false).describe(
      "True when the whole file is a sub-agent's transcript. Its prompt then counts as no Message of a person.",
    ),
    windowFull: withDefault(z.boolean(), false).describe(
      "True when the program is about to compact its window: proposes a handoff (HANDOFF_PROPOSED), as usage over the server's limit does. `content` may be empty then, when the format is given.",
    ),
  }),
  payload: {
    description: 'The new parts of the transcript are in the log.',
    fields: (t: Fields<ImportAnswer>) => ({
      report: t.field({
        type: ImportReportType,
        description: 'What was read and written.',
        resolve: ({ report }) => report,
      }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, InvalidStateError],
  resolve: ({ content, ...options }, context) =>
    runImport(context, { ...options, chunks: piecesOf(content), hasTurn: false }),
});
