/** One import as it is in the code, both ends as paths from the root. A package is `node_modules/...`. */
export interface Import {
  from: string;
  to: string;
  /** Gone when the program runs. */
  typeOnly: boolean;
}

const nouns = 'agents|sessions|log|handoffs|keys|tools|pipelines|analytics';

// What a file is, by its path; the first that fits. The side of a folder that is asked from outside is its schema.ts and the files it is split
// into, and what answers plain HTTP.
const kinds = {
  free: /^(test|bench)\/|^server\/(main\.ts|live\/assemble\.ts|keys\/keyCommand\.ts|infra\/migrateCommand\.ts)|\.test\.ts$/,
  stream: /^client\/stream\//,
  examples: /^client\/examples\//,
  gql: /^client\/gql\//,
  client: /^client\//,
  limitNumbers: /^server\/limits\/limits\.ts$/,
  app: /^server\/app\.ts$/,
  generatedClient: /^server\/generated\/prisma\/client\.ts$/,
  generated: /^server\/generated\//,
  schemaRoot: /^server\/graphql\/(schema|print)\.ts$/,
  graphql: /^server\/graphql\//,
  graphiql: /^server\/graphiql\//,
  core: /^server\/core\//,
  originCheck: /^server\/infra\/originCheck\.ts$/,
  infra: /^server\/infra\//,
  redaction: /^server\/redaction\//,
  access: /^server\/access\//,
  rules: /^server\/\w+\/rules\.ts$/,
  exports: /^server\/exports\//,
  schema: /^server\/\w+\/((\w+S|s)chema|(\w+M|m)utations?|(\w+R|r)outes?)\.ts$/,
  limits: /^server\/limits\//,
  events: /^server\/events\//,
  live: /^server\/live\//,
  custody: /^server\/custody\//,
  context: /^server\/context\//,
  command: new RegExp(`^server/(${nouns})/`),
  redis: /^node_modules\/(@redis|ioredis)\//,
  pothos: /^node_modules\/@pothos\//,
  graphqlPackage: /^node_modules\/(graphql|graphql-yoga|@envelop)\//,
  package: /^node_modules\/|^[^/]+$|^\w+\/(promises|consumers)$/,
} as const;

type Kind = keyof typeof kinds;

// Who may import whom, as values. An import of types alone is judged by `types` where that is given.
const table: Partial<Record<Kind, { values: Kind[]; types?: Kind[] | 'all' }>> = {
  app: { values: ['infra', 'originCheck', 'limits', 'package', 'graphqlPackage'], types: ['infra', 'live', 'limits', 'core', 'package', 'graphqlPackage'] },
  originCheck: { values: ['package'] },
  // For every transport, and without a domain.
  limits: { values: ['limits', 'core', 'package', 'graphqlPackage'], types: ['limits', 'core', 'package', 'graphqlPackage'] },
  client: { values: ['client', 'stream', 'gql', 'package', 'graphqlPackage'] },
  // For programs of anybody's: knows nothing of the dashboard.
  stream: { values: ['stream', 'package'] },
  examples: { values: ['examples', 'stream', 'package'] },
  infra: {
    values: ['infra', 'generated', 'generatedClient', 'package'],
    types: ['infra', 'core', 'generated', 'generatedClient', 'package'],
  },
  core: { values: ['core', 'package'], types: 'all' },
  graphiql: { values: ['package'] },
  // Who may do what: asked by the schema as a whole and by commands under the lock.
  access: { values: ['access', 'core', 'package', 'graphqlPackage'], types: 'all' },
  rules: { values: ['rules', 'core'], types: 'all' },
  events: { values: ['events', 'core', 'package'], types: ['generated', 'generatedClient', 'core', 'events', 'package'] },
  // From a committed event to its subscribers.
  live: { values: ['live', 'events', 'infra', 'limits', 'core', 'package', 'redis', 'graphqlPackage'], types: 'all' },
  custody: {
    values: ['custody', 'access', 'rules', 'events', 'context', 'core', 'package'],
    types: ['custody', 'access', 'rules', 'events', 'context', 'core', 'generated', 'generatedClient', 'package'],
  },
  context: { values: ['context', 'redaction', 'core', 'package'], types: ['context', 'redaction', 'core', 'generated', 'generatedClient', 'package'] },
  redaction: { values: ['redaction', 'package'] },
  command: {
    values: ['command', 'rules', 'custody', 'events', 'context', 'redaction', 'core', 'package'],
    types: ['command', 'rules', 'custody', 'events', 'context', 'redaction', 'core', 'generated', 'generatedClient', 'package'],
  },
  graphql: { values: ['graphql', 'access', 'redaction', 'core', 'generated', 'generatedClient', 'package', 'pothos', 'graphqlPackage'], types: 'all' },
  // Asks the API from inside, as anybody does from outside.
  exports: { values: ['exports', 'core', 'package', 'graphqlPackage'], types: 'all' },
  schemaRoot: { values: ['schemaRoot', 'graphql', 'access', 'schema', 'package', 'graphqlPackage'] },
  schema: {
    values: [
      'schema',
      'graphql',
      // A route that is not GraphQL asks for itself.
      'originCheck',
      'access',
      'command',
      'rules',
      'custody',
      'events',
      'live',
      'context',
      'core',
      'generated',
      'generatedClient',
      'package',
      'pothos',
      'graphqlPackage',
    ],
    types: 'all',
  },
};

export function isAllowed({ from, to, typeOnly }: Import): boolean {
  const [source, target] = [kindOf(from), kindOf(to)];
  if (source === 'free' || source === 'generated' || source === 'generatedClient' || source === 'gql') return true;
  if (source === undefined || target === undefined) return false;
  if (target === 'limitNumbers') return source !== 'client';
  // What another noun shows of itself is its own affair: its queries and types may be used, its schema files not.
  if (source === 'schema' && target === 'schema') return folderOf(from) === folderOf(to);
  if (source === 'custody' && target === 'rules') return folderOf(from) === folderOf(to);
  // Pure: of core/ only the errors that a rule answers with.
  if (source === 'rules' && target === 'core' && !typeOnly) return to === 'server/core/errors.ts';
  const row = table[source];
  const permitted = typeOnly ? (row?.types ?? row?.values) : row?.values;
  return permitted === 'all' || permitted?.includes(target) === true;
}

function kindOf(path: string): Kind | undefined {
  return (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind].test(path));
}

function folderOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}
