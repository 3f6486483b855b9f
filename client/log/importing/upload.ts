import type { Outcome } from '../../acts/outcome.ts';
import { authorization, endpoints } from '../../urql.ts';

/** The part of the import's report that the dashboard shows. */
export interface Imported {
  sessionId: string;
  messagesAdded: number;
  toolCallsAdded: number;
  alreadyKnown: number;
  redactions: number;
}

export interface UploadOptions {
  /** The session to write to; null creates one. */
  sessionId: string | null;
  agentId: string;
  format: string;
  title: string;
}

/** Attempts while the server is busy. */
const most = 10;

/** Sends a transcript, and again while the server answers that it is busy and changed nothing. */
export async function upload(
  file: File,
  { sessionId, agentId, format, title }: UploadOptions,
  key: string | null,
): Promise<Outcome<Imported>> {
  const query = new URLSearchParams({
    format,
    ...(agentId !== '' && { agentId }),
    ...(title.trim() !== '' && { title: title.trim() }),
  });
  for (let tries = 1; ; tries += 1) {
    let response: Response;
    let body: { errors?: { message: string }[] };
    try {
      response = await fetch(endpoints.transcript(sessionId ?? 'new', query), {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', ...authorization(key) },
        body: file,
      });
      body = (await response.json()) as typeof body;
    } catch {
      return {
        done: false,
        message: 'Baton did not answer: check that the server is running. A new session may exist already.',
        isUnknown: true,
      };
    }
    if (response.ok && body.errors === undefined) return { done: true, payload: body as unknown as Imported };
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (response.status !== 503 || !Number.isFinite(seconds) || tries === most)
      return { done: false, message: body.errors?.[0]?.message ?? `Baton answered ${response.status}.` };
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}
