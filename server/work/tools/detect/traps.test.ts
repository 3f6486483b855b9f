import { describe, expect, it } from 'vitest';
import { anthropicMessage, type Called, chatCompletion, openaiResponse, runItems } from '../../../../test/answers.ts';
import { detectHandoffs } from './detectHandoffs.ts';
import type { CallKind, ProblemCode } from './detection.ts';
import type { Known } from './known.ts';

/** Calls and answers that are easily taken for a handoff, and handoffs that are easily missed. */

const known: Known = {
  agentId: 'claude-1',
  tools: [
    { id: null, name: 'transfer_to_codex-1', targetAgentId: 'codex-1', generated: true },
    { id: null, name: 'transfer_to_retired-1', targetAgentId: 'retired-1', generated: true },
    { id: '0198', name: 'escalate_billing', targetAgentId: 'billing', generated: false },
    { id: '0199', name: 'ask-the-old-one', targetAgentId: 'retired-1', generated: false },
    { id: '0200', name: 'mcp__desk__call_a_human', targetAgentId: 'desk', generated: false },
    {
      id: null,
      name: 'handoff',
      targetAgentId: null,
      generated: true,
      enumTargets: { argument: 'agent', agentIds: ['codex-1', 'billing', 'retired-1', 'twin-1', 'twin_1'] },
    },
  ],
  agents: [
    ...[
      'claude-1',
      'codex-1',
      'billing',
      'desk',
      'reviewer-1',
      'recipe-editor',
      'twin-1',
      'twin_1',
      'constructor',
      'human',
    ].map((id) => ({ id, archived: false })),
    { id: 'retired-1', archived: true },
    { id: 'reborn-1', archived: true },
    { id: 'reborn_1', archived: false },
  ],
};

const named = (name: string, given: object = {}): Called => ({ name, json: JSON.stringify(given) });
const detect = (response: unknown) => detectHandoffs(response, known);

/** The kind of the call, its target, the problem's code, and the suggestions. */
type Outcome = [CallKind, string | null, ProblemCode?, string[]?];
const handoff = (target: string): Outcome => ['HANDOFF', target];
const unresolved = (code: ProblemCode, ...suggestions: string[]): Outcome => ['UNRESOLVED', null, code, suggestions];
const other: Outcome = ['OTHER', null];

const calls: [string, Called, Outcome][] = [
  ['a banking tool', named('transfer_to_savings', { amount: 100 }), unresolved('UNKNOWN_TARGET')],
  ['a banking tool with an account in its name', named('transfer_to_account_4711'), unresolved('UNKNOWN_TARGET')],
  ['a banking tool without `to`', named('transfer_funds', { to: 'billing' }), other],
  ['a tool that transfers money to', named('transfer_money_to_billing'), other],
  ['a tool named like an agent', named('codex-1'), other],
  ['a tool named like an agent in another case', named('Codex_1'), other],
  ['a tool that holds the style in its middle', named('do_transfer_to_codex-1'), other],
  ['a tool that ends with the style', named('undo_transfer_to'), other],
  ['the style without a name', named('transfer_to_'), unresolved('MISSING_TARGET')],
  ['the style without its last `_`', named('transfer_to'), other],
  ['the style written as one word', named('transferToCodex1'), other],
  ['the style with a plural', named('transfers_to_codex-1'), other],
  ['a tool about handoffs', named('list_handoffs'), other],
  ['a tool that writes handoff notes', named('handoff_notes', { to: 'codex-1' }), other],
  ['a tool that delegates something else', named('delegate_to_codex-1'), other],
  ['a tool of CrewAI that asks a coworker', named('Ask question to coworker', { coworker: 'codex-1' }), other],
  ['a name with a style inside a path', named('functions.transfer_to_codex-1'), other],

  ['Codex_1 for codex-1', named('transfer_to_Codex_1'), handoff('codex-1')],
  ['upper case', named('TRANSFER_TO_CODEX_1'), handoff('codex-1')],
  ['`-` in the style', named('transfer-to-reviewer-1'), handoff('reviewer-1')],
  ['a way back', named('transfer_back_to_reviewer_1'), handoff('reviewer-1')],
  ['another prefix', named('handoff_to_reviewer_1'), handoff('reviewer-1')],
  ['no hyphen at all', named('transfer_to_codex1'), unresolved('UNKNOWN_TARGET', 'codex-1')],
  ['a name with one letter wrong', named('transfer_to_reviwer_1'), unresolved('UNKNOWN_TARGET', 'reviewer-1')],
  [
    'a name with a word too many',
    named('transfer_to_recipe_editor_agent'),
    unresolved('UNKNOWN_TARGET', 'recipe-editor'),
  ],
  ['a name with `_` before it', named('transfer_to__codex_1'), unresolved('UNKNOWN_TARGET', 'codex-1')],
  ['a space after the name', named('transfer_to_codex-1 '), unresolved('UNKNOWN_TARGET', 'codex-1')],
  ['a space in the name', named('transfer_to_codex 1'), unresolved('UNKNOWN_TARGET', 'codex-1')],
  [
    'a letter that only looks like one (Kelvin sign)',
    named('transfer_to_des\u212a'),
    unresolved('UNKNOWN_TARGET', 'desk'),
  ],
  ['a Cyrillic letter', named('transfer_to_\u0441odex-1'), unresolved('UNKNOWN_TARGET', 'codex-1')],
  ['a zero-width space', named('transfer_to_codex\u200b-1'), unresolved('UNKNOWN_TARGET', 'codex-1')],
  ['a full-width name', named('transfer_to_\uff43odex-1'), unresolved('UNKNOWN_TARGET', 'codex-1')],
  ['a line break after a name', named('transfer_to_codex-1\n'), unresolved('UNKNOWN_TARGET', 'codex-1')],

  ['a name that two agents share', named('transfer_to_twin_1'), unresolved('AMBIGUOUS_TARGET', 'twin-1', 'twin_1')],
  [
    'the same in an argument',
    named('handoff_to_agent', { agent_name: 'twin-1' }),
    unresolved('AMBIGUOUS_TARGET', 'twin-1', 'twin_1'),
  ],
  [
    'a name that an agent shares with an archived one',
    named('transfer_to_reborn_1'),
    unresolved('AMBIGUOUS_TARGET', 'reborn-1', 'reborn_1'),
  ],
  ['an agent archived since, by its tool', named('transfer_to_retired-1'), unresolved('ARCHIVED_TARGET')],
  ['an agent archived since, by the style', named('handoff_to_retired_1'), unresolved('ARCHIVED_TARGET')],
  ['an agent archived since, by a defined tool', named('ask-the-old-one'), unresolved('ARCHIVED_TARGET')],
  ['the calling agent itself', named('transfer_to_claude_1'), unresolved('SAME_AGENT')],
  [
    'the calling agent itself in an argument',
    named('transfer_to_agent', { agent_name: 'Claude-1' }),
    unresolved('SAME_AGENT'),
  ],

  ['ADK', named('transfer_to_agent', { agent_name: 'recipe_editor' }), handoff('recipe-editor')],
  [
    'ADK in older versions',
    named('transfer_to_other_agent', { agent_name: 'recipe_editor' }),
    handoff('recipe-editor'),
  ],
  ['ADK without a name', named('transfer_to_agent'), unresolved('MISSING_TARGET')],
  ['ADK with an empty name', named('transfer_to_agent', { agent_name: ' ' }), unresolved('MISSING_TARGET')],
  ['ADK with a number as name', named('transfer_to_agent', { agent_name: 1 }), unresolved('MISSING_TARGET')],
  ['ADK with a list of names', named('transfer_to_agent', { agent_name: ['codex-1'] }), unresolved('MISSING_TARGET')],
  [
    'ADK with the name in another argument',
    named('transfer_to_agent', { name: 'codex-1' }),
    unresolved('MISSING_TARGET'),
  ],
  [
    'ADK with a name that no agent has',
    named('transfer_to_agent', { agent_name: 'billings' }),
    unresolved('UNKNOWN_TARGET', 'billing'),
  ],
  [
    'Strands',
    named('handoff_to_agent', { agent_name: 'billing', message: 'm', context: { a: 1 } }),
    handoff('billing'),
  ],
  [
    'CrewAI',
    named('Delegate work to coworker', { coworker: 'Recipe Editor', task: 't', context: 'c' }),
    handoff('recipe-editor'),
  ],
  [
    'CrewAI in newer versions',
    named('delegate_work_to_coworker', { co_worker: 'recipe editor' }),
    handoff('recipe-editor'),
  ],
  [
    'CrewAI with a coworker who is a person',
    named('Delegate work to coworker', { coworker: 'Anna' }),
    unresolved('UNKNOWN_TARGET'),
  ],

  ['a defined tool', named('escalate_billing', { invoice: 7 }), handoff('billing')],
  ['a defined tool in another case', named('Escalate-Billing'), unresolved('UNKNOWN_TOOL', 'escalate_billing')],
  ['a tool with a defined name at its start', named('escalate_billing_to_legal'), other],
  ['a defined tool that is named like one of a server', named('mcp__desk__call_a_human'), handoff('desk')],
  ['the same tool of another server', named('mcp__other__call_a_human'), other],
  ['a tool behind a server', named('mcp__baton__transfer_to_codex-1'), handoff('codex-1')],
  ['a defined tool behind a server', named('mcp__my-server_2__escalate_billing'), handoff('billing')],
  ['a banking tool behind a server', named('mcp__bank__transfer_to_savings'), unresolved('UNKNOWN_TARGET')],
  ['a server whose name is a style', named('mcp__transfer_to_codex-1__search'), other],
  ['a server without a tool', named('mcp__baton__'), other],
  ['a tool without a server', named('mcp____transfer_to_codex-1'), other],
  ['a style before a server', named('transfer_to_mcp__baton__codex-1'), unresolved('UNKNOWN_TARGET')],

  ['one tool for all targets', named('handoff', { agent: 'billing' }), handoff('billing')],
  ['one tool for all targets, in another case', named('handoff', { agent: 'Codex_1' }), handoff('codex-1')],
  ['one tool for all targets, with the very name', named('handoff', { agent: 'twin_1' }), handoff('twin_1')],
  [
    'one tool for all targets, with an archived one',
    named('handoff', { agent: 'retired-1' }),
    unresolved('ARCHIVED_TARGET'),
  ],
  [
    'one tool for all targets, with an agent that it does not offer',
    named('handoff', { agent: 'desk' }),
    unresolved('UNKNOWN_TARGET', 'desk'),
  ],
  ['one tool for all targets, without one', named('handoff', { reason: 'x' }), unresolved('MISSING_TARGET')],

  ['an agent named like a member of every object', named('transfer_to_constructor'), handoff('constructor')],
  ['a member of every object that no agent is named like', named('transfer_to_toString'), unresolved('UNKNOWN_TARGET')],
  ['a tool named __proto__', named('__proto__'), other],
  ['a tool named hasOwnProperty', named('hasOwnProperty'), other],
  ['an agent named __proto__', named('transfer_to___proto__'), unresolved('UNKNOWN_TARGET')],
  ['a person', named('transfer_to_human'), handoff('human')],
  ['an empty name', named(''), other],
];

describe.each([
  ['an Anthropic message', (call: Called) => anthropicMessage([call])],
  ['a chat completion', (call: Called) => chatCompletion([call])],
  ['a response', (call: Called) => openaiResponse([call])],
])('in %s', (_format, answer) => {
  it.each(
    calls.map(
      ([trap, call, outcome]) =>
        [`${trap} is ${outcome.slice(0, 3).filter(Boolean).join(' ')}`, call, outcome] as const,
    ),
  )('%s', (_trap, call, [kind, target, code, suggestions]) => {
    const found = detect(answer(call));
    expect(found.calls).toHaveLength(1);
    expect(found.calls[0]).toMatchObject({
      toolName: call.name,
      kind,
      targetAgentId: target,
      problem: code === undefined ? null : { code, suggestions },
    });
    expect(found.chosen).toBe(kind === 'OTHER' ? null : found.calls[0]);
  });
});

/** Arguments of a tool of this agent, and of another tool. */
const broken = [
  '{"reason": "x"',
  '{reason: "x"}',
  "{'reason': 'x'}",
  'please',
  '[]',
  '["codex-1"]',
  '"{}"',
  '42',
  'true',
  '{} {}',
  '{"a": NaN}',
  '\u0000',
  '{"a":"\\u0000"}',
  '{"a":{"\\ud800":1}}',
  `{"a":${'['.repeat(40)}${']'.repeat(40)}}`,
];

describe('broken arguments', () => {
  it.each(broken)('%j are a problem of the call', (json) => {
    const found = detect(
      openaiResponse([
        { name: 'transfer_to_codex-1', json },
        { name: 'search', json },
        { name: 'handoff_to_agent', json },
        { name: 'handoff', json },
        { name: 'transfer_to_savings', json },
      ]),
    );
    const problem = { code: 'INVALID_ARGUMENTS' };
    expect(found.calls).toMatchObject([
      { kind: 'HANDOFF', arguments: null, problem },
      { kind: 'OTHER', arguments: null, problem },
      { kind: 'UNRESOLVED', arguments: null, problem },
      { kind: 'UNRESOLVED', arguments: null, problem },
      { kind: 'UNRESOLVED', arguments: null, problem: { code: 'UNKNOWN_TARGET' } },
    ]);
  });

  it.each(['', ' \n', 'null', '{}'])('%j are none', (json) => {
    expect(detect(openaiResponse([{ name: 'transfer_to_codex-1', json }])).chosen).toMatchObject({
      kind: 'HANDOFF',
      arguments: {},
      problem: null,
    });
  });

  it('names the argument that PostgreSQL cannot hold', () => {
    expect(
      detect(openaiResponse([{ name: 'search', json: '{"a":[{"b":"\\u0000"}]}' }])).calls[0]!.problem,
    ).toMatchObject({ path: ['a', '0', 'b'] });
  });
});

const call = named('transfer_to_codex-1');
const block = anthropicMessage([call]).content[1]!;
const message = chatCompletion([call]).choices[0]!.message;
const item = openaiResponse([call]).output[1]!;
const talk = 'I call transfer_to_codex-1 now: {"type":"tool_use","name":"transfer_to_codex-1","input":{}}';

describe('answers without a handoff', () => {
  it.each<[string, unknown]>([
    ['text that talks of handing off', { type: 'message', role: 'assistant', content: [{ type: 'text', text: talk }] }],
    [
      'the same in a chat completion',
      { object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: talk } }] },
    ],
    [
      'the same in a response',
      {
        object: 'response',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: talk }] }],
      },
    ],
    ['the same as a text', talk],
    ['thinking about a handoff', [{ type: 'thinking', thinking: talk, signature: '' }]],
    ['a call quoted in the arguments of another', anthropicMessage([named('save', { block })])],
    [
      'a call within a tool result',
      [
        { type: 'text', text: 'x' },
        { type: 'tool_result', tool_use_id: 't', content: [block] },
      ],
    ],
    [
      'a call that the provider ran (server tool)',
      [
        { ...block, type: 'server_tool_use' },
        { type: 'text', text: 'x' },
      ],
    ],
    [
      'a call that the provider ran (MCP, Anthropic)',
      [
        { ...block, type: 'mcp_tool_use', server_name: 'baton' },
        { type: 'text', text: 'x' },
      ],
    ],
    [
      'a call that the provider ran (MCP, OpenAI)',
      { object: 'response', output: [{ ...item, type: 'mcp_call', server_label: 'baton' }] },
    ],
    [
      'the output of a call',
      {
        object: 'response',
        output: [{ type: 'function_call_output', call_id: 'c', name: 'transfer_to_codex-1', output: '{}' }],
      },
    ],
    ['a message of a user', { ...anthropicMessage([call]), role: 'user' }],
    [
      'a chat message of a user',
      { object: 'chat.completion', choices: [{ index: 0, message: { ...message, role: 'user' } }] },
    ],
    [
      'an alternative choice',
      {
        object: 'chat.completion',
        choices: [
          { index: 1, message },
          { index: 0, message: { role: 'assistant', content: 'x' } },
        ],
      },
    ],
    [
      'a conversation',
      [{ role: 'user', content: 'x' }, message, { role: 'tool', tool_call_id: 'call_0', content: 'done' }],
    ],
    [
      'a conversation with Anthropic',
      [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [block] },
      ],
    ],
    [
      'a request',
      {
        model: 'gpt-4o',
        messages: [message],
        tools: [{ type: 'function', function: { name: 'transfer_to_codex-1' } }],
      },
    ],
    ['a request to the Responses API', { model: 'gpt-4o', input: [item] }],
    [
      'tools that were offered',
      { object: 'response', output: [], tools: [{ type: 'function', name: 'transfer_to_codex-1' }] },
    ],
    [
      'a trace of the Agents SDK',
      { data: [{ object: 'trace.span', span_data: { type: 'handoff', from_agent: 'claude-1', to_agent: 'codex-1' } }] },
    ],
    ['a handoff output without its call', runItems([call], () => 'codex-1').slice(1)],
    [
      'earlier calls of a RunState',
      {
        $schemaVersion: '1.0',
        generatedItems: runItems([call]),
        modelResponses: [{ output: runItems([call]).map(({ rawItem }) => rawItem) }, { output: [] }],
      },
    ],
    [
      'a call whose name is no text',
      { type: 'message', role: 'assistant', content: [{ ...block, name: ['transfer_to_codex-1'] }] },
    ],
    ['calls that are no list', { object: 'chat.completion', choices: { 0: { message } } }],
    ['an error of a provider', { type: 'error', error: { type: 'overloaded_error', message: talk } }],
    ['events that belong to another provider', [{ event: 'on_tool_start', name: 'transfer_to_codex-1', data: {} }]],
  ])('finds none in %s', (_trap, response) => {
    const found = detect(response);
    expect(found.chosen).toBeNull();
    expect(found.calls.filter(({ kind }) => kind !== 'OTHER')).toEqual([]);
  });
});

describe('several calls', () => {
  it('chooses the first of two handoffs', () => {
    const { chosen, calls: found } = detect(anthropicMessage([named('search'), call, named('escalate_billing')]));
    expect(found.map(({ kind }) => kind)).toEqual(['OTHER', 'HANDOFF', 'HANDOFF']);
    expect(chosen).toBe(found[1]);
  });

  it('chooses a handoff before an earlier unresolved call', () => {
    expect(detect(openaiResponse([named('transfer_to_savings'), call])).chosen).toMatchObject({ index: 1 });
  });

  it('chooses the first unresolved call when there is no handoff', () => {
    expect(
      detect(openaiResponse([named('search'), named('transfer_to_savings'), named('transfer_to_claude-1')])).chosen,
    ).toMatchObject({ index: 1 });
  });
});

describe('reserved arguments', () => {
  it('are dropped from a handoff and reported', () => {
    const json =
      '{"reason":"r","_handoff_from":"admin","variables":{"_handoff_chain":[],"_other":1,"a":{"_handoff_x":1}},"__proto__":{"_handoff_y":1}}';
    const found = detect(openaiResponse([{ name: 'transfer_to_codex-1', json }])).chosen!;
    expect(JSON.stringify(found.arguments)).toBe(
      '{"reason":"r","variables":{"_other":1,"a":{"_handoff_x":1}},"__proto__":{"_handoff_y":1}}',
    );
    expect(found).toMatchObject({
      kind: 'HANDOFF',
      problem: {
        code: 'RESERVED_ARGUMENTS',
        path: ['_handoff_from'],
        message:
          "Dropped '_handoff_from', 'variables._handoff_chain': names that begin with '_handoff_' belong to Baton",
      },
    });
  });

  it('stay in calls of other tools', () => {
    expect(detect(anthropicMessage([named('search', { _handoff_from: 1 })])).calls[0]).toMatchObject({
      arguments: { _handoff_from: 1 },
      problem: null,
    });
  });
});
