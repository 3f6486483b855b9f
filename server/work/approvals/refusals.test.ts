import { house, somebodyElse, testRefusals, unknownId, type House, type Refusal } from '../../../test/refusals.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { pauseSession } from '../sessions/changeSession.ts';
import { updateSession } from '../sessions/updateSession.ts';
import { answerQuestion } from './answerQuestion.ts';
import { askPerson } from './askPerson.ts';
import { declineHandoff } from './declineHandoff.ts';

const home = await house();

/** A Handoff of an agent that waits for a person. */
async function proposal(h: House) {
  const [source, target] = [h.unique('source'), h.unique('target')];
  await h.agent(target);
  await h.agent(source, { collaborators: [target] });
  const sessionId = await h.session(source, { handoffApproval: 'REQUIRED' });
  const { handoffId } = await h.initiate(sessionId, target, {}, { caller: agentCaller(source) });
  return { source, target, sessionId, uuid: handoffId, handoffId: encodeId('handoff', handoffId) };
}

const update = (h: House, sessionId: string, fields: object) =>
  h.run(updateSession, { sessionId, expectedVersion: null, ...fields });

/** A Handoff to the next stage of a pipeline, which takes agents of type CLAUDE with the role of the stage. */
async function proposedAdvance(h: House) {
  const role = h.unique('edit');
  await h.agent(h.unique('editor'), { role });
  const writer = h.unique('writer');
  await h.agent(writer, { role: `${role}-writer` });
  const slug = h.unique('text');
  await h.pipeline(
    slug,
    ['write DONE edit', 'edit DONE end'],
    { write: { role: `${role}-writer` }, edit: { role, agentType: 'CLAUDE' } },
    { 'write DONE edit': { approval: 'REQUIRED' } },
  );
  const sessionId = await h.session(null, { pipeline: slug });
  const { handoffId } = await h.advance(sessionId, 'DONE', {}, { caller: agentCaller(writer) });
  return { role, handoffId: encodeId('handoff', handoffId!) };
}

const wrongIds = (mutation: string, more: object): Refusal[] => [
  {
    mutation,
    error: 'BadUserInputError',
    when: 'the id is that of a session',
    given: () => ({
      input: { handoffId: unknownId('session'), ...more },
      data: { path: ['input', 'handoffId'] },
    }),
    says: /give the id of a handoff/,
  },
  {
    mutation,
    error: 'NotFoundError',
    when: 'the handoff does not exist',
    given: () => {
      const handoffId = unknownId('handoff');
      return { input: { handoffId, ...more }, data: { id: handoffId } };
    },
    says: /check the id/,
  },
  {
    mutation,
    error: 'IdempotencyMismatchError',
    when: 'the key was used with another handoff',
    given: async (h) => {
      const idempotencyKey = h.unique('key');
      await h.send(mutation, { handoffId: (await proposal(h)).handoffId, idempotencyKey, ...more });
      return { input: { handoffId: (await proposal(h)).handoffId, idempotencyKey, ...more }, data: { idempotencyKey } };
    },
    says: /use a new key/,
  },
  {
    mutation,
    error: 'InvalidStateError',
    when: 'somebody else has declined it',
    given: async (h) => {
      const { uuid, handoffId } = await proposal(h);
      await h.run(declineHandoff, { handoffId: uuid, reason: 'no' }, { caller: somebodyElse });
      return { input: { handoffId, ...more }, data: { state: 'DECLINED', allowed: ['PROPOSED'] } };
    },
    says: /waits for no approval: somebody else declined it at 2/,
  },
];

const approving: Refusal[] = [
  ...wrongIds('approveHandoff', {}),
  {
    mutation: 'approveHandoff',
    error: 'ConflictError',
    when: 'its agent went on since what was looked at',
    given: async (h) => {
      const { handoffId } = await proposal(h);
      return { input: { handoffId, expectedContentHash: '0'.repeat(64) }, data: { expectedVersion: null } };
    },
    says: /Read it again \(simulateApproval\) before you approve/,
  },
  {
    mutation: 'approveHandoff',
    error: 'AlreadyAssignedError',
    when: 'it is given back to its own agent',
    given: async (h) => {
      const { source, handoffId } = await proposal(h);
      return { input: { handoffId, edits: { targetAgentId: source } }, data: { agentId: source } };
    },
    says: /choose another agent/,
  },
  {
    mutation: 'approveHandoff',
    error: 'HandoffsDisabledError',
    when: 'handoffs were disabled since',
    given: async (h) => {
      const { handoffId, sessionId } = await proposal(h);
      await update(h, sessionId, { handoffsEnabled: false });
      return { input: { handoffId } };
    },
    says: /may not hand off this session/,
  },
  {
    mutation: 'approveHandoff',
    error: 'MaxHandoffsReachedError',
    when: 'the limit was lowered since',
    given: async (h) => {
      const { handoffId, sessionId } = await proposal(h);
      await update(h, sessionId, { maxHandoffs: 0 });
      return { input: { handoffId }, data: { count: 0, maxHandoffs: 0 } };
    },
    says: /operator/,
  },
  {
    mutation: 'approveHandoff',
    error: 'HandoffLoopError',
    when: 'the edits make it what the agent handed off before',
    given: async (h) => {
      const [source, target] = [h.unique('source'), h.unique('target')];
      await h.agent(target);
      await h.agent(source, { collaborators: [target] });
      const sessionId = await h.session(source);
      const first = await h.initiate(sessionId, target, {}, { caller: agentCaller(source) });
      await h.run(acceptHandoff, { handoffId: first.handoffId });
      const back = await h.initiate(sessionId, source, {}, { caller: agentCaller(target) });
      await h.run(acceptHandoff, { handoffId: back.handoffId });
      await h.db.pool.query(`UPDATE sessions SET handoff_approval = 'REQUIRED' WHERE id = $1`, [sessionId]);
      const { handoffId } = await h.initiate(
        sessionId,
        target,
        { summary: 'It is another matter' },
        { caller: agentCaller(source) },
      );
      return {
        input: { handoffId: encodeId('handoff', handoffId), edits: { summary: null } },
        data: { agentId: source, targetAgentId: target },
      };
    },
    says: /loop|again|before/i,
  },
  {
    mutation: 'approveHandoff',
    error: 'AgentUnavailableError',
    when: 'the target went offline since',
    given: async (h) => {
      const { handoffId, target } = await proposal(h);
      await h.run(setAgentStatus, { id: target, status: 'OFFLINE' });
      return { input: { handoffId }, data: { agentId: target, status: 'OFFLINE' } };
    },
    says: /is OFFLINE/,
  },
  {
    mutation: 'approveHandoff',
    error: 'AgentAtCapacityError',
    when: 'the target got other work since',
    given: async (h) => {
      const { handoffId, target } = await proposal(h);
      await h.run(updateAgent, { id: target, maxCapacity: 1 });
      await h.session(target);
      return { input: { handoffId }, data: { agentId: target, currentLoad: 1, maxCapacity: 1 } };
    },
    says: /1 of 1|full|capacity/i,
  },
  {
    mutation: 'approveHandoff',
    error: 'TransitionNotAllowedError',
    when: 'in a pipeline another target fits no stage',
    given: async (h) => {
      const role = h.unique('edit');
      const [writer, editor, stranger] = [h.unique('writer'), h.unique('editor'), h.unique('stranger')];
      await h.agent(writer, { role: `${role}-writer` });
      await h.agent(editor, { role });
      await h.agent(stranger);
      const slug = h.unique('text');
      await h.pipeline(slug, ['write DONE edit', 'edit DONE end'], {
        write: { role: `${role}-writer` },
        edit: { role },
      });
      const sessionId = await h.session(null, { pipeline: slug, handoffApproval: 'REQUIRED' });
      const { handoffId } = await h.initiate(sessionId, editor, {}, { caller: agentCaller(writer) });
      return {
        input: { handoffId: encodeId('handoff', handoffId), edits: { targetAgentId: stranger } },
        data: { stage: 'write', allowed: ['DONE'] },
      };
    },
    says: /fits no stage/,
  },
  {
    mutation: 'approveHandoff',
    error: 'AgentTypeMismatchError',
    when: 'another target has not the type of the stage',
    given: async (h) => {
      const { role, handoffId } = await proposedAdvance(h);
      const other = h.unique('codex');
      await h.agent(other, { role, type: 'CODEX' });
      return { input: { handoffId, edits: { targetAgentId: other } }, data: { agentId: other } };
    },
    says: /CLAUDE/,
  },
  {
    mutation: 'approveHandoff',
    error: 'AgentRoleMismatchError',
    when: 'another target has not the role of the stage',
    given: async (h) => {
      const { handoffId } = await proposedAdvance(h);
      const other = h.unique('tester');
      await h.agent(other, { role: 'test' });
      return { input: { handoffId, edits: { targetAgentId: other } }, data: { agentId: other } };
    },
    says: /role/,
  },
];

const asking: Refusal[] = [
  {
    mutation: 'askPerson',
    error: 'BadUserInputError',
    when: 'the question is blank',
    given: () => ({ input: { sessionId: unknownId('session'), question: ' ' }, data: { path: ['input', 'question'] } }),
    says: /blank/,
  },
  {
    mutation: 'askPerson',
    error: 'NotFoundError',
    when: 'the session does not exist',
    given: () => {
      const sessionId = unknownId('session');
      return { input: { sessionId, question: 'Which?' }, data: { id: sessionId } };
    },
    says: /check the id/,
  },
  {
    mutation: 'askPerson',
    error: 'IdempotencyMismatchError',
    when: 'the key was used with another question',
    given: async (h) => {
      const idempotencyKey = h.unique('key');
      const holder = h.unique('holder');
      await h.agent(holder);
      const sessionId = encodeId('session', await h.session(holder));
      await h.send('askPerson', { sessionId, question: 'Which?', idempotencyKey });
      return { input: { sessionId, question: 'Why?', idempotencyKey }, data: { idempotencyKey } };
    },
    says: /use a new key/,
  },
  {
    mutation: 'askPerson',
    error: 'InvalidStateError',
    when: 'the session is paused',
    given: async (h) => {
      const holder = h.unique('holder');
      await h.agent(holder);
      const id = await h.session(holder);
      await h.run(pauseSession, { sessionId: id, expectedVersion: null });
      return {
        input: { sessionId: encodeId('session', id), question: 'Which?' },
        data: { state: 'PAUSED', allowed: ['ACTIVE'] },
      };
    },
    says: /Only the agent that works on the session asks/,
  },
];

const answering: Refusal[] = [
  {
    mutation: 'answerQuestion',
    error: 'BadUserInputError',
    when: 'the id is that of a handoff',
    given: () => ({
      input: { questionId: unknownId('handoff'), answer: 'Yes' },
      data: { path: ['input', 'questionId'] },
    }),
    says: /give the id of a question/,
  },
  {
    mutation: 'answerQuestion',
    error: 'NotFoundError',
    when: 'the question does not exist',
    given: () => {
      const questionId = unknownId('question');
      return { input: { questionId, answer: 'Yes' }, data: { id: questionId } };
    },
    says: /check the id/,
  },
  {
    mutation: 'answerQuestion',
    error: 'IdempotencyMismatchError',
    when: 'the key was used with another answer',
    given: async (h) => {
      const idempotencyKey = h.unique('key');
      const holder = h.unique('holder');
      await h.agent(holder);
      const sessionId = await h.session(holder);
      const asked = await h.run(askPerson, { sessionId, question: 'Which?', options: null });
      const questionId = encodeId('question', asked.questionId);
      await h.send('answerQuestion', { questionId, answer: 'This', idempotencyKey });
      return { input: { questionId, answer: 'That', idempotencyKey }, data: { idempotencyKey } };
    },
    says: /use a new key/,
  },
  {
    mutation: 'answerQuestion',
    error: 'InvalidStateError',
    when: 'somebody else has answered',
    given: async (h) => {
      const holder = h.unique('holder');
      await h.agent(holder);
      const sessionId = await h.session(holder);
      const { questionId } = await h.run(askPerson, { sessionId, question: 'Which?', options: null });
      await h.run(answerQuestion, { questionId, answer: 'This' }, { caller: somebodyElse });
      return {
        input: { questionId: encodeId('question', questionId), answer: 'That' },
        data: { state: 'ANSWERED', allowed: ['ASKED'] },
      };
    },
    says: /waits for no answer: somebody else answered it at 2/,
  },
];

testRefusals(
  home,
  ['approveHandoff', 'declineHandoff', 'askPerson', 'answerQuestion'],
  [...approving, ...wrongIds('declineHandoff', { reason: 'no' }), ...asking, ...answering],
);
