import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { realDataFolder } from '../realData.ts';
import type { Harmless } from './samples.ts';

/** All texts in the real tools' files, by tool. The folders are public. */
export function realTexts(): Harmless[] {
  const folder = realDataFolder!;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  const texts = new Map<string, string>();
  for (const name of files) {
    const content = readFileSync(join(folder, name), 'utf8');
    const documents = name.endsWith('.jsonl')
      ? content.split('\n').flatMap(parsed)
      : name.endsWith('.json')
        ? parsed(content)
        : [content];
    for (const text of documents.flatMap(textsIn)) texts.set(text, `real ${name.split(/[/\\]/)[0]!}`);
  }
  return [...texts].map(([text, kind]) => ({ kind, written: { text } }));
}

function parsed(json: string): unknown[] {
  try {
    return [JSON.parse(json)];
  } catch {
    return [];
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
