import { z } from 'zod';
import type { Condition, NamedDefinition } from '../../../server/work/pipelines/rules.ts';
import { approvalOf } from '../definitions/savedPipeline.ts';
import { opWords } from '../definitions/words.ts';

// The Content-Security-Policy forbids functions from text.
z.config({ jitless: true });

const orNull = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? null);
const text = orNull(z.string());
const number = orNull(z.number());
const object = orNull(z.looseObject({}));

/** What `definePipeline` takes. The slug may be left out for a further version. */
const shape = z.strictObject({
  slug: z.string().optional(),
  name: z.string(),
  description: text,
  start: z.string(),
  stages: z.array(
    z.strictObject({
      name: z.string(),
      role: text,
      agentType: text,
      phase: text,
      instructions: text,
      payloadSchema: object,
      acceptWithinMinutes: number,
      remindAfterMinutes: number,
      escalateTo: orNull(
        z.strictObject({
          agentId: text,
          role: text,
          operators: z
            .boolean()
            .nullish()
            .transform((value) => value ?? false),
        }),
      ),
    }),
  ),
  transitions: z.array(
    z
      .strictObject({
        from: z.string(),
        outcome: z.string(),
        to: text,
        when: orNull(
          z.strictObject({
            variable: z.string(),
            op: z.enum(Object.keys(opWords) as [Condition['op']]),
            value: z.unknown().transform((value) => value ?? null),
          }),
        ),
        payloadSchema: object,
        approval: z.enum(['NONE', 'REQUIRED']).nullish(),
      })
      .transform(({ approval, ...way }) => ({ ...way, ...approvalOf(approval === 'REQUIRED') })),
  ),
});

/** Reads a definition; `slug` is that of the pipeline whose next version it is. */
export function readJson(text: string, slug: string | null): { definition: NamedDefinition } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `This is not JSON: ${(error as Error).message}` };
  }
  const { data, error } = shape.safeParse(value);
  if (error) {
    const [issue] = error.issues;
    return { fault: `${issue?.path.join('.') || 'The definition'}: ${issue?.message}` };
  }
  if (slug !== null && data.slug !== undefined && data.slug !== slug)
    return { fault: `slug: is '${data.slug}', but this defines the next version of '${slug}': leave it out` };
  return { definition: { ...data, slug: slug ?? data.slug ?? '' } };
}

export function faultOfJson(text: string, slug: string | null): string | undefined {
  const answer = readJson(text, slug);
  return 'fault' in answer ? answer.fault : undefined;
}

/** The definition, without the fields that are null. */
export const writeJson = ({ stages, transitions, ...rest }: NamedDefinition): string =>
  JSON.stringify({ ...given(rest), stages: stages.map(given), transitions: transitions.map(given) }, null, 2);

const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
