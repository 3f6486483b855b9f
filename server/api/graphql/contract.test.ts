import { readFile } from 'node:fs/promises';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  parse,
  specifiedScalarTypes,
  validateSchema,
  visit,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../core/errors.ts';
import { printContract } from './print.ts';
import { schema } from './schema.ts';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !specifiedScalarTypes.some(({ name }) => name === type.name),
);

const fieldsOf = (name: string): string[] => {
  const type = schema.getType(name);
  return isObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : [];
};
const words = (list: string): string[] => list.trim().split(/\s+/);

test('the schema is valid GraphQL', () => {
  expect(validateSchema(schema)).toEqual([]);
});

test('schema.graphql matches the code (npm run codegen writes it)', async () => {
  expect(await readFile(new URL('../../../schema.graphql', import.meta.url), 'utf8')).toBe(printContract());
});

test('every type, field, argument and enum value has a description', () => {
  const described: string[] = [];
  const bare: string[] = [];
  visit(parse(printContract()), {
    enter(node) {
      if (!('description' in node) || !('name' in node) || node.name === undefined) return;
      const enough = (node.description?.value.trim().length ?? 0) >= 8;
      (enough ? described : bare).push(`${node.name.value} in line ${node.loc?.startToken.line}`);
    },
  });
  expect(described.length).toBeGreaterThan(500);
  expect(bare).toEqual([]);
});

describe('the contract', () => {
  test.each([
    [
      'Query',
      'session sessions agent agents handoff handoffs handoffGraph pipeline pipelines contextPreview contextItem sessionEvents detectHandoffs viewer node nodes',
    ],
    [
      'Handoff',
      `id status via reason summary toolSummaries filesModified pendingTasks decisions recentMessages contextVariables workspace checks failedAttempts openQuestions
       instructions metadata depth
       circular tokenEstimate redactionCount contentHash sourceAgent sourceAgentType targetAgent targetAgentType sourceAgentSession targetAgentSession
       priorTurn triggeringToolCalls snapshot session initiatedAt acceptedAt completedAt closedAt deadlineAt rejectionReason failureReason cancelReason
       actor previous next chain markdown contextPrompt`,
    ],
    [
      'Session',
      `id title status version agent agentType previousAgentType contextVariables metadata result handoffsEnabled maxHandoffs createdAt updatedAt
       lastReassignedAt lastActivityAt externalId project priority lastHandoff openHandoff handoffs agentSessions agentSession turns messages decisions tasks snapshots usage`,
    ],
    [
      'AgentSession',
      'id agent session state startSequence endSequence initiatedByHandoff terminatedByHandoff turns snapshots latestSnapshot startedAt endedAt',
    ],
    [
      'Agent',
      `id type name role description instructions status administrativeStatus currentLoad maxCapacity freePlaces totalAssigned collaborators collaborations definition model prompt metadata
       registeredAt archivedAt sessions handoffsReceived handoffsGiven`,
    ],
    ['Pipeline', 'id slug version name description stages transitions start archivedAt'],
    ['SessionPipeline', 'pipeline stage phase currentAgent queuedSince queuePosition stages ways'],
    ['TakenPipelineWay', 'from outcome to times'],
    ['SessionStage', 'name state agent enteredAt leftAt attempts outcome'],
    ['SessionResult', 'agent stage outcome payload at'],
    ['HandoffDetection', 'format calls chosen'],
    ['DetectedCall', 'index callId toolName arguments kind target tool problem'],
    ['DetectionProblem', 'code message suggestions path'],
    ['Turn', 'id index agentSession messages toolCalls usage startedAt'],
    ['Message', 'id sequence role kind content agentSession turn toolCalls handoff createdAt recordedBy'],
    ['ToolCall', 'id callId name arguments result error filesModified status argument durationMs sequence message'],
    ['ContextSnapshot', 'id type sequenceStart sequenceEnd messageCounts visibleToolCalls tokenEstimate capturedAt'],
    ['ToolSummary', 'toolName callCount errorCount lastResult'],
    ['RecentMessage', 'role content'],
    ['ContextVariable', 'name value setBy'],
    ['ContextPrompt', 'text tokenEstimate kept dropped'],
    ['ContextPreview', 'text tokenEstimate kept dropped redactionCount'],
    ['ContextItem', 'kind content'],
    ['HandoffGraph', 'nodes edges'],
    ['HandoffGraphNode', 'agent received given'],
    ['HandoffGraphEdge', 'source target count byStatus medianAcceptMs'],
    ['Event', 'cursor type at recovered sessionSequence inboxSequence actor session handoff agent'],
    ['Viewer', 'role agent key'],
    ['QueueEntry', 'session agentType role queuedSince position suspended escalated sourceAgent reason'],
    ['SessionConnection', 'edges nodes pageInfo totalCount'],
  ])('the type %s has its fields', (type, names) => {
    expect(fieldsOf(type)).toEqual(expect.arrayContaining(words(names)));
  });

  test.each([
    [
      'SessionFilter',
      'status agentId agentType unassigned hasOpenHandoff titleContains pipeline pipelineVersion stage externalId project workspaceId repository priority createdAfter createdBefore stuck stuckBecause situation',
    ],
    ['AgentFilter', 'type role status hasCapacity includeArchived'],
    [
      'HandoffFilter',
      'sessionId agentId sourceAgentId targetAgentId status via circular staleForMinutes externalId project workspaceId initiatedAfter initiatedBefore actor fromStage lastedAtLeastSeconds lastedAtMostSeconds outcome pipeline reasonContains sentBack stage waitedAtLeastSeconds waitedAtMostSeconds',
    ],
    ['QueueFilter', 'role agentType escalated'],
    ['HandoffGraphFilter', 'sessionId agentId initiatedAfter initiatedBefore project'],
  ])('the filter %s has its fields', (name, names) => {
    const type = schema.getType(name);
    expect(isInputObjectType(type) && Object.keys(type.getFields()).sort()).toEqual(words(names).sort());
  });

  test('every mutation takes XInput and returns XResult of XPayload, BadUserInputError and other errors', () => {
    const mutations = Object.values(schema.getMutationType()!.getFields());
    expect(mutations.length).toBeGreaterThan(0);
    for (const { name, args, type } of mutations) {
      const title = name.charAt(0).toUpperCase() + name.slice(1);
      expect(args.map((arg) => String(arg.type))).toEqual([`${title}Input!`]);
      expect(String(type)).toBe(`${title}Result!`);
      const members = schema.getPossibleTypes(getNamedType(type) as never).map((member) => member.name);
      expect(members).toEqual(expect.arrayContaining([`${title}Payload`, 'BadUserInputError']));
      const errors = members.filter((member) => member !== `${title}Payload`);
      expect(errors.filter((member) => !fieldsOf(member).includes('code'))).toEqual([]);
    }
  });

  test('every error code has a type of its name that implements Error', () => {
    const titled = (code: string) =>
      code.toLowerCase().replace(/(^|_)([a-z])/g, (_match, _gap, letter: string) => letter.toUpperCase());
    const errors = schema.getPossibleTypes(schema.getType('Error') as never).map(({ name }) => name);
    expect(errors.sort()).toEqual(errorCodes.map((code) => `${titled(code)}Error`).sort());
    const codes = schema.getType('ErrorCode');
    expect(
      isEnumType(codes) &&
        codes
          .getValues()
          .map(({ name }) => name)
          .sort(),
    ).toEqual([...errorCodes].sort());
  });

  test('every field named ...At is a DateTime', () => {
    const times = types
      .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []))
      .filter(({ name }) => /[a-z]At$/.test(name));
    expect(
      times.map(({ type }) => getNamedType(type)).filter((type) => !isScalarType(type) || type.name !== 'DateTime'),
    ).toEqual([]);
  });
});
