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
  /** A download costs a read, and another for each of so many bytes that it has more. */
  readBytes: MB,
  /** 413. */
  body: { json: 1_000_000, transcript: 64 * MB },
  /**
   * Uploads of more than `turnBytes` take turns: so many are read at once, so many of them for one key, so many wait, and
   * so long, in milliseconds, which is part of `http.requestWithin`. 503 with `Retry-After`.
   */
  uploads: { turnBytes: MB, atOnce: 2, ofKey: 1, waiting: 50, waitMs: 15_000 },
  /**
   * Queries of at least this cost take turns: so many are executed at once, so many of them for one key, so many wait, and
   * so long, in milliseconds. UNAVAILABLE.
   */
  heavyReads: { cost: 100, atOnce: 3, ofKey: 2, waiting: 200, waitMs: 10_000 },
  /** LIMIT_EXCEEDED, over HTTP and over sockets, for queries, mutations and each event. */
  answer: { bytes: 10 * MB },
  /**
   * What is kept until readers take it, over all transports, in bytes. Answers over it are refused with RATE_LIMITED or
   * UNAVAILABLE, but for those of `always` bytes at most, and streams wait (a download for
   * `part` before it is read on); who has taken nothing for `stalledMs` is cut off when another needs the room.
   */
  unread: { connection: 16 * MB, key: 32 * MB, process: 128 * MB, always: 64 * KB, part: 2 * MB, stalledMs: 1_000 },
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
    /** Credentials that do not work, by remote address. Those that work are never refused for them. */
    failures: { perMinute: 60, burst: 60 },
    /** Failures over their limit are answered so late, in milliseconds, while so many wait for it; their connections are closed. */
    late: { ms: 1_000, atOnce: 2_000 },
  },
  /** The connection is closed, with 408, 414 or 431 where HTTP still can say so. In milliseconds and bytes. */
  http: {
    headersWithin: 10_000,
    requestWithin: 30_000,
    idleWithin: 65_000,
    checkedEvery: 5_000,
    /** How long the rest of a body is still taken that is not wanted any more: who sends does not read the answer before. */
    restWithin: 2_000,
    /** A reader that has taken nothing for so long, while something waits for it, is not waited for. */
    drainWithin: 30_000,
    headerBytes: 16 * KB,
    headers: 100,
  },
  /** The socket is closed: 1008 for what a client should not do, 1013 for what it may try again later, 1009 for a message. */
  sockets: {
    /** Of a message, in all its fragments. */
    frameBytes: 64 * KB,
    /** Of a message. Each fragment may hold the 64 KB that were read with it. */
    fragments: 64,
    /** Pieces that TCP delivers of one frame. */
    pieces: 1_024,
    /** Pings and pongs of one socket per `pingMs`. */
    controlFrames: 100,
    /** Of one key. */
    sockets: 50,
    /** Operations under way on one socket. LIMIT_EXCEEDED for the next one; the socket stays open. */
    subscriptions: 20,
    /** Messages of one socket that are being worked on, operations aside. Over it nothing more is read until some are done. */
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
