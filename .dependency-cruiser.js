// Who may import what: the table of docs/imports.md. Values and types alike, unless a rule says otherwise.
const nouns = '(agents|sessions|log|handoffs|keys|registry|tools|pipelines|queue|search|learning|webhooks|keeping)';
/** What answers callers: the fields of a folder and what answers plain HTTP. */
const doors = '^server/(?!graphql/)\\w+/(\\w*[sS]chema|\\w*[mM]utations?|\\w*[rR]outes?)\\.ts$';
/** Tests, and what puts a whole program together. */
const free = ['\\.test\\.tsx?$', '^server/(main|compose)\\.ts$', '^server/cli/'];
const limitNumbers = '^server/limits/limits\\.ts$';
const inFolders = (...names) => `^server/(${names.join('|')})/`;

const known =
  '(core|reads|redaction|graphiql|infra|access|events|limits|exports|context|custody|graphql|live|mcp|metrics|traces|generated)';

const forbid = (name, { path, pathNot = [] }, to) => ({
  name,
  severity: 'error',
  from: { path, pathNot: [...free, ...pathNot] },
  to,
});
/** Of this project a layer may import itself and what is allowed. */
const layer = (name, path, allowed, { pathNot = [], valuesOnly = false } = {}) =>
  forbid(
    name,
    { path, pathNot },
    {
      path: '^(server|client|prisma|test|bench)/',
      pathNot: [path, ...allowed],
      ...(valuesOnly && { dependencyTypesNot: ['type-only'] }),
    },
  );
const server = (name, path, allowed, options) => layer(name, path, [limitNumbers, ...allowed], options);

export default {
  forbidden: [
    server('core', inFolders('core'), [inFolders('generated')]),
    server('reads', inFolders('reads'), [inFolders('core', 'generated')]),
    ...['redaction', 'graphiql'].map((name) => server(name, inFolders(name), [])),
    server('infra', inFolders('infra'), [inFolders('core', 'generated'), '^prisma/schemaEngine\\.ts$']),
    ...['access', 'events', 'limits'].map((name) =>
      server(name, inFolders(name), [inFolders('core', 'generated')], { pathNot: [doors] }),
    ),
    server('exports', inFolders('exports'), [inFolders('core')]),
    server('context', inFolders('context'), [inFolders('redaction', 'core', 'generated')], { pathNot: [doors] }),
    server('custody', inFolders('custody'), [inFolders('context', 'events', 'access', 'core', 'generated')]),
    server(
      'commands',
      inFolders(nouns),
      [inFolders('custody', 'context', 'events', 'redaction', 'core', 'generated')],
      { pathNot: [doors] },
    ),
    server(
      'doors',
      doors,
      [
        inFolders(nouns, 'graphql', 'custody', 'context', 'events', 'live', 'access', 'core', 'generated'),
        '^server/limits/rates\\.ts$',
        '^server/infra/(http/)?(originCheck|answers|body)\\.ts$',
      ],
      {
        pathNot: [inFolders('exports', 'mcp')],
      },
    ),
    server(
      'graphql',
      inFolders('graphql'),
      [inFolders('access', 'reads', 'redaction', 'core', 'generated'), '^server/queue/runCommand\\.ts$', doors],
      { valuesOnly: true },
    ),
    server('graphql-types', inFolders('graphql'), [
      inFolders('access', 'reads', 'redaction', 'core', 'generated', 'context', 'events', 'live', 'log', 'limits'),
      '^server/queue/runCommand\\.ts$',
      doors,
      '^server/infra/log\\.ts$',
    ]),
    server(
      'live',
      inFolders('live'),
      [
        inFolders('live', 'graphql', 'events', 'access', 'limits', 'infra', 'core', 'generated', 'keys'),
        '^server/app\\.ts$',
      ],
      { pathNot: [doors] },
    ),
    server('mcp', inFolders('mcp'), [
      inFolders('live', 'core'),
      '^server/context/neutralise\\.ts$',
      '^server/graphql/page\\.ts$',
      '^server/infra/http/(answers|originCheck|body|eventStream)\\.ts$',
      '^server/engine\\.ts$',
    ]),
    ...['metrics', 'traces'].map((name) => server(name, inFolders(name), [inFolders('core')])),
    server('app', '^server/app\\.ts$', [inFolders('infra', 'live', 'limits', 'core'), '^server/engine\\.ts$']),
    server('engine', '^server/engine\\.ts$', [inFolders('infra', 'limits', 'core')]),
    layer('client', '^client/(?!stream/|api/|examples/|build\\.ts$)', [
      '^client/stream/',
      '^server/(tools/(define|tool)|queue/rules|pipelines/(rules|fields)|search/words|core/canonicalJson)\\.ts$',
    ]),
    layer('client-stream', '^client/stream/', []),
    layer('client-api', '^client/api/', ['^client/stream/']),
    layer('client-examples', '^client/examples/', ['^client/(stream|api)/']),

    // A hook runs before each prompt: it starts without the server's modules.
    {
      name: 'hook-alone',
      severity: 'error',
      from: { path: '^server/cli/hook(/|\\.ts$)', pathNot: ['\\.test\\.ts$'] },
      to: {
        pathNot: [
          '^server/cli/hook/',
          '^server/cli/connect/stateFolder\\.ts$',
          '^server/cli/output\\.ts$',
          '^client/api/refusal\\.ts$',
          '^server/core/workspace\\.ts$',
        ],
        dependencyTypesNot: ['core'],
      },
    },

    forbid('no-row', { path: '^server/', pathNot: [inFolders(known, nouns), '^server/(app|engine)\\.ts$'] }, {}),
    forbid(
      'doors-from-outside',
      { path: '^server/', pathNot: [doors, '^server/graphql/(schema|print)\\.ts$'] },
      { path: doors },
    ),
    forbid(
      'doors-apart',
      { path: '^server/(\\w+)/', pathNot: ['^server/(graphql|live)/'] },
      { path: doors, pathNot: ['^server/$1/'] },
    ),
    forbid(
      'rules-pure',
      { path: '^server/(\\w+/rules|custody/mayChangeHands)\\.ts$' },
      { pathNot: ['^server/core/errors\\.ts$', '^server/\\w+/rules\\.ts$'], dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'prisma-in-infra',
      { path: '^server/', pathNot: ['^server/(infra|graphql|reads|generated)/'] },
      { path: '^server/generated/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'graphql-at-doors',
      {
        path: `${inFolders('core', 'reads', 'redaction', 'infra', 'events', 'context', 'custody', nouns)}|^client/(stream|api|examples)/`,
        pathNot: [doors, '^server/infra/http/'],
      },
      { path: '^node_modules/(graphql|graphql-yoga|@envelop|@pothos)/' },
    ),
    // Loaded only when traces are sent: the packages take memory and time to start.
    {
      name: 'otel-in-traces',
      severity: 'error',
      from: { path: '^server/', pathNot: ['^server/traces/', '\\.test\\.ts$'] },
      to: {
        path: ['^node_modules/@opentelemetry/', '^server/traces/'],
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    forbid(
      'redis-in-live',
      { path: '^(server|client)/', pathNot: ['^server/live/'] },
      { path: '^node_modules/ioredis/' },
    ),
    forbid('no-circle', { path: '^(server|client)/', pathNot: ['^server/generated/'] }, { circular: true }),
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
