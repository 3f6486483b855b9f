import { setImmediate as letOthers } from 'node:timers/promises';
import { redactTexts, redactValue } from '../redaction/redact.ts';
import type { Called, Said, Transcript } from './transcripts/transcript.ts';

/** The longest that the process answers nobody else while it redacts. */
const yieldAfterMs = 5;

/** Takes the secrets out of what an import is about to store and to report, and counts them where they were: the one place where an import redacts. */
export async function redactNew(transcript: Transcript, tasksAreNew: boolean): Promise<void> {
  let last = performance.now();
  for (const entry of transcript.entries) {
    if (entry.kind === 'message') redactSaid(entry);
    else if (entry.kind === 'call') redactCall(entry);
    if (performance.now() - last < yieldAfterMs) continue;
    await letOthers();
    last = performance.now();
  }
  for (const standing of transcript.standings) {
    const { value, count } = redactValue({ folder: standing.folder, branch: standing.branch, commit: standing.commit });
    Object.assign(standing, value, { redactions: count });
  }
  const { facts } = transcript;
  const { value, count } = redactValue(facts.tasks);
  if (transcript.title !== null) transcript.title = redactTexts([transcript.title]).texts[0]!;
  transcript.facts = { ...facts, tasks: value, filesModified: redactTexts(facts.filesModified).texts };
  transcript.taskRedactions = tasksAreNew ? count : 0;
}

/** All parts at once: a secret may begin in one and end in the next. */
function redactSaid(said: Said): void {
  const { texts, count } = redactTexts(said.parts.map(({ text }) => text));
  said.parts = said.parts.map(({ line }, index) => ({ line, text: texts[index]! }));
  said.redactions = count;
}

function redactCall(call: Called): void {
  const { arguments: args, result, error, filesModified } = call;
  const { value, count } = redactValue({ args, result, error, filesModified });
  call.arguments = value.args;
  call.result = value.result;
  call.error = value.error;
  call.filesModified = value.filesModified;
  call.redactions = count;
}
