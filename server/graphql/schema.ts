import '../agents/listSchema.ts';
import '../agents/mutations.ts';
import '../agents/schema.ts';
import '../context/promptSchema.ts';
import '../context/schema.ts';
import '../events/schema.ts';
import '../events/sessionEventsSchema.ts';
import '../handoffs/graphSchema.ts';
import '../handoffs/listSchema.ts';
import '../handoffs/mutations.ts';
import '../handoffs/reassignMutation.ts';
import '../handoffs/schema.ts';
import '../keys/mutations.ts';
import '../keys/schema.ts';
import '../log/importMutation.ts';
import '../log/mutations.ts';
import '../log/schema.ts';
import '../log/sessionLogSchema.ts';
import '../log/snapshotSchema.ts';
import '../sessions/agentSessionSchema.ts';
import '../sessions/listSchema.ts';
import '../sessions/mutations.ts';
import '../sessions/schema.ts';
import './errors.ts';
import { guard } from '../access/guard.ts';
import { builder } from './builder.ts';

/** Everything that Baton answers, to those who may ask for it. Each noun registers its own types with the builder. */
export const schema = guard(builder.toSchema());
