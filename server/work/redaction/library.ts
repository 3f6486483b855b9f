import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { Finding } from './finding.ts';

/** The part of secretlint's rule interface that its scanners use. */
interface LibraryRule {
  meta: { id: string };
  create(context: object, options: object): { file(source: object): unknown };
}

interface Report {
  message: { messageId: string };
  range: readonly [number, number];
}

const prefix = '@secretlint/secretlint-rule-';

const kinds: Record<string, string> = {
  '1password': '1password token',
  anthropic: 'anthropic key',
  aws: 'aws key',
  databricks: 'databricks token',
  docker: 'docker token',
  figma: 'figma token',
  github: 'github token',
  gitlab: 'gitlab token',
  grafana: 'grafana token',
  groq: 'groq key',
  'hashicorp-vault': 'vault token',
  huggingface: 'hugging face token',
  linear: 'linear key',
  notion: 'notion token',
  openai: 'openai key',
  privatekey: 'private key',
  sendgrid: 'sendgrid key',
  shopify: 'shopify token',
  slack: 'slack token',
  vercel: 'vercel token',
};

const leftOut = new Set([
  // Obeys comments in the text: "secretlint-disable" in a message would let every secret pass.
  'filter-comments',
  // Redacts the whole address; Baton's rule keeps the host, which the next agent needs.
  'basicauth',
  'database-connection-string',
  // Reports ranges that end before the end of the token.
  'npm',
  'gcp',
]);

// An account number is not secret; Baton's rule keeps the name of a key.
const harmless = new Set(['AWSAccountID', 'AWSSecretAccessKey']);

// Calls the rules without @secretlint/core, which is asynchronous and whose profiler keeps the marks of every call:
// 2,000 calls took 35 s, the next 2,000 took 124 s.
let found: Finding[] = [];

const scanners = (rules as readonly LibraryRule[])
  .map((rule) => ({ rule, name: rule.meta.id.replace(prefix, '') }))
  .filter(({ name }) => !leftOut.has(name))
  .map(({ rule, name }) => {
    const kind = kinds[name] ?? `${name} secret`;
    return rule.create(
      {
        createTranslator: () => (messageId: string) => ({ messageId }),
        report: ({ message, range: [start, end] }: Report) => {
          if (!harmless.has(message.messageId)) found.push({ kind, from: start, start, end });
        },
      },
      {},
    );
  });

export function findByLibrary(text: string): Finding[] {
  found = [];
  const source = { content: text, filePath: undefined, ext: '', contentType: 'text' };
  for (const scanner of scanners) scanner.file(source);
  return found;
}
