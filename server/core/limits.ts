const KB = 1024;
const MB = 1024 * KB;

/** Every limit of Baton. The comment of each states how a request over it is refused. */
export const limits = {
  /** LIMIT_EXCEEDED, over HTTP and over sockets, before the document is validated. */
  query: {
    /** Bounds the time of lexing: comments are not counted as tokens. */
    characters: 100_000,
    tokens: 1_000,
    /** Levels of fields, through fragments. */
    depth: 10,
    aliases: 15,
    rootFields: 10,
    /** Root fields of a mutation. */
    writes: 1,
    directives: 30,
    /** Repeated response names in one selection set: validation compares each pair. */
    repeatedFields: 50,
    /** Fields, fragment spreads and inline fragments after expansion. The dashboard needs 243. */
    selections: 2_000,
    /** Pairs of fields with the same response name in merged selections: validation takes 2.5 microseconds for each. */
    comparisons: 8_000,
    /** Estimated records to read (`cost.ts`). */
    cost: 5_000,
    /** Selections of `__schema` and `__type`, counted separately. The usual introspection query has cost 775 and 15 levels. */
    introspectionCost: 800,
    introspectionDepth: 20,
  },
  /** BAD_USER_INPUT with the path. */
  json: {
    /** Levels of a JSON value. */
    depth: 32,
    /** Levels of the variables: a JSON value and the inputs around it. */
    variablesDepth: 40,
  },
  /** LIMIT_EXCEEDED. Of a body, where a name counts as one more, before it is parsed. `core/json.ts` bounds lists, objects and names. */
  values: { most: 200_000 },
  /**
   * LIMIT_EXCEEDED, before the variables are read. `list`: items of one list. `most`: of the inputs in a variable, where an item of a list
   * counts as `item`, an input object as `object` more and each field of its type, given or not, as `field`.
   */
  inputs: { list: 1_000, most: 50_000, item: 1, object: 5, field: 2 },
  /** A download counts as one read, and one more for each further `readBytes`. */
  readBytes: MB,
  /** A mutation counts as one write, and one more for each further `writeBytes` of its document and variables, in which secrets are searched. */
  writeBytes: 32 * KB,
  /** 400. Tokens of the log in the transcript of a Session for another program. */
  nativeTokens: { least: 1_000, most: 1_000_000 },
  /** 413. */
  body: { json: 1_000_000, transcript: 64 * MB, definitions: 8 * MB },
  /**
   * Uploads of more than `turnBytes`: at most `atOnce` are read concurrently, `ofKey` of them for one key. At most `waiting`
   * wait, each up to `waitMs` milliseconds. 503 with `Retry-After`. An upload that is read and brings less than `slowest.bytes` in
   * `slowest.ms` ends with 408.
   */
  uploads: { turnBytes: MB, atOnce: 1, ofKey: 1, waiting: 50, waitMs: 15_000, slowest: { bytes: 512 * KB, ms: 4_000 } },
  /**
   * Of the worker thread that reads and redacts a transcript, BAD_USER_INPUT: `processorMs` without the time in which other programs have
   * the processor. UNAVAILABLE after `answerWithin` milliseconds for one step. `turns`: of transcripts without a turn of `uploads`.
   */
  imports: {
    processorMs: 300_000,
    memoryMb: 512,
    answerWithin: 60_000,
    turns: { atOnce: 2, ofKey: 1, waiting: 200, waitMs: 15_000 },
  },
  /**
   * Queries of at least this cost: at most `atOnce` run concurrently, `ofKey` of them for one key. At most `waiting` wait,
   * each up to `waitMs` milliseconds. UNAVAILABLE.
   */
  heavyReads: { cost: 100, atOnce: 3, ofKey: 2, waiting: 200, waitMs: 10_000 },
  /**
   * LIMIT_EXCEEDED. `bytes`: messages, tool results and Contexts that one request reads. `ofStatement`: the answer of PostgreSQL to one
   * statement, with all columns; `ofPrisma`: to one of Prisma's, which takes three times as long. Messages, tool results and Contexts
   * below other records are read in parts of about `partBytes`.
   */
  held: { bytes: 10 * MB, ofStatement: 12 * MB, ofPrisma: 4 * MB, partBytes: MB },
  /** LIMIT_EXCEEDED, over HTTP and over sockets, for queries, mutations and each event. */
  answer: { bytes: 10 * MB },
  /**
   * Unread bytes kept for clients, over all transports. An answer over a limit is refused with RATE_LIMITED or UNAVAILABLE,
   * unless it has at most `always` bytes. Streams wait; a download waits for `part` free bytes before it reads on. A client
   * that has read nothing for `stalledMs` is disconnected when the space is needed.
   */
  unread: { connection: 16 * MB, key: 32 * MB, process: 128 * MB, always: 64 * KB, part: 2 * MB, stalledMs: 1_000 },
  /** BAD_USER_INPUT with the path. */
  fields: {
    titleCharacters: 500,
    externalIdCharacters: 200,
    projectCharacters: 200,
    /** Also of a decision and of a task. */
    reason: 4 * KB,
    summary: 32 * KB,
    /** Of an agent. */
    instructions: 32 * KB,
    /** When to use a collaboration: becomes part of a tool's description. */
    when: KB,
    toolDescriptionCharacters: 1_024,
    toolVariables: 16 * KB,
    /** A message, a tool's arguments or its result. */
    content: 256 * KB,
    /** Context variables, metadata, payloads and their schemas. */
    json: 64 * KB,
    /** The whole definition of a pipeline. */
    pipeline: 256 * KB,
    idempotencyKeyCharacters: 128,
    urlCharacters: 2_000,
  },
  /** BAD_USER_INPUT. Of a search; each CJK character counts as a word. */
  search: { characters: 500, words: 32 },
  /**
   * An ERROR in the report of importAgents, which then writes nothing; LIMIT_EXCEEDED for the number of files, and for the processor time
   * and memory of an upload in the worker thread that reads and redacts it. 400 for more than `values` values in the body. UNAVAILABLE
   * when too many wait, or after `answerWithin` milliseconds.
   */
  definitions: {
    files: 500,
    file: MB,
    frontMatter: 32 * KB,
    values: 100_000,
    processorMs: 15_000,
    memoryMb: 256,
    answerWithin: 25_000,
    turns: { atOnce: 2, ofKey: 1, waiting: 200, waitMs: 10_000 },
  },
  /** LIMIT_EXCEEDED. */
  counts: {
    tasks: 500,
    toolCallsOfTurn: 200,
    messagesOfTurn: 200,
    filesOfToolCall: 200,
    collaborators: 200,
    agentsOfTool: 200,
    toolsOfAgent: 200,
    variablesOfTool: 50,
    variablesOfCarry: 100,
    stages: 50,
    transitions: 200,
    webhooks: 50,
  },
  /** RATE_LIMITED with `Retry-After`. Per key, over all processes that share a Redis. */
  rate: {
    /** Of a key with this role. The settings BATON_RATE_<ROLE>_READS and _WRITES change it. */
    perMinute: {
      ADMIN: { read: 6_000, write: 6_000 },
      OPERATOR: { read: 6_000, write: 6_000 },
      AGENT: { read: 600, write: 600 },
      ANALYST: { read: 600, write: 60 },
    },
    /** After a pause a key may send at once what it may send in this time. */
    burstSeconds: 10,
    /** A request that exceeds a limit while it is executed (`held`, `answer`, `processorMs`) counts as this many reads: an agent's burst. */
    readsOfExceeding: 100,
    /** How often a process tells the others what it counted, in milliseconds. */
    sharedEvery: 1_000,
    /** Failed logins per remote address. Valid credentials are never refused because of them. */
    failures: { perMinute: 60, burst: 60 },
    /** Failed logins over the limit are answered after `ms` to twice as many milliseconds, at most `atOnce` of them delayed at a time. Their connections are closed. */
    late: { ms: 2_000, atOnce: 2_000 },
  },
  /** The connection is closed, with 408, 414 or 431 where HTTP allows it. In milliseconds and bytes. */
  http: {
    headersWithin: 10_000,
    /** Of waiting for a body that brings fewer than `requestBytes` a second, in all. */
    requestWithin: 30_000,
    requestBytes: 128 * KB,
    idleWithin: 65_000,
    checkedEvery: 5_000,
    /**
     * The rest of a body that was answered before it was read is discarded while some of it comes within this time, up to
     * `restBytes`: many clients read the answer only after sending all.
     */
    restWithin: 2_000,
    restBytes: 64 * MB,
    /** A client that reads nothing of a waiting answer for this long is disconnected. */
    drainWithin: 30_000,
    headerBytes: 16 * KB,
    headers: 100,
  },
  /** The socket is closed: 1009 for a message that is too large, 1013 when the client may try again later, otherwise 1008. */
  sockets: {
    /** Of a message with all its fragments. */
    frameBytes: 64 * KB,
    /** Of a message. Each fragment may keep the 64 KB in memory that were read with it. */
    fragments: 64,
    /** TCP chunks of one frame. */
    pieces: 1_024,
    /** Pings and pongs per socket and `pingMs`. */
    controlFrames: 100,
    /** Per key: sockets, SSE subscriptions and MCP streams together. LIMIT_EXCEEDED for a subscription over SSE, 429 for an MCP stream. */
    connections: 50,
    /** Running operations per socket. LIMIT_EXCEEDED for the next one; the socket stays open. */
    subscriptions: 20,
    /** Messages in progress per socket, without operations. At the limit the socket is not read until some are done. */
    messages: 50,
    /** 4408. In milliseconds. */
    initMs: 3_000,
    pingMs: 12_000,
    /** A client that reads nothing of waiting messages for this long is disconnected. */
    drainMs: 30_000,
    /** Unread bytes kept per socket. */
    waitingBytes: 4 * MB,
  },
  /**
   * `values`: keywords, names and members of a schema together, and schemas that check one value, BAD_USER_INPUT. `references`: that lead
   * from schema to schema for one value, BAD_USER_INPUT. `processorMs`, `memoryMb`: of a check in its worker
   * thread, without the time in which other programs have the processor; INVALID_PAYLOAD, or BAD_USER_INPUT for the definition. `turns`:
   * at most `atOnce` checks run, `ofKey` of them for one caller; UNAVAILABLE when too many wait, or after `answerWithin` milliseconds.
   */
  schemas: {
    values: 2_000,
    references: 100,
    processorMs: 2_000,
    memoryMb: 128,
    turns: { atOnce: 2, ofKey: 1, waiting: 200, waitMs: 10_000 },
    answerWithin: 25_000,
  },
  /** LIMIT_EXCEEDED. Processor time of one request, in milliseconds. */
  processorMs: 2_000,
  /** 503 UNAVAILABLE, in milliseconds. */
  answerWithin: 30_000,
} as const;

export type SocketLimits = { [Name in keyof typeof limits.sockets]: number };
export type QueryLimits = { [Name in keyof typeof limits.query]: number };
