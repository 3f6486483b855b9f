// Who may import what: the floors and the table of docs/imports.md. Values and types alike, unless a rule says otherwise.

/** Floors of `server`, from the top. A file imports its own floor and those below, and nothing above. */
export const floors = ['app', 'api', 'delivery', 'work', 'reads', 'infra', 'core'];

const nouns =
  'work/(agents|sessions|log|handoffs|approvals|keys|registry|tools|pipelines|queue|search|learning|webhooks|keeping)';
/** Answers callers: the fields of a noun, and what answers plain HTTP. */
const doors = '^server/api/(?!graphql/|mcp/|access/|graphiql/)\\w+/';
/** Tests, and what puts a whole program together. */
const free = ['\\.test\\.tsx?$', '^server/(main|app/compose)\\.ts$', '^cli/commands\\.ts$'];
const inFolders = (...names) => `^server/(${names.join('|')})/`;

const forbid = (name, { path, pathNot = [] }, to) => ({
  name,
  severity: 'error',
  from: { path, pathNot: [...free, ...pathNot] },
  to,
});
/** Of this project a folder may import itself and what is allowed. */
const room = (name, path, allowed, { pathNot = [], valuesOnly = false } = {}) =>
  forbid(
    name,
    { path, pathNot },
    {
      path: '^(server|cli|client|prisma|test|bench)/',
      pathNot: [path, ...allowed],
      ...(valuesOnly && { dependencyTypesNot: ['type-only'] }),
    },
  );
const upwards = floors
  .slice(1)
  .map((floor, at) =>
    forbid(`up-from-${floor}`, { path: inFolders(floor) }, { path: inFolders(...floors.slice(0, at + 1)) }),
  );

export default {
  forbidden: [
    ...upwards,
    room('core', inFolders('core'), [inFolders('generated')]),
    room('infra', inFolders('infra'), [inFolders('core', 'generated'), '^prisma/schemaEngine\\.ts$'], {
      pathNot: [inFolders('infra/limits')],
    }),
    room('limits', inFolders('infra/limits'), [inFolders('core')]),
    room('reads', inFolders('reads'), [inFolders('core', 'generated')]),

    room('redaction', inFolders('work/redaction'), []),
    ...['access', 'events'].map((name) => room(name, inFolders(`work/${name}`), [inFolders('core', 'generated')])),
    room('context', inFolders('work/context'), [inFolders('work/redaction', 'core', 'generated')]),
    room('custody', inFolders('work/custody'), [
      inFolders('work/context', 'work/events', 'work/access', 'core', 'generated'),
    ]),
    room('commands', inFolders(nouns), [
      inFolders('work/custody', 'work/context', 'work/events', 'work/redaction', 'core', 'generated'),
    ]),

    room('live', inFolders('delivery/live'), [inFolders('work/events', 'work/keys', 'infra', 'core', 'generated')]),
    room('sending', inFolders('delivery/webhooks'), [inFolders('work/webhooks', 'core', 'generated')]),
    ...['exports', 'metrics', 'traces'].map((name) => room(name, inFolders(`delivery/${name}`), [inFolders('core')])),

    room('graphiql', inFolders('api/graphiql'), []),
    room('access-to-fields', inFolders('api/access'), [inFolders('core')]),
    room('doors', doors, [
      inFolders('work', 'delivery/(live|exports)', 'api/graphql', 'api/access', 'core', 'generated'),
      '^server/infra/limits/rates\\.ts$',
      '^server/infra/http/(originCheck|answers|body)\\.ts$',
    ]),
    room(
      'graphql',
      inFolders('api/graphql'),
      [
        inFolders('api/access', 'reads', 'work/redaction', 'core', 'generated'),
        '^server/work/keys/principals\\.ts$',
        '^server/work/queue/runCommand\\.ts$',
        doors,
      ],
      { valuesOnly: true },
    ),
    room('graphql-types', inFolders('api/graphql'), [
      inFolders('api/access', 'reads', 'work', 'delivery/live', 'infra/limits', 'core', 'generated'),
      doors,
      '^server/infra/log\\.ts$',
    ]),
    room('mcp', inFolders('api/mcp'), [
      inFolders('delivery/live', 'core'),
      '^server/work/context/neutralise\\.ts$',
      '^server/api/(graphql/page|engine)\\.ts$',
      '^server/infra/http/(answers|originCheck|body|eventStream)\\.ts$',
    ]),
    room('engine', '^server/api/engine\\.ts$', [inFolders('infra', 'core'), '^server/delivery/live/subscribing\\.ts$']),
    room('app', '^server/app/(?!commands/)', [inFolders('infra', 'delivery/live', 'core'), '^server/api/engine\\.ts$']),
    room('app-commands', inFolders('app/commands'), [
      inFolders('work', 'delivery/live', 'infra', 'core'),
      '^server/main\\.ts$',
      '^prisma/schemaEngine\\.ts$',
      '^cli/(command|output)\\.ts$',
    ]),

    // What runs beside an agent asks the server over GraphQL.
    room('cli', '^cli/', [
      '^client/(api|stream|examples)/',
      inFolders('work/redaction', 'work/log/transcripts'),
      '^server/core/(place|startError|errors|workspace|limits)\\.ts$',
      '^server/work/(log/importReport|registry/definition)\\.ts$',
    ]),

    room('client', '^client/(?!stream/|api/|examples/|build\\.ts$)', [
      '^client/stream/',
      '^server/work/(tools/(define|tool)|queue/rules|pipelines/(rules|fields)|search/words)\\.ts$',
      '^server/core/canonicalJson\\.ts$',
      '^server/infra/http/pages\\.ts$',
      '^server/work/pipelines/story/',
    ]),
    room('client-stream', '^client/stream/', []),
    room('client-api', '^client/api/', ['^client/stream/']),
    room('client-examples', '^client/examples/', ['^client/(stream|api)/']),

    // A hook runs before each prompt: it starts without the server's modules.
    {
      name: 'hook-alone',
      severity: 'error',
      from: { path: '^cli/hook(/|\\.ts$)', pathNot: ['\\.test\\.ts$'] },
      to: {
        pathNot: [
          '^cli/hook/',
          '^cli/connect/stateFolder\\.ts$',
          '^cli/output\\.ts$',
          '^client/api/refusal\\.ts$',
          '^server/core/workspace\\.ts$',
        ],
        dependencyTypesNot: ['core'],
      },
    },

    forbid(
      'no-row',
      {
        path: '^server/',
        pathNot: [
          inFolders('core', 'infra', 'reads', 'generated', 'app', nouns),
          inFolders('work/(redaction|access|events|context|custody)'),
          inFolders('delivery/(live|webhooks|exports|metrics|traces)', 'api/\\w+'),
          '^server/api/engine\\.ts$',
        ],
      },
      {},
    ),
    forbid(
      'doors-from-outside',
      { path: '^server/', pathNot: [doors, '^server/api/graphql/(schema|print)\\.ts$'] },
      { path: doors },
    ),
    forbid(
      'doors-apart',
      { path: '^server/api/(\\w+)/', pathNot: [inFolders('api/graphql')] },
      { path: doors, pathNot: ['^server/api/$1/'] },
    ),
    forbid(
      'rules-pure',
      { path: '^server/work/(\\w+/rules|custody/mayChangeHands)\\.ts$' },
      {
        pathNot: ['^server/core/errors\\.ts$', '^server/work/\\w+/rules\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    ),
    forbid(
      'prisma-in-infra',
      { path: '^server/', pathNot: [inFolders('infra', 'reads', 'api/graphql', 'generated')] },
      { path: '^server/generated/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'graphql-at-doors',
      {
        path: `${inFolders('core', 'reads', 'work', 'infra')}|^(cli|client/(stream|api|examples))/`,
        pathNot: [inFolders('infra/http', 'infra/limits')],
      },
      { path: '^node_modules/(graphql|graphql-yoga|@envelop|@pothos)/' },
    ),
    // Loaded only when traces are sent: the packages take memory and time to start.
    {
      name: 'otel-in-traces',
      severity: 'error',
      from: { path: '^server/', pathNot: ['^server/delivery/traces/', '\\.test\\.ts$'] },
      to: {
        path: ['^node_modules/@opentelemetry/', '^server/delivery/traces/'],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    forbid(
      'redis-in-live',
      { path: '^(server|cli|client)/', pathNot: [inFolders('delivery/live')] },
      { path: '^node_modules/ioredis/' },
    ),
    // Loaded only when a model of a provider is used.
    {
      name: 'ai-in-run',
      severity: 'error',
      from: {
        path: '^(server|cli|client)/',
        pathNot: ['^cli/run/vendor\\w+\\.ts$', '^client/examples/', '\\.test\\.ts$'],
      },
      to: {
        path: ['^node_modules/(ai|@ai-sdk)/', '^cli/run/vendor'],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    forbid('no-circle', { path: '^(server|cli|client)/', pathNot: ['^server/generated/'] }, { circular: true }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    // Tests may import everything: they are not read. What imports one is.
    doNotFollow: { path: ['node_modules', '\\.test\\.tsx?$', '^test/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
    exclude: { path: '^server/generated/prisma/(internal|models)/' },
  },
};
