import { countRedactions } from '../redaction/redact.ts';
import type { Context } from './context.ts';

/** How many secrets were taken out of what a Context carries. */
export const redactionsIn = (context: Context): number => countRedactions(JSON.stringify(context));
