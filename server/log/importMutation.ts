import { z } from 'zod';
import { workers } from '../access/roles.ts';
import { InvalidStateError, NotFoundError } from '../core/errors.ts';
import { runWork } from '../core/runWork.ts';
import { builder } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { TaskStatus } from '../graphql/enums.ts';
import { agentId, idOf, optional, showAs, withDefault } from '../graphql/input/schemas.ts';
import { demandMutation, mutation, sessionOf, type Fields } from '../graphql/mutation.ts';
import type { ImportReport, TypeCount } from './importReport.ts';
import { type ImportAnswer, importNewSession, importTranscript } from './importTranscript.ts';
import { prepareImport } from './prepareImport.ts';
import { demandReadableSession } from './queries.ts';
import type { ReadOptions } from './transcripts/detect.ts';
import { piecesOf } from './transcripts/lines.ts';
import type { Count, ImportedTask } from './transcripts/transcript.ts';

const TranscriptFormat = builder.enumType('TranscriptFormat', {
  description: 'Who wrote a transcript.',
  values: {
    AUTO: { description: 'To be recognised by its first lines; never in an answer.' },
    CLAUDE_CODE: { description: 'Claude Code: the JSON lines of a session, or of one of its sub-agents.' },
    CODEX: { description: 'OpenAI Codex: a rollout.' },
    GEMINI_CLI: { description: 'Gemini CLI: a session, which is one JSON document.' },
  },
});

const EntryTypeCount = builder.objectRef<TypeCount>('EntryTypeCount').implement({
  access: 'inherit',
  description: 'How many entries of a type a transcript has.',
  fields: (t) => ({
    type: t.exposeString('type', { description: "The type, in the file's own words." }),
    count: t.exposeInt('count', { description: 'How many there are.' }),
  }),
});

const ToolCount = builder.objectRef<Count>('ToolCount').implement({
  access: 'inherit',
  description: 'How often a transcript calls a tool.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the tool.' }),
    count: t.exposeInt('count', { description: 'How many calls there are; one that the file repeats is one.' }),
  }),
});

const ImportedTaskType = builder.objectRef<ImportedTask>('ImportedTask').implement({
  access: 'inherit',
  description: 'A task of the last list in a transcript.',
  fields: (t) => ({
    content: t.exposeString('content', { description: 'What is to be done.' }),
    status: t.expose('status', { type: TaskStatus, description: 'How far it is.' }),
  }),
});

const ImportReportType = builder.objectRef<ImportReport>('ImportReport').implement({
  access: 'inherit',
  description: 'What an import read and what it wrote. What is not said to have been added, filled or known is of the whole file.',
  fields: (t) => ({
    format: t.expose('format', { type: TranscriptFormat, description: 'The format that it was read as.' }),
    lines: t.exposeInt('lines', { description: 'Its lines, blank ones left out.' }),
    badLines: t.exposeInt('badLines', { description: 'Lines that are no JSON object, or too long to be read; they were skipped.' }),
    hugeLines: t.exposeInt('hugeLines', { description: 'Those of `badLines` that were too long to be read: more than 8 million characters.' }),
    entryTypes: t.field({ type: [EntryTypeCount], listSize: partOfRecord, description: 'Its entries by type.', resolve: ({ entryTypes }) => entryTypes }),
    unknownTypes: t.field({ type: [EntryTypeCount], listSize: partOfRecord, description: 'Those of `entryTypes` that Baton does not know; they were skipped.', resolve: ({ unknownTypes }) => unknownTypes }),
    humanMessages: t.exposeInt('humanMessages', { description: 'Messages of people; each begins a Turn.' }),
    assistantMessages: t.exposeInt('assistantMessages', { description: 'Messages of models, sub-agents included; one that spans several lines is one.' }),
    firstAt: t.expose('firstAt', { type: 'DateTime', nullable: true, description: 'The earliest moment in it; null when it tells none.' }),
    lastAt: t.expose('lastAt', { type: 'DateTime', nullable: true, description: 'The latest moment in it; null when it tells none.' }),
    messagesAdded: t.exposeInt('messagesAdded', { description: 'Messages that are new in the log.' }),
    turnsAdded: t.exposeInt('turnsAdded', { description: 'Turns that are new in the log.' }),
    toolCallsAdded: t.exposeInt('toolCallsAdded', { description: 'ToolCalls that are new in the log.' }),
    toolCalls: t.field({ type: [ToolCount], listSize: partOfRecord, description: 'Its tool calls by tool.', resolve: ({ toolCalls }) => toolCalls }),
    resultsFilled: t.exposeInt('resultsFilled', { description: 'ToolCalls of the log that had no result yet, and have it now.' }),
    toolErrors: t.exposeInt('toolErrors', { description: 'Its tool calls that failed.' }),
    filesModified: t.exposeStringList('filesModified', { description: 'The paths that its tool calls wrote, those that failed left out; in alphabetical order.' }),
    tasks: t.field({ type: [ImportedTaskType], listSize: partOfRecord, description: 'Its last list of tasks, in order; empty when it has none.', resolve: ({ tasks }) => tasks }),
    usage: t.field({ type: 'Usage', description: 'The tokens of all its messages, each counted once.', resolve: ({ usage }) => usage }),
    compactions: t.exposeInt('compactions', { description: "How often the agent's window was cut; each new one captures a TRUNCATION snapshot." }),
    sidechainLines: t.exposeInt('sidechainLines', { description: 'Lines of sub-agents.' }),
    thinkingBlocks: t.exposeInt('thinkingBlocks', { description: 'Blocks of thinking; they are counted and not stored.' }),
    replacedCharacters: t.exposeInt('replacedCharacters', { description: 'NUL characters and unpaired surrogates that were replaced by U+FFFD.' }),
    shortened: t.exposeInt('shortened', { description: 'Texts and values that were larger than a field may be, and were shortened.' }),
    redactions: t.exposeInt('redactions', { description: 'Secrets that were taken out of what was added.' }),
    alreadyKnown: t.exposeInt('alreadyKnown', { description: 'Lines that an earlier import had brought; they were skipped.' }),
  }),
});

/** What names an import, in GraphQL and in the address of an upload. */
export const importOptions = {
  agentId: optional(agentId),
  format: withDefault(
    showAs(z.enum(['AUTO', 'CLAUDE_CODE', 'CODEX', 'GEMINI_CLI'], { message: 'is no format that Baton knows: give AUTO, CLAUDE_CODE, CODEX or GEMINI_CLI' }), {
      type: TranscriptFormat,
    }),
    'AUTO',
  ),
};

/**
 * Reads, redacts and imports a transcript as whoever asks. Not by `run`: what is new of it is redacted as it is
 * prepared, and the entries refer to each other.
 */
export async function runImport(
  { pool, log, caller, streams }: GraphQLContext,
  { sessionId, agentId, ...source }: { sessionId: string; agentId: string | null; chunks: AsyncIterable<Uint8Array | string> } & ReadOptions,
): Promise<ImportAnswer> {
  demandMutation(caller, 'importTranscript');
  // Before a large file is read for nothing; whether it may be written is decided under the lock.
  const onRecognised = () => demandReadableSession(pool, caller, sessionId);
  const transcript = await prepareImport(pool, { sessionId, ...source, onRecognised });
  return runWork({ pool, announcer: streams, log, caller, mutation: 'importTranscript', input: {} }, (work) => importTranscript(work, { sessionId, agentId, transcript }));
}

/** The same into a Session that is created for it, once the whole file was read: a file that is refused leaves nothing. */
export async function runImportOfNew(
  { pool, log, caller, streams, settings }: GraphQLContext,
  { title, agentId, ...source }: { title: string | null; agentId: string | null; chunks: AsyncIterable<Uint8Array | string> } & ReadOptions,
): Promise<ImportAnswer> {
  demandMutation(caller, 'createSession');
  demandMutation(caller, 'importTranscript');
  const transcript = await prepareImport(pool, { sessionId: null, ...source });
  const input = { title, agentId, handoffsEnabled: settings.handoffsEnabled, transcript };
  return runWork({ pool, announcer: streams, log, caller, mutation: 'importTranscript', input: {} }, (work) => importNewSession(work, input));
}

mutation('importTranscript', {
  access: workers,
  description:
    'Writes what is new of a transcript into the log, as history: no Handoff is accepted or completed by it, and no Context changes. The same transcript again changes nothing; a longer version of it adds what is new. One that is larger than a request may be goes to POST /sessions/<id>/transcript.',
  input: z.object({
    sessionId: idOf('session').describe('The Session to write to: any that is not finished; for an Agent one that it holds.'),
    agentId: importOptions.agentId.describe("Whose Turns they are: an Agent that has or had the Session; the holder's when null, or nobody's when nobody holds it."),
    format: importOptions.format.describe('Who wrote it.'),
    content: z.string().describe('The file, as it is.'),
    sidechain: withDefault(z.boolean(), false).describe("True when the whole file is a sub-agent's: its prompt is no message of a person."),
  }),
  payload: {
    description: 'What is new of the transcript is in the log.',
    fields: (t: Fields<ImportAnswer>) => ({
      report: t.field({ type: ImportReportType, description: 'What was read and what was written.', resolve: ({ report }) => report }),
      session: sessionOf(t),
    }),
  },
  errors: [NotFoundError, InvalidStateError],
  resolve: ({ content, ...options }, context) => runImport(context, { ...options, chunks: piecesOf(content) }),
});
