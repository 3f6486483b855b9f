const statuses: Record<string, number> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  INVALID_STATE: 409,
  AGENT_AT_CAPACITY: 409,
  AGENT_UNAVAILABLE: 409,
  LIMIT_EXCEEDED: 413,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
};

/** The HTTP status for an error code in downloads and uploads. */
export const httpStatusOf = (code: string): number => statuses[code] ?? 500;
