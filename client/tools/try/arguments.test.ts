import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkArguments } from '../../../server/work/tools/arguments.ts';
import { schemaOf } from '../../../server/work/tools/define.ts';
import { variableTypes, type ToolVariable } from '../../../server/work/tools/tool.ts';
import { fieldsOf, toArguments } from './arguments.ts';

const variable = (fields: Partial<ToolVariable> & Pick<ToolVariable, 'name' | 'type'>): ToolVariable => ({
  required: false,
  description: null,
  enum: null,
  default: null,
  ...fields,
});

/** A value of each type with the text that a person types for it; JSON has no -0. */
const typed = {
  STRING: fc
    .string({ minLength: 1 })
    .filter((text) => text.trim() !== '')
    .map((text) => [text, text]),
  NUMBER: fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Object.is(value, -0))
    .map((value) => [value, String(value)]),
  INTEGER: fc.integer().map((value) => [value, String(value)]),
  BOOLEAN: fc.boolean().map((value) => [value, String(value)]),
  ARRAY: fc.array(fc.integer()).map((value) => [value, JSON.stringify(value)]),
  OBJECT: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.integer()).map((value) => [value, JSON.stringify(value)]),
} as const;

describe('the form of the arguments of a tool', () => {
  it('gives arguments that the tool accepts, of every type, required or not, chosen or typed', () => {
    const argument = fc
      .constantFrom(...variableTypes)
      .chain((type) =>
        fc.tuple(fc.constant(type), typed[type] as fc.Arbitrary<[unknown, string]>, fc.boolean(), fc.boolean()),
      );
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 5 }), (list) => {
        const variables = list.map(([type, [value], required, chosen], index) =>
          variable({ name: `constructor${index}`, type, required, enum: chosen ? ['other', value] : null }),
        );
        const fields = fieldsOf(schemaOf({ generated: false, variables }));
        const texts = new Map(
          list.map(([, [, text], , chosen], index) => [`constructor${index}`, chosen ? '1' : text]),
        );
        const { values, faults } = toArguments(fields, texts);
        expect(faults.size).toBe(0);
        const checked = checkArguments(values, { generated: false, variables });
        expect(checked).not.toHaveProperty('problems');
        expect((checked as { variables: object }).variables).toEqual(
          Object.fromEntries(list.map(([, [value]], index) => [`constructor${index}`, value])),
        );
      }),
    );
  });

  it('leaves empty fields out, keeps what is no number, and names what is no JSON', () => {
    const fields = fieldsOf(
      schemaOf({
        generated: false,
        variables: [
          variable({ name: 'count', type: 'INTEGER', default: 2 }),
          variable({ name: 'files', type: 'ARRAY' }),
          variable({ name: 'constructor', type: 'STRING' }),
        ],
      }),
    );
    expect(fields.map(({ name, kind, preset }) => [name, kind, preset])).toEqual([
      ['count', 'number', '2'],
      ['files', 'json', null],
      ['constructor', 'text', null],
      ['reason', 'text', null],
      ['summary', 'text', null],
    ]);
    const { values, faults } = toArguments(
      fields,
      new Map([
        ['count', 'many'],
        ['files', '[1'],
        ['reason', ' '],
      ]),
    );
    expect(values).toEqual({ count: 'many' });
    expect([...faults.keys()]).toEqual(['files']);
    expect(faults.get('files')).toMatch(/^This is not JSON/);
  });

  it('has the common arguments of a generated tool', () => {
    expect(
      fieldsOf(schemaOf({ generated: true, variables: [] })).map(({ name, required, kind }) => [name, required, kind]),
    ).toEqual([
      ['reason', true, 'text'],
      ['summary', false, 'text'],
      ['variables', false, 'json'],
    ]);
  });
});
