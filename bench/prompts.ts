import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { buildContext } from '../server/work/context/build.ts';
import { itemsOf } from '../server/work/context/items.ts';
import { pack } from '../server/work/context/pack.ts';
import { moveOf } from '../server/work/context/preview.ts';
import { readSources } from '../server/work/context/sources.ts';
import { importTranscript } from '../server/work/log/importTranscript.ts';
import { prepareImport } from '../server/work/log/prepareImport.ts';
import { piecesOf } from '../server/work/log/transcripts/lines.ts';
import { world } from '../test/world.ts';
import type { Place } from './place.ts';
import { aiderCases } from './promptCases/aider.ts';
import type { Case, Fact } from './promptCases/facts.ts';
import { generatedCases } from './promptCases/generated.ts';
import { realCases } from './promptCases/real.ts';
import { atLeast, atMost, type Line } from './report.ts';

const sizes = [1_000, 4_000, 16_000] as const;
const goals = { recall: 0.97, noise: 0.1 };

/** Recall of facts and share of noise in the prompts of many transcripts. `PROMPTS` names a folder for the texts, `SEED` other transcripts. */
export async function prompts(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { pool } = await place.database();
  const folder = process.env['PROMPTS'];
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const seed = Number(process.env['SEED'] ?? 1);
  const cases = [...generatedCases(seed), ...aiderCases(seed), ...realCases()];
  const promptOf = await packer(pool);
  const measured = sizes.map((size) => ({ size, recalls: [] as number[], noises: [] as number[] }));
  for (const one of cases) {
    const prompt = await promptOf(one);
    for (const { size, recalls, noises } of measured) {
      const text = prompt(size);
      if (folder !== undefined) writeFileSync(join(folder, `${one.name.replaceAll(/[^\w.]+/g, '-')}.${size}.md`), text);
      const missed = one.facts.filter((fact) => !tells(text, fact));
      recalls.push(one.facts.length === 0 ? 1 : 1 - missed.length / one.facts.length);
      const noise = noiseIn(text, one);
      noises.push(noise);
      if (missed.length > 0 || noise > goals.noise)
        say(
          `${one.name} at ${size}: noise ${percent(noise)}${missed.length === 0 ? '' : `, missed ${missed.length} of ${one.facts.length}: ${missed.slice(0, 6).map(nameOf).join('; ')}`}`,
        );
    }
  }
  return measured.flatMap(({ size, recalls, noises }) => [
    {
      what: `Facts that a prompt of ${size} tokens tells, of ${cases.length} transcripts`,
      figure: mean(recalls).toFixed(3),
      ...(size >= 4_000 && { goal: atLeast(mean(recalls), goals.recall) }),
    },
    {
      what: `Share of it that is noise or said twice`,
      figure: mean(noises).toFixed(3),
      goal: atMost(mean(noises), goals.noise),
    },
  ]);
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const percent = (share: number): string => `${Math.round(100 * share)} %`;
const nameOf = (fact: Fact): string =>
  'says' in fact ? fact.says.slice(0, 80) : 'file' in fact ? fact.file : `${fact.check} ${fact.outcome}`;

/** Imports the transcripts of a case and returns its prompts by size. */
async function packer(pool: Pool): Promise<(one: Case) => Promise<(maxTokens: number) => string>> {
  const { agent, session, reassign, run } = world(pool);
  const agents = Array.from({ length: 6 }, (_, n) => `agent-${n}`);
  for (const id of agents) await agent(id, { maxCapacity: 1_000 });
  const reader = {
    query: async (prepared: { name: string; text: string }, values: unknown[]) =>
      (await pool.query<object>({ ...prepared, values })).rows,
  };
  return async ({ name, legs, sidechain = false }) => {
    const sessionId = await session(agents[0]!, { title: name });
    for (const [index, { text }] of legs.entries()) {
      if (index > 0) await reassign(sessionId, { agentId: agents[index]!, reason: legs[index - 1]!.reason });
      const transcript = await prepareImport(pool, {
        sessionId,
        format: 'AUTO',
        sidechain,
        chunks: piecesOf(text),
      });
      await run(importTranscript, { sessionId, agentId: agents[index]!, transcript });
    }
    const target = 'agent-5';
    const reason = legs.at(-1)!.reason;
    const sources = (await readSources(reader, sessionId))!;
    const context = buildContext(sources, {
      summary: null,
      variables: {},
      instructions: null,
      passage: { to: target, depth: legs.length, reason, tool: { name: `transfer_to_${target}`, instructions: null } },
    });
    const items = itemsOf(context, { reason: reason === '' ? null : reason });
    const move = moveOf(context, { title: name, sourceAgentId: sources.sourceAgentId, targetAgentId: target });
    return (maxTokens) => pack(items, move, { maxTokens, maxCharacters: null }).text;
  };
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

function tells(text: string, fact: Fact): boolean {
  if ('says' in fact) return plain(text).includes(plain(fact.says));
  if ('check' in fact)
    return text.split('\n').some((line) => line.startsWith(`- ${fact.outcome}`) && line.includes(fact.check));
  return namesFile(text, fact.file);
}

/** Whether a line names the file, whole or by its folder and then its name. */
function namesFile(text: string, file: string): boolean {
  if (text.includes(file)) return true;
  const cut = file.lastIndexOf('/');
  const [folder, name] = [file.slice(0, cut + 1), file.slice(cut + 1)];
  return text.split('\n').some(
    (line) =>
      line.includes(folder) &&
      line
        .slice(line.indexOf(folder) + folder.length)
        .split(/[\s,:]+/)
        .includes(name),
  );
}

/** Words in a row that make a passage recognisable. */
const run = 6;
/** Text of programs that no reader needs. */
const chatter =
  /^.*(Chunk ID: |Wall time: |Original token count: |Process exited with code |Process Group PGID: |Background PIDs: |<\/?system-reminder>|_handoff_\w+).*$/gm;

/** Share of the characters that are forbidden, of a program's own output, or were said before in the same prompt. */
function noiseIn(text: string, { forbidden }: Case): number {
  const unwanted = new Set(forbidden.flatMap((words) => runsOf(words, Math.min(run, wordsOf(words).length))));
  const words = wordsOf(text.replaceAll(chatter, (line) => line.replaceAll(/\S+/g, (word) => `\u0001${word}`)));
  const noisy = words.map((word) => word.startsWith('\u0001'));
  const seen = new Map<string, number>();
  for (let from = 0; from < words.length; from += 1) {
    for (let length = 1; length <= run; length += 1) {
      const passage = words.slice(from, from + length).join(' ');
      if (unwanted.has(passage) && (length === run || forbidden.some((one) => wordsOf(one).join(' ') === passage)))
        noisy.fill(true, from, from + length);
    }
    const passage = words.slice(from, from + 2 * run).join(' ');
    const before = seen.get(passage);
    if (before !== undefined && before + 2 * run <= from && passage.length > 40) noisy.fill(true, from, from + 2 * run);
    if (before === undefined) seen.set(passage, from);
  }
  const length = (is: (index: number) => boolean): number =>
    words.reduce((sum, word, index) => sum + (is(index) ? word.length + 1 : 0), 0);
  return (
    length((index) => noisy[index]!) /
    Math.max(
      length(() => true),
      1,
    )
  );
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
function runsOf(text: string, length: number): string[] {
  const words = wordsOf(text);
  return words.length < length
    ? []
    : words.slice(0, words.length - length + 1).map((_, at) => words.slice(at, at + length).join(' '));
}
