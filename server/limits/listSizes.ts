import { getNamedType, getNullableType, type GraphQLField, type GraphQLNamedType, type GraphQLSchema, isCompositeType, isInterfaceType, isListType, isObjectType } from 'graphql';

/**
 * What a list without pages is counted as, by its field. Where lists of records can be asked for below each other, the
 * most that there can be (`chain`). Where a limit is far above what is usual, something between: a Turn may have 200
 * ToolCalls, and the dashboard reads those of 40 Turns at once; at 50 an operation within the limit reads at most four
 * times what it was counted at. Tasks may be 500 and decisions any number: 100, at most five times for tasks.
 */
const records: Record<string, number> = {
  'Handoff.chain': 100,
  'Handoff.triggeringToolCalls': 50,
  'Turn.messages': 50,
  'Turn.toolCalls': 50,
  'Session.decisions': 100,
  'Session.tasks': 100,
  'SetTasksPayload.tasks': 100,
  'Agent.collaborators': 20,
  'CancelPendingHandoffsPayload.handoffs': 1,
  'HandoffGraph.nodes': 100,
  'HandoffGraph.edges': 100,
};

/** Lists that are part of a record, and bounded with it: nothing more is read for them. */
const parts: readonly string[] = [
  'ContextPreview.dropped',
  'ContextPreview.kept',
  'ContextPrompt.dropped',
  'ContextPrompt.kept',
  'ContextText.dropped',
  'ContextText.kept',
  'Handoff.checks',
  'Handoff.contextVariables',
  'Handoff.failedAttempts',
  'Handoff.lastToolCalls',
  'Handoff.recentMessages',
  'Handoff.toolSummaries',
  'HandoffGraphEdge.byStatus',
  'HandoffLoopError.chain',
  'ImportReport.entryTypes',
  'ImportReport.tasks',
  'ImportReport.toolCalls',
  'ImportReport.unknownTypes',
  'MaxHandoffsReachedError.chain',
  'Session.contextVariables',
];
const sizeOfPart = 10;

const sizes: ReadonlyMap<string, number> = new Map([...Object.entries(records), ...parts.map((field): [string, number] => [field, sizeOfPart])]);

/** Undefined for a field that has no entry here. */
export const sizeOfList = (field: string): number | undefined => sizes.get(field);

export const isConnection = (type: GraphQLNamedType | undefined): boolean => isObjectType(type) && 'pageInfo' in type.getFields();

/** How many entries a list has that the caller says: of a page, or of ids. */
export const sizedBy = ({ args }: GraphQLField<unknown, unknown>): 'first' | 'ids' | undefined =>
  (['first', 'ids'] as const).find((sizing) => args.some(({ name }) => name === sizing));

/** The lists of objects whose size nothing says, and the entries of this file that are no such list. */
export function unsizedLists(schema: GraphQLSchema): { missing: string[]; unused: string[] } {
  const lists = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__') || isConnection(type) || !(isObjectType(type) || isInterfaceType(type))) return [];
    return Object.values(type.getFields())
      .filter((field) => isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type)) && sizedBy(field) === undefined)
      .map(({ name }) => `${type.name}.${name}`);
  });
  return { missing: lists.filter((field) => !sizes.has(field)), unused: [...sizes.keys()].filter((field) => !lists.includes(field)) };
}
