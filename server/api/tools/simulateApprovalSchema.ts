import { z } from 'zod';
import { takeBack } from '../../core/runWork.ts';
import type { Work } from '../../core/work.ts';
import { approveHandoff } from '../../work/approvals/approveHandoff.ts';
import { simulate, type Simulation } from '../../work/tools/simulate.ts';
import { people } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import { decodeArgs, idOf, optional } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { withoutSecrets } from '../graphql/mutation.ts';
import { HandoffSimulation } from './simulateSchema.ts';
import { editsInput } from '../graphql/input/editsInput.ts';

const args = z.object({
  handoffId: idOf('handoff').describe('Id of a PROPOSED Handoff.'),
  edits: optional(editsInput).describe('What to change. Null: nothing.'),
});

builder.queryField('simulateApproval', (t) =>
  t.field({
    access: people,
    cost: 400,
    type: HandoffSimulation,
    nullable: true,
    description:
      'Says what approveHandoff would give now, and what the target would read: runs it and takes it back, so that nothing is written. Null when the Handoff does not exist.',
    args: argsOf(args),
    resolve: async (_root, values, { caller, pool, log, prisma }): Promise<Simulation | null> => {
      const { handoffId, edits } = await withoutSecrets(decodeArgs(args, values));
      const found = await prisma.handoff.findUnique({ where: { id: handoffId }, select: { id: true } });
      if (found === null) return null;
      const input = { handoffId, edits, expectedContentHash: null, note: null };
      return takeBack({ pool, log, caller, mutation: 'simulateApproval', input: {} }, (work: Work) =>
        simulate(work, (trial) => approveHandoff(trial, input)),
      );
    },
  }),
);
