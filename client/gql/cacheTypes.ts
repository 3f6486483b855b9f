export const possibleTypes: Record<string, string[]> = {
  "AcceptHandoffResult": [
    "AcceptHandoffPayload",
    "BadUserInputError",
    "InvalidStateError",
    "NotFoundError"
  ],
  "AppendTurnResult": [
    "AppendTurnPayload",
    "BadUserInputError",
    "IdempotencyMismatchError",
    "InvalidStateError",
    "LimitExceededError",
    "NotFoundError"
  ],
  "ArchiveAgentResult": [
    "ArchiveAgentPayload",
    "BadUserInputError",
    "InvalidStateError",
    "NotFoundError"
  ],
  "CancelHandoffResult": [
    "BadUserInputError",
    "CancelHandoffPayload",
    "InvalidStateError",
    "NotFoundError"
  ],
  "CancelPendingHandoffsResult": [
    "BadUserInputError",
    "CancelPendingHandoffsPayload",
    "NotFoundError"
  ],
  "CancelSessionResult": [
    "BadUserInputError",
    "CancelSessionPayload",
    "ConflictError",
    "InvalidStateError",
    "NotFoundError"
  ],
  "CaptureSnapshotResult": [
    "BadUserInputError",
    "CaptureSnapshotPayload",
    "IdempotencyMismatchError",
    "InvalidStateError",
    "NotFoundError"
  ],
  "CompleteHandoffResult": [
    "BadUserInputError",
    "CompleteHandoffPayload",
    "InvalidStateError",
    "NotFoundError"
  ],
  "CompleteSessionResult": [
    "BadUserInputError",
    "CompleteSessionPayload",
    "ConflictError",
    "InvalidStateError",
    "NotFoundError"
  ],
  "ContextText": [
    "ContextPreview",
    "ContextPrompt"
  ],
  "CreateKeyResult": [
    "BadUserInputError",
    "CreateKeyPayload",
    "NotFoundError"
  ],
  "CreateSessionResult": [
    "AgentAtCapacityError",
    "AgentTypeMismatchError",
    "AgentUnavailableError",
    "BadUserInputError",
    "CreateSessionPayload",
    "IdempotencyMismatchError",
    "NoAgentAvailableError",
    "NotFoundError"
  ],
  "Error": [
    "AgentAtCapacityError",
    "AgentTypeMismatchError",
    "AgentUnavailableError",
    "AlreadyAssignedError",
    "BadUserInputError",
    "ConflictError",
    "HandoffLoopError",
    "HandoffsDisabledError",
    "IdempotencyMismatchError",
    "InvalidStateError",
    "LimitExceededError",
    "MaxHandoffsReachedError",
    "NoAgentAvailableError",
    "NotACollaboratorError",
    "NotFoundError"
  ],
  "FailHandoffResult": [
    "BadUserInputError",
    "FailHandoffPayload",
    "InvalidStateError",
    "NotFoundError"
  ],
  "FailSessionResult": [
    "BadUserInputError",
    "ConflictError",
    "FailSessionPayload",
    "InvalidStateError",
    "NotFoundError"
  ],
  "ImportAgentsResult": [
    "BadUserInputError",
    "ImportAgentsPayload",
    "LimitExceededError"
  ],
  "ImportTranscriptResult": [
    "BadUserInputError",
    "ImportTranscriptPayload",
    "InvalidStateError",
    "NotFoundError"
  ],
  "InitiateHandoffResult": [
    "AgentAtCapacityError",
    "AgentUnavailableError",
    "AlreadyAssignedError",
    "BadUserInputError",
    "HandoffLoopError",
    "HandoffsDisabledError",
    "IdempotencyMismatchError",
    "InitiateHandoffPayload",
    "InvalidStateError",
    "MaxHandoffsReachedError",
    "NotACollaboratorError",
    "NotFoundError"
  ],
  "Node": [
    "Agent",
    "AgentSession",
    "ContextSnapshot",
    "Decision",
    "Event",
    "Handoff",
    "Key",
    "Message",
    "Session",
    "Task",
    "ToolCall",
    "Turn"
  ],
  "PauseSessionResult": [
    "BadUserInputError",
    "ConflictError",
    "InvalidStateError",
    "NotFoundError",
    "PauseSessionPayload"
  ],
  "ReassignSessionResult": [
    "AgentAtCapacityError",
    "AgentTypeMismatchError",
    "AgentUnavailableError",
    "AlreadyAssignedError",
    "BadUserInputError",
    "ConflictError",
    "IdempotencyMismatchError",
    "InvalidStateError",
    "NoAgentAvailableError",
    "NotFoundError",
    "ReassignSessionPayload"
  ],
  "RecordDecisionResult": [
    "BadUserInputError",
    "IdempotencyMismatchError",
    "InvalidStateError",
    "NotFoundError",
    "RecordDecisionPayload"
  ],
  "RegisterAgentResult": [
    "BadUserInputError",
    "ConflictError",
    "NotFoundError",
    "RegisterAgentPayload"
  ],
  "RejectHandoffResult": [
    "BadUserInputError",
    "InvalidStateError",
    "NotFoundError",
    "RejectHandoffPayload"
  ],
  "ResumeSessionResult": [
    "BadUserInputError",
    "ConflictError",
    "InvalidStateError",
    "NotFoundError",
    "ResumeSessionPayload"
  ],
  "RevokeKeyResult": [
    "BadUserInputError",
    "NotFoundError",
    "RevokeKeyPayload"
  ],
  "SetAgentStatusResult": [
    "BadUserInputError",
    "NotFoundError",
    "SetAgentStatusPayload"
  ],
  "SetTasksResult": [
    "BadUserInputError",
    "InvalidStateError",
    "LimitExceededError",
    "NotFoundError",
    "SetTasksPayload"
  ],
  "TimeOutHandoffResult": [
    "BadUserInputError",
    "InvalidStateError",
    "NotFoundError",
    "TimeOutHandoffPayload"
  ],
  "UpdateAgentResult": [
    "BadUserInputError",
    "InvalidStateError",
    "NotFoundError",
    "UpdateAgentPayload"
  ],
  "UpdateSessionResult": [
    "BadUserInputError",
    "ConflictError",
    "InvalidStateError",
    "NotFoundError",
    "UpdateSessionPayload"
  ]
};

export const embeddedTypes: string[] = [
  "AcceptHandoffPayload",
  "Actor",
  "AgentAtCapacityError",
  "AgentConnection",
  "AgentDefinition",
  "AgentEdge",
  "AgentImportProblem",
  "AgentImportReport",
  "AgentPrompt",
  "AgentSessionConnection",
  "AgentSessionEdge",
  "AgentTypeMismatchError",
  "AgentUnavailableError",
  "AlreadyAssignedError",
  "AppendTurnPayload",
  "ArchiveAgentPayload",
  "BadUserInputError",
  "CancelHandoffPayload",
  "CancelPendingHandoffsPayload",
  "CancelSessionPayload",
  "CaptureSnapshotPayload",
  "CarriedMessage",
  "CarriedToolCall",
  "Collaboration",
  "CompleteHandoffPayload",
  "CompleteSessionPayload",
  "ConflictError",
  "ContextItem",
  "ContextLeftOut",
  "ContextPreview",
  "ContextPrompt",
  "ContextSnapshotConnection",
  "ContextSnapshotEdge",
  "ContextVariable",
  "CreateKeyPayload",
  "CreateSessionPayload",
  "DetectedCall",
  "DetectedTool",
  "DetectionProblem",
  "DroppedContextItem",
  "EntryTypeCount",
  "EventConnection",
  "EventEdge",
  "FailHandoffPayload",
  "FailSessionPayload",
  "FailedAttempt",
  "HandoffCheck",
  "HandoffConnection",
  "HandoffDetection",
  "HandoffEdge",
  "HandoffGraph",
  "HandoffGraphEdge",
  "HandoffGraphNode",
  "HandoffLoopError",
  "HandoffStatusCount",
  "HandoffStep",
  "HandoffsDisabledError",
  "IdempotencyMismatchError",
  "ImportAgentsPayload",
  "ImportReport",
  "ImportTranscriptPayload",
  "ImportedAgent",
  "ImportedTask",
  "InitiateHandoffPayload",
  "InvalidStateError",
  "KeptContextItem",
  "KeyConnection",
  "KeyEdge",
  "LimitExceededError",
  "MaxHandoffsReachedError",
  "MessageConnection",
  "MessageCounts",
  "MessageEdge",
  "NoAgentAvailableError",
  "NotACollaboratorError",
  "NotFoundError",
  "PageInfo",
  "PauseSessionPayload",
  "RateAllowance",
  "RateLimit",
  "ReassignSessionPayload",
  "RecentMessage",
  "RecordDecisionPayload",
  "RegisterAgentPayload",
  "RejectHandoffPayload",
  "ResumeSessionPayload",
  "RevokeKeyPayload",
  "SessionConnection",
  "SessionEdge",
  "SetAgentStatusPayload",
  "SetTasksPayload",
  "TimeOutHandoffPayload",
  "ToolCount",
  "ToolSummary",
  "TurnConnection",
  "TurnEdge",
  "UpdateAgentPayload",
  "UpdateSessionPayload",
  "Usage",
  "Viewer",
  "Workspace"
];
