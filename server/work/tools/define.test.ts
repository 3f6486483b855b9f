import type Anthropic from '@anthropic-ai/sdk';
import { ListToolsResultSchema, type Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { checkArguments } from './arguments.ts';
import { define, formats, functionsOf, type ToolFormat, type ToolFunction } from './define.ts';
import { generatedName, type HandoffTool, type ToolVariable, variableTypes } from './tool.ts';
import { faultOfVariable } from './variables.ts';

const tool = (fields: Partial<HandoffTool> = {}): HandoffTool => ({
  id: '01900000-0000-7000-8000-000000000000',
  name: 'escalate',
  description: 'Call it when a customer is angry.',
  targetAgentId: 'support-1',
  agentIds: ['ada'],
  variables: [],
  instructions: null,
  carry: null,
  approval: 'NONE',
  generated: false,
  createdAt: null,
  archivedAt: null,
  target: { name: 'support-1', role: null, archived: false, available: true },
  ...fields,
});
const generated = (targetAgentId: string, fields: Partial<HandoffTool> = {}) =>
  tool({ name: generatedName(targetAgentId), generated: true, targetAgentId, ...fields });
const collaborators = (count: number) => Array.from({ length: count }, (_, index) => generated(`agent-${index}`));
const allFormats = Object.keys(formats) as ToolFormat[];
const names = (tools: readonly HandoffTool[], onlyAvailable?: boolean) =>
  functionsOf(tools, onlyAvailable).map(({ name }) => name);

// What the SDKs take, checked by the compiler.
const typed = {
  ANTHROPIC: (each: ToolFunction): Anthropic.Tool => formats.ANTHROPIC(each),
  OPENAI_CHAT: (each: ToolFunction): OpenAI.ChatCompletionFunctionTool => formats.OPENAI_CHAT(each),
  OPENAI_RESPONSES: (each: ToolFunction): OpenAI.Responses.FunctionTool => formats.OPENAI_RESPONSES(each),
  MCP: (each: ToolFunction): McpTool => formats.MCP(each),
};

const variable: fc.Arbitrary<ToolVariable> = fc
  .record({
    name: fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,8}$/),
    type: fc.constantFrom(...variableTypes),
    required: fc.boolean(),
    description: fc.option(fc.string({ unit: 'binary', maxLength: 20 })),
    enum: fc.option(fc.uniqueArray(fc.oneof(fc.integer(), fc.string(), fc.boolean()), { minLength: 1, maxLength: 4 })),
    default: fc.option(fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant([1]), fc.constant({ a: 1 }))),
  })
  .filter((each) => faultOfVariable(each) === null && !['reason', 'summary'].includes(each.name));
const defined = fc
  .record({
    variables: fc.uniqueArray(variable, { selector: ({ name }) => name, maxLength: 5 }),
    isGenerated: fc.boolean(),
  })
  .map(({ variables, isGenerated }) => (isGenerated ? generated('support-1') : tool({ variables })));

describe('the definitions of the tools of an agent', () => {
  it('have the shape of each format', () => {
    const [one] = functionsOf([
      tool({
        variables: [
          { name: 'severity', type: 'INTEGER', required: true, description: 'From 1.', enum: [1, 2], default: null },
        ],
      }),
    ]);
    const schema = {
      type: 'object',
      properties: {
        severity: { type: 'integer', description: 'From 1.', enum: [1, 2] },
        reason: { type: 'string', description: expect.any(String) as string },
        summary: { type: 'string', description: expect.any(String) as string },
      },
      required: ['severity'],
      additionalProperties: false,
    };
    const [name, description] = ['escalate', 'Call it when a customer is angry.'];
    expect(allFormats.map((format) => define([one!], format))).toEqual([
      [{ name, description, input_schema: schema }],
      [{ type: 'function', function: { name, description, parameters: schema, strict: false } }],
      [{ type: 'function', name, description, parameters: schema, strict: false }],
      [{ name, description, inputSchema: schema }],
    ]);
    for (const format of allFormats) expect(typed[format](one!)).toEqual(define([one!], format)[0]);
  });

  it('leave out tools that are archived or whose target is', () => {
    const gone = { name: 'gone', role: null, archived: true, available: false };
    expect(
      names([
        tool(),
        tool({ name: 'old', archivedAt: new Date() }),
        tool({ name: 'dead', target: gone }),
        generated('bob', { target: gone }),
      ]),
    ).toEqual(['escalate']);
  });

  it('leave out targets without a free place when only available ones are wanted', () => {
    const full = { name: 'bob', role: null, archived: false, available: false };
    const tools = [tool(), generated('bob', { target: full })];
    expect(names(tools)).toEqual(['escalate', 'transfer_to_bob']);
    expect(names(tools, true)).toEqual(['escalate']);
  });

  it('name 20 collaborators one by one, and 21 in one function with an enum', () => {
    expect(names(collaborators(20))).toHaveLength(20);
    const [many, own, ...rest] = functionsOf([...collaborators(21), tool()]);
    expect([many!.name, own!.name, rest]).toEqual(['handoff', 'escalate', []]);
    expect(many!.schema).toMatchObject({
      properties: { target: { type: 'string', enum: collaborators(21).map(({ targetAgentId }) => targetAgentId) } },
      required: ['target', 'reason'],
    });
    // Of 21, one is not available.
    const busy = generated('busy', { target: { name: 'busy', role: null, archived: false, available: false } });
    expect(names([...collaborators(20), busy], true)).toHaveLength(20);
  });

  it('keep to what providers accept: names of 64 characters, descriptions of 1,024, no half characters', () => {
    const longest = 'a'.repeat(52);
    const described = `${'x'.repeat(1_022)}😀😀`;
    const functions = functionsOf([
      generated(longest, { description: described }),
      ...Array.from({ length: 200 }, (_, index) => tool({ name: `tool_${index}`, description: '„ünïcode“ 漢字 😀' })),
    ]);
    expect(functions).toHaveLength(201);
    for (const { name, description } of functions) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(description.length).toBeLessThanOrEqual(1_024);
      expect(description).not.toMatch(/\p{Surrogate}/u);
    }
    expect(functions[0]!.name).toHaveLength(64);
    const many = functionsOf(
      Array.from({ length: 200 }, (_, index) => generated(`agent-${index}`, { description: '😀'.repeat(2_000) })),
    );
    expect(many).toHaveLength(1);
    const { target } = many[0]!.schema.properties as { target: { enum: string[]; description: string } };
    expect([target.enum.length, target.description.length < 20_000]).toEqual([200, true]);
    expect(target.description).not.toMatch(/\p{Surrogate}/u);
  });

  it('say that a person has to approve the handoff first, also behind the longest descriptions', () => {
    const said = 'A person has to approve it first.';
    for (const length of [1, 1_000, 5_000]) {
      const description = 'x'.repeat(length);
      const [plain, approved] = functionsOf([tool({ description }), tool({ description, approval: 'REQUIRED' })]);
      expect(plain!.description).not.toContain(said);
      expect(approved!.description).toMatch(
        /[x…]\. A person has to approve it first\.$|… A person has to approve it first\.$/,
      );
      expect(approved!.description.length).toBeLessThanOrEqual(1_024);
      const many = collaborators(21).map((each, n) => ({
        ...each,
        description,
        approval: n === 3 ? ('REQUIRED' as const) : ('NONE' as const),
      }));
      const target = JSON.stringify(functionsOf(many)[0]!.schema);
      expect(target.match(/- agent-\d+: [^\\]*A person has to approve it first\./g)).toEqual([
        expect.stringMatching(/^- agent-3: x/),
      ]);
    }
  });

  it('are JSON Schema of drafts 7 and 2020-12, and what the MCP SDK reads', () => {
    const drafts = [
      new Ajv({ strict: true, allowUnionTypes: true, strictTypes: false }),
      new Ajv2020({ strict: true, strictTypes: false }),
    ];
    fc.assert(
      fc.property(fc.array(defined, { minLength: 1, maxLength: 25 }), (tools) => {
        const functions = functionsOf(tools);
        for (const { schema } of functions) for (const ajv of drafts) expect(ajv.validateSchema(schema)).toBe(true);
        expect(ListToolsResultSchema.parse({ tools: define(functions, 'MCP') }).tools).toHaveLength(functions.length);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the check of arguments', () => {
  const value = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string(),
    fc.boolean(),
    fc.constant([1]),
    fc.constant({ a: 1 }),
  );

  it('agrees with Ajv on the schema that the model got', () => {
    const ajv = new Ajv({ allErrors: true });
    fc.assert(
      fc.property(
        defined,
        fc.dictionary(fc.constantFrom('reason', 'summary', 'variables', 'other', 'constructor'), value),
        fc.array(value, { minLength: 5, maxLength: 5 }),
        fc.nat(31),
        (one, given, values, which) => {
          const own = Object.fromEntries(
            one.variables.flatMap(({ name, enum: allowed, default: preset }, index) =>
              (which >> index) & 1
                ? [[name, index % 2 ? values[index] : (allowed?.[0] ?? preset ?? values[index])]]
                : [],
            ),
          );
          const given2 = { ...given, ...own };
          const [{ schema }] = functionsOf([one]) as [ToolFunction];
          const valid = ajv.compile(schema)(given2);
          const checked = checkArguments(given2, one);
          expect([given2, 'problems' in checked ? checked.problems : []]).toEqual([
            given2,
            valid ? [] : expect.arrayContaining([expect.anything()]),
          ]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('names the first 20 problems', () => {
    const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`_${n}`, n]));
    for (const given of [names, { reason: 'r', variables: names }])
      expect(checkArguments(given, { generated: true, variables: [] })).toHaveProperty('problems.length', 20);
  });

  it('names every problem with its path and what to give', () => {
    const variables: ToolVariable[] = [
      { name: 'severity', type: 'INTEGER', required: true, description: null, enum: [1, 2], default: null },
      { name: 'city', type: 'STRING', required: true, description: null, enum: null, default: null },
    ];
    expect(checkArguments({ severity: 3, summary: 7, town: 'x' }, { generated: false, variables })).toEqual({
      problems: [
        { path: ['summary'], message: 'is not a string: give a string' },
        { path: ['severity'], message: 'is not among the allowed values: give one of 1, 2' },
        { path: ['city'], message: 'is required: give a value' },
        {
          path: ['town'],
          message: 'is no argument of this tool: leave it out. It takes reason, summary, severity, city',
        },
      ],
    });
    expect(checkArguments({ variables: { _x: 1 } }, { generated: true, variables: [] })).toEqual({
      problems: [
        { path: ['reason'], message: 'is required: give a value' },
        { path: ['variables', '_x'], message: "is no name of a variable: give 1 to 128 characters, not '_' first" },
      ],
    });
    expect(
      checkArguments({ reason: 'é'.repeat(2_049), variables: [] }, { generated: true, variables: [] }),
    ).toMatchObject({
      problems: [
        { path: ['reason'], message: expect.stringContaining('limit is 4096') as string },
        { path: ['variables'] },
      ],
    });
  });

  it('fills in the values that a call leaves out', () => {
    const variables: ToolVariable[] = [
      { name: 'severity', type: 'INTEGER', required: false, description: null, enum: null, default: 1 },
      { name: 'city', type: 'STRING', required: false, description: null, enum: null, default: null },
    ];
    expect(checkArguments({}, { generated: false, variables })).toEqual({
      reason: null,
      summary: null,
      variables: { severity: 1 },
    });
    expect(checkArguments({ severity: 2, city: 'Rome' }, { generated: false, variables })).toMatchObject({
      variables: { severity: 2, city: 'Rome' },
    });
  });
});
