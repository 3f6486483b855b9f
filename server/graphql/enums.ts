import { builder } from './builder.ts';

/** The enums that more than one noun shows or asks for. */
export const AdministrativeStatus = builder.enumType('AdministrativeStatus', {
  description: 'What an operator decided about an Agent. It moves no Session.',
  values: {
    AVAILABLE: { description: 'Takes work.' },
    DRAINING: { description: 'Finishes what it has and takes nothing new.' },
    OFFLINE: { description: 'Takes nothing.' },
  },
});

export const SessionStatus = builder.enumType('SessionStatus', {
  description: 'Where a Session is in its life. RUNNING and PAUSED are open, the others final.',
  values: {
    RUNNING: { description: 'Somebody holds it and may work on it.' },
    PAUSED: { description: 'Nobody works on it: it was paused, or nobody holds it.' },
    COMPLETED: { description: 'The work is done.' },
    FAILED: { description: 'The work failed.' },
    CANCELLED: { description: 'The work was called off.' },
  },
});

export const HandoffStatus = builder.enumType('HandoffStatus', {
  description: 'Where a Handoff is in its life. INITIATED and ACCEPTED are open, the others final.',
  values: {
    INITIATED: { description: 'The Session and a place of the target are given over; the target has not said anything yet.' },
    ACCEPTED: { description: 'The target has accepted, and has not worked yet.' },
    COMPLETED: { description: 'The target has taken over: it does not mean that the work is done.' },
    FAILED: { description: 'It failed; the Session went back, or ended.' },
    REJECTED: { description: 'The target declined; the Session went back.' },
    CANCELLED: { description: 'It was called off or superseded by another move.' },
    TIMED_OUT: { description: 'The target did not accept in time; the Session went back.' },
  },
});

export const HandoffVia = builder.enumType('HandoffVia', {
  description: 'Who started a Handoff.',
  values: {
    OPERATOR: { description: 'An operator, with reassignSession.' },
    API: { description: 'The agent that held the Session, with initiateHandoff.' },
    TOOL: { description: 'The agent that held the Session, by calling a handoff tool.' },
    PIPELINE: { description: 'A pipeline.' },
  },
});

export const MessageRole = builder.enumType('MessageRole', {
  description: 'Who speaks in a Message.',
  values: {
    USER: { description: 'A person.' },
    ASSISTANT: { description: 'The agent.' },
    SYSTEM: { description: 'Whoever set the agent its task.' },
    TOOL: { description: 'A tool that the agent called.' },
    HANDOFF: { description: 'Baton: it marks where the Session changed hands.' },
  },
});

export const TaskStatus = builder.enumType('TaskStatus', {
  description: 'How far a Task is.',
  values: {
    PENDING: { description: 'Not begun.' },
    IN_PROGRESS: { description: 'Being worked on.' },
    DONE: { description: 'Finished: no Handoff carries it any more.' },
  },
});

export const Role = builder.enumType('Role', {
  description: 'What a caller may do.',
  values: {
    AGENT: { description: 'What one agent may: work on what it holds, hand it off, accept and decline.' },
    OPERATOR: { description: 'All but keys: moves Sessions, manages agents, acts for agents and is recorded as such.' },
    ANALYST: { description: 'Reads everything and changes nothing.' },
    ADMIN: { description: 'Everything, keys too.' },
  },
});

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which end of an order comes first.',
  values: {
    ASC: { description: 'The smallest or oldest first.' },
    DESC: { description: 'The largest or newest first.' },
  },
});
