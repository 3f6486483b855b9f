import type { Demand } from '../../work/handoffs/demanded.ts';
import { builder } from './builder.ts';

export const AdministrativeStatus = builder.enumType('AdministrativeStatus', {
  description: 'Status of an Agent as an operator set it. A change moves no Session.',
  values: {
    AVAILABLE: { description: 'Takes new work.' },
    DRAINING: { description: 'Keeps its work and takes no new work.' },
    OFFLINE: { description: 'Takes no new work. The Sessions that it holds stay with it.' },
  },
});

export const SessionStatus = builder.enumType('SessionStatus', {
  description: 'Statuses of a Session. RUNNING and PAUSED are open; the others are final.',
  values: {
    RUNNING: { description: 'An Agent holds the Session and may work on it.' },
    PAUSED: { description: 'The Session was paused, or is unassigned.' },
    COMPLETED: { description: 'The work is done.' },
    FAILED: { description: 'The work failed.' },
    CANCELLED: { description: 'The work was cancelled.' },
  },
});

export const SessionPriority = builder.enumType('SessionPriority', {
  description: 'Urgency of the work, lowest first.',
  values: {
    LOW: { description: 'Waits for everything else.' },
    NORMAL: { description: 'The default.' },
    HIGH: { description: 'Before normal work.' },
    URGENT: { description: 'Before everything else.' },
  },
});

export const StuckReason = builder.enumType('StuckReason', {
  description: 'Reasons why no Agent can go on with an open Session until a person acts.',
  values: {
    ESCALATED: { description: 'It waits in the queue until an operator chooses the Agent: call reassignSession.' },
    NO_AGENT: {
      description:
        'It waits in the queue, and no AVAILABLE Agent that may get it has the type and role that it waits for: register one, make one available, or call reassignSession.',
    },
    UNASSIGNED: { description: 'No Agent holds it and it is not in the queue: call reassignSession.' },
    HOLDER_AWAY: { description: 'Its holder is OFFLINE or archived: call reassignSession or setAgentStatus.' },
    MAX_HANDOFFS: {
      description:
        'Agents started as many Handoffs since the last act of an operator as `maxHandoffs` allows; in a pipeline, as often sent work back: call reassignSession or updateSession.',
    },
  },
});

export const HandoffStatus = builder.enumType('HandoffStatus', {
  description:
    'Statuses of a Handoff. PROPOSED waits for a person, INITIATED and ACCEPTED are open; the others are final.',
  values: {
    PROPOSED: {
      description:
        'An Agent wants it, and a person has to approve it. Nothing has moved, and the target does not know.',
    },
    INITIATED: { description: 'Custody has moved to the target, which has not answered yet.' },
    ACCEPTED: { description: 'The target accepted and has not worked yet.' },
    COMPLETED: { description: 'The target took over. It does not mean that the work is done.' },
    FAILED: { description: 'The Handoff failed. The Session returned to its source, is unassigned, or ended.' },
    REJECTED: {
      description:
        'The target declined. The Session returned to its source, or is unassigned when the source could not take it.',
    },
    CANCELLED: { description: 'The Handoff was cancelled, or superseded by another move.' },
    DECLINED: {
      description: 'A person declined it. Nothing has moved: the Agent that proposed it holds the Session.',
    },
    TIMED_OUT: {
      description:
        'The target did not accept in time, or nobody approved in time. The Session returned to its source, or is unassigned when the source could not take it.',
    },
  },
});

export const ApprovalRule = builder.enumType('ApprovalRule', {
  description: 'Whether a person has to approve Handoffs that Agents start. The strictest rule that concerns one wins.',
  values: {
    NONE: { description: 'Nobody has to.' },
    REQUIRED: { description: 'The Handoff is PROPOSED until an operator approves it (approveHandoff).' },
  },
});

export const ApprovalDecision = builder.enumType('ApprovalDecision', {
  description: 'How an Approval ended.',
  values: {
    APPROVED: { description: 'A person approved the Handoff.' },
    DECLINED: { description: 'A person declined the Handoff.' },
    ANSWERED: { description: 'A person answered the question.' },
    TIMED_OUT: { description: 'Nobody approved the Handoff in time.' },
    CANCELLED: { description: 'The Agent took it back, or the Session moved, went on or ended otherwise.' },
  },
});

export const ApprovalDemand = builder.enumType('ApprovalDemand', {
  description: 'What demands that a person approves a Handoff.',
  values: {
    SESSION: { description: '`handoffApproval` of the Session.' },
    TRANSITION: { description: 'The transition of the pipeline that the Handoff takes.' },
    TOOL: { description: 'The handoff tool that the Agent called.' },
    COLLABORATION: { description: 'The collaboration of the Agent with the target.' },
  } satisfies Record<Demand, object>,
});

export const HandoffVia = builder.enumType('HandoffVia', {
  description: 'Ways in which a Handoff is started.',
  values: {
    OPERATOR: { description: 'An operator called reassignSession.' },
    API: { description: 'The holder called initiateHandoff.' },
    TOOL: { description: 'The holder called a handoff tool.' },
    PIPELINE: { description: 'A pipeline moved the Session.' },
  },
});

export const MessageRole = builder.enumType('MessageRole', {
  description: 'Authors of Messages.',
  values: {
    USER: { description: 'A person.' },
    ASSISTANT: { description: 'The agent.' },
    SYSTEM: { description: 'The program or person that set the agent its task.' },
    TOOL: { description: 'A tool that the agent called.' },
    HANDOFF: { description: 'Baton: marks where the Session changed hands.' },
  },
});

export const MessageKind = builder.enumType('MessageKind', {
  description: 'Kinds of Messages.',
  values: {
    TEXT: { description: 'Words of the author: the default.' },
    ERROR: { description: 'An error of the program or of the model, such as a refused request.' },
    STATUS: {
      description: 'A notice of the program, such as an interruption, a compaction or the output of a command.',
    },
    SKILL: { description: 'The text of a skill that the agent loaded.' },
    SUBTASK: { description: 'A prompt, an answer or a notification of a sub-agent.' },
  },
});

export const CarriedMessages = builder.enumType('CarriedMessages', {
  description: 'Messages that a Carry passes on.',
  values: {
    ALL: { description: 'All that a Context holds.' },
    LAST: { description: 'The newest `lastMessages`.' },
    HUMAN: { description: 'Messages of role USER.' },
    NONE: { description: 'No Messages.' },
  },
});

export const CarriedToolCalls = builder.enumType('CarriedToolCalls', {
  description: 'What a Carry passes on of tool calls.',
  values: {
    ALL: { description: 'All that a Context holds.' },
    SUMMARY: { description: 'For each tool the number of calls and errors, without arguments and results.' },
    NONE: { description: 'Nothing of them.' },
  },
});

export const TaskStatus = builder.enumType('TaskStatus', {
  description: 'Statuses of a Task.',
  values: {
    PENDING: { description: 'Not started.' },
    IN_PROGRESS: { description: 'In progress.' },
    DONE: { description: 'Done. Later Handoffs do not carry it.' },
  },
});

export const Role = builder.enumType('Role', {
  description: 'Rights of a caller.',
  values: {
    AGENT: { description: 'Acts as one agent: works on what it holds, hands it off, accepts and declines.' },
    OPERATOR: {
      description:
        "Reads and does everything except keys: moves Sessions, manages agents, acts for agents. Acts are recorded as the operator's.",
    },
    ANALYST: { description: 'Reads everything and changes nothing.' },
    ADMIN: { description: 'Reads and does everything, including keys.' },
  },
});

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Directions of an order.',
  values: {
    ASC: { description: 'Smallest or oldest first.' },
    DESC: { description: 'Largest or newest first.' },
  },
});
