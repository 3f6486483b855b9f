import { commandLine } from '../server/core/place.ts';
import { AwayError, StartError } from '../server/core/startError.ts';
import { UsageError } from './command.ts';

export const urlUsage = `  --url <url>         the address of Baton; default: BATON_URL, else http://127.0.0.1, PORT (default 4000) and BATON_BASE_PATH`;

/** The server's address without a slash at its end. @throws UsageError */
export function serverUrl(
  given: string | undefined,
  { BATON_URL, PORT, BATON_BASE_PATH }: NodeJS.ProcessEnv = process.env,
): string {
  const url = given ?? (BATON_URL || `http://127.0.0.1:${PORT || '4000'}${BATON_BASE_PATH ?? ''}`);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`'${url}' is not the address of a server: give one such as http://127.0.0.1:4000`);
  return url.replace(/\/+$/, '');
}

/** Reports a wrong address before work begins. @throws AwayError */
export async function requireServer(url: string): Promise<void> {
  await fetch(`${url}/livez`).catch((error: unknown) => {
    throw nothingAnswers(url, error);
  });
}

export function nothingAnswers(url: string, error: unknown): AwayError {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return new AwayError(
    `Nothing answers at ${url} (${cause?.code ?? cause?.message ?? String(error)}): start Baton there, or give its address with --url`,
  );
}

/** Why a command ends when Baton asks for a valid key. */
export function keyRefused(url: string): StartError {
  const problem = process.env['BATON_KEY']
    ? `Baton at ${url} does not know the key in BATON_KEY: set it to one that is valid`
    : `Baton at ${url} needs a key: set BATON_KEY`;
  return new StartError(`${problem} (${commandLine('key create')})`);
}
