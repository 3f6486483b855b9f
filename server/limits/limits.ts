const KB = 1024;
const MB = 1024 * KB;

/** Every limit of Baton, in one place. What is over one is refused with the answer that stands beside it. */
export const limits = {
  /** LIMIT_EXCEEDED, over HTTP and over sockets, before the document is validated. */
  query: {
    /** Bounds what lexing may cost: comments are no tokens. */
    characters: 100_000,
    tokens: 1_000,
    /** Levels of fields, counted through fragments. */
    depth: 10,
    aliases: 15,
    rootFields: 10,
    /** Fields of a mutation. */
    writes: 1,
    directives: 30,
    /** Fields that stand twice in one selection: validation compares each two of them. */
    repeatedFields: 50,
    /** Fields, fragment spreads and inline fragments after expansion: planning and execution walk each. The dashboard needs 243. */
    selections: 2_000,
    /** Pairs of fields with the same response name in the same place: validation takes 2.5 microseconds for each. */
    comparisons: 8_000,
    /** What stands for the records that an answer may have to read, by the sizes of its lists (`cost.ts`). */
    cost: 5_000,
    /** What `__schema` and `__type` ask is counted apart: the usual introspection has 775 and 15 levels. */
    introspectionCost: 800,
    introspectionDepth: 20,
  },
  /** BAD_USER_INPUT with the path. */
  json: {
    /** Levels of a JSON value. */
    depth: 32,
    /** Levels of all variables: a JSON value, and the inputs around it. */
    variablesDepth: 40,
  },
  /** 413. */
  body: { json: 1_000_000, transcript: 64 * MB },
  /** BAD_USER_INPUT with the path. */
  fields: {
    titleCharacters: 500,
    /** Also of a decision and of a task. */
    reason: 4 * KB,
    summary: 32 * KB,
    /** A message, a tool's arguments, or what it answered. */
    content: 256 * KB,
    /** Context variables, metadata. */
    json: 64 * KB,
    idempotencyKeyCharacters: 128,
  },
  /** LIMIT_EXCEEDED. */
  counts: { tasks: 500, toolCallsOfTurn: 200, messagesOfTurn: 200, filesOfToolCall: 200, collaborators: 200 },
  /** RATE_LIMITED with `Retry-After`: so many a minute and key, and so many at once. */
  rate: {
    writes: { perMinute: 60, burst: 20 },
    reads: { perMinute: 600, burst: 200 },
    /** Credentials that were none, by remote address. */
    failures: { perMinute: 60, burst: 60 },
    /** Of an address that is over `failures`: keys that are new to this process are looked up so many at once, and so many wait. */
    lookUps: { atOnce: 2, waiting: 100 },
  },
  /** The connection is closed, with 408, 414 or 431 where HTTP still can say so. In milliseconds and bytes. */
  http: {
    headersWithin: 10_000,
    requestWithin: 30_000,
    idleWithin: 65_000,
    checkedEvery: 5_000,
    /** How long the rest of a body is still taken that is not wanted any more: who sends does not read the answer before. */
    restWithin: 2_000,
    headerBytes: 16 * KB,
    headers: 100,
  },
  /** The socket is closed: 1008 for what a client should not do, 1013 for what it may try again later, 1009 for a frame. */
  sockets: {
    frameBytes: 64 * KB,
    /** Of one key. */
    sockets: 50,
    /** On one socket. */
    subscriptions: 20,
    /** Messages of one socket that are being worked on, subscriptions aside. */
    messages: 50,
    /** 4408. In milliseconds. */
    initMs: 3_000,
    pingMs: 12_000,
    /** A client that has taken nothing for so long, while something waits for it, is not waited for. */
    drainMs: 30_000,
    /** Nor is more than this kept for it. */
    waitingBytes: 4 * MB,
  },
  /** LIMIT_EXCEEDED: of one request, in milliseconds. */
  processorMs: 2_000,
  /** 503 UNAVAILABLE, in milliseconds. */
  answerWithin: 30_000,
} as const;

export type SocketLimits = { [Name in keyof typeof limits.sockets]: number };
export type QueryLimits = { [Name in keyof typeof limits.query]: number };
