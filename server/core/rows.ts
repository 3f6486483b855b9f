import type * as prisma from '../generated/prisma/client.ts';

/** The tables that commands write, with the shape of their rows. */
export interface Tables {
  agents: prisma.Agent;
  agent_collaborators: prisma.AgentCollaborator;
  handoff_tools: prisma.HandoffTool;
  handoff_tool_offers: prisma.HandoffToolOffer;
  pipelines: prisma.Pipeline;
  stage_entries: prisma.StageEntry;
  sessions: prisma.Session;
  queue_entries: prisma.QueueEntry;
  agent_sessions: prisma.AgentSession;
  turns: prisma.Turn;
  messages: prisma.Message;
  tool_calls: prisma.ToolCall;
  decisions: prisma.Decision;
  tasks: prisma.Task;
  handoffs: prisma.Handoff;
  handoff_tool_calls: prisma.HandoffToolCall;
  approvals: prisma.Approval;
  context_snapshots: prisma.ContextSnapshot;
  events: prisma.Event;
  inbox_entries: prisma.InboxEntry;
  idempotency_answers: prisma.IdempotencyAnswer;
  import_lines: prisma.ImportLine;
  import_usages: prisma.ImportUsage;
  keys: prisma.Key;
  webhooks: prisma.Webhook;
  deliveries: prisma.Delivery;
}
export type Table = keyof Tables;

type NullableKey<Row> = { [K in keyof Row]: null extends Row[K] ? K : never }[keyof Row];

/** A row to insert: omitted fields become NULL. */
export type NewRow<T extends Table> = Omit<Tables[T], NullableKey<Tables[T]>> &
  Partial<Pick<Tables[T], NullableKey<Tables[T]>>>;

/** A row with its id and the fields that a command has read. */
export type RowOf<T extends Table> = Partial<Tables[T]> & { id: string };

const columnOf = new Map<string, string>();

/** `currentLoad` -> `current_load`, as the @map of every field says. */
export function column(field: string): string {
  let name = columnOf.get(field);
  if (name === undefined) {
    name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columnOf.set(field, name);
  }
  return name;
}

const fieldOf = new Map<string, string>();

/** Converts a JSON row from PostgreSQL to field names; columns named `..._at` become Dates. */
export function fromColumns<Row>(row: object): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => {
      let field = fieldOf.get(name);
      if (field === undefined) {
        field = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
        fieldOf.set(name, field);
      }
      return [field, typeof value === 'string' && name.endsWith('_at') ? new Date(value) : value];
    }),
  ) as Row;
}
