import {
  execute,
  getNamedType,
  getNullableType,
  GraphQLError,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  parse,
  validate,
  type DocumentNode,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';

/** Lists of `Query` as CSV: read through the API page by page, under its names and with the caller's rights. */

const pageSize = 100;

interface List {
  field: GraphQLField<unknown, unknown>;
  /** Rows of an abstract type are read as `Node`. */
  row: GraphQLObjectType | GraphQLInterfaceType;
  isAbstract: boolean;
  /** A connection; else a list that is read at once. */
  paged: boolean;
}

function listNamed(schema: GraphQLSchema, name: string): List | null {
  const field = schema.getQueryType()?.getFields()[name];
  if (field === undefined) return null;
  const type = getNullableType(field.type);
  const fields = isObjectType(type) ? type.getFields() : {};
  const nodes = 'pageInfo' in fields ? fields['nodes'] : undefined;
  if (nodes === undefined && !isListType(type)) return null;
  const named = getNamedType(nodes?.type ?? field.type);
  const isAbstract = isAbstractType(named);
  const row = isAbstract ? schema.getType('Node') : named;
  if (!isObjectType(row) && !isInterfaceType(row)) return null;
  return { field, row, isAbstract, paged: nodes !== undefined };
}

const selectable = (field: GraphQLField<unknown, unknown>): boolean => !field.args.some(isRequiredArgument);
const isOne = (type: GraphQLOutputType): boolean => !isListType(getNullableType(type));

/** Single values that cost nothing, and ids of single records. */
function usualColumns({ row, isAbstract }: List): string[] {
  const own = Object.values(row.getFields()).flatMap((field) => {
    const type = getNamedType(field.type);
    if (
      !selectable(field) ||
      !isOne(field.type) ||
      !['inherit', undefined].includes(field.extensions['access'] as string | undefined)
    )
      return [];
    if (isLeafType(type)) return field.extensions['cost'] === undefined && type.name !== 'JSON' ? [field.name] : [];
    return isObjectType(type) && type.getFields()['id'] !== undefined ? [`${field.name}.id`] : [];
  });
  return isAbstract ? ['__typename', ...own] : own;
}

/** `session.title` as a selection. */
const selectionOf = (column: string): string =>
  column.split('.').reduceRight((below, name) => (below === '' ? name : `${name} { ${below} }`), '');

function bad(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

interface Asked {
  document: DocumentNode;
  variables: Record<string, unknown>;
  columns: string[];
  paged: boolean;
  /** Rows at most; null for all. */
  limit: number | null;
}

const name = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const ownPaging = new Set(['first', 'after', 'last', 'before']);

/** @throws BAD_USER_INPUT for arguments that the list does not have, and for columns that its rows do not have */
function read(schema: GraphQLSchema, list: List, given: URLSearchParams): Asked {
  const { field, isAbstract, paged } = list;
  const columns = given.get('columns')?.split(',') ?? usualColumns(list);
  const wrong = columns.find((column) => !name.test(column));
  if (wrong !== undefined)
    throw bad(`columns has ${JSON.stringify(wrong)}: give names of fields such as id or agent.id`);
  const args = field.args.filter((arg) => !(paged && ownPaging.has(arg.name)));
  const variables: Record<string, unknown> = {};
  for (const [key, text] of given) {
    if (key === 'columns' || (paged && key === 'first')) continue;
    const arg = args.find((each) => each.name === key);
    if (arg === undefined)
      throw bad(
        `${key} is no argument of ${field.name}: give columns, ${[...args.map((each) => each.name), ...(paged ? ['first'] : [])].join(', ')}`,
      );
    variables[key] = valueOf(key, text, isLeafType(getNullableType(arg.type)) && /^(ID|String)/.test(String(arg.type)));
  }
  const first = given.get('first');
  if (paged && first !== null && !/^\d{1,9}$/.test(first)) throw bad('first is no number of rows: give 0 or more');
  const used = args.filter((arg) => arg.name in variables);
  const declared = [
    ...used.map((arg) => `$${arg.name}: ${String(arg.type)}`),
    ...(paged ? ['$first: Int', '$after: String'] : []),
  ];
  const passed = [
    ...used.map((arg) => `${arg.name}: $${arg.name}`),
    ...(paged ? ['first: $first', 'after: $after'] : []),
  ];
  const selected = columns.map((column, index) => selectionOf(`c${index}: ${column}`)).join(' ');
  const rows = isAbstract ? `... on Node { ${selected} }` : selected;
  const document = parse(
    `query Rows${declared.length === 0 ? '' : `(${declared.join(', ')})`} { ${field.name}${passed.length === 0 ? '' : `(${passed.join(', ')})`} { ${
      paged ? `nodes { ${rows} } pageInfo { hasNextPage endCursor }` : rows
    } } }`,
  );
  const [fault] = validate(schema, document);
  if (fault !== undefined) throw bad(`The columns cannot be read: ${fault.message}`);
  return { document, variables, columns, paged, limit: paged && first !== null ? Number(first) : null };
}

function valueOf(key: string, text: string, isText: boolean): unknown {
  if (isText) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // An enum value.
    if (/^\w+$/.test(text)) return text;
    throw bad(`${key} is not JSON: give it as in GraphQL variables, URL-encoded`);
  }
}

/** A spreadsheet executes a text that begins like a formula: it gets an apostrophe. */
const formula = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  if (value == null) return '';
  // A time is a Date here, and a text in JSON.
  const json = JSON.stringify(value);
  const isText = json.startsWith('"');
  const text = isText ? (JSON.parse(json) as string) : json;
  const safe = isText && formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Follows a path through records and lists of records. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  const [next, ...rest] = path;
  if (next === undefined || value == null) return value;
  if (Array.isArray(value)) return value.map((each) => valueAt(each, path));
  return valueAt((value as Record<string, unknown>)[next], rest);
}

type Row = Record<string, unknown>;
interface Page {
  nodes: Row[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface Csv {
  /** Of the first page, so that an error of the API is one of the whole file. */
  parts: () => AsyncGenerator<string, void>;
}

/** The rows of a list of `Query`; null when it has no such list. Rejects with the error of the API. */
export async function listCsv(
  schema: GraphQLSchema,
  createContext: () => object,
  listName: string,
  given: URLSearchParams,
): Promise<Csv | null> {
  const list = listNamed(schema, listName);
  if (list === null) return null;
  const { document, variables, columns, paged, limit } = read(schema, list, given);
  const paths = columns.map((column, index) => [`c${index}`, ...column.split('.').slice(1)]);
  const readPage = async (after: string | null, first: number): Promise<Page | null> => {
    const variableValues = paged ? { ...variables, first, after } : variables;
    const { data, errors } = await execute({ schema, document, variableValues, contextValue: createContext() });
    const [error] = errors ?? [];
    // Variables that do not fit have no path.
    if (error !== undefined) throw error.path === undefined ? bad(error.message) : error;
    const answer = (data as Record<string, Page | Row[] | null>)[listName] ?? null;
    return Array.isArray(answer) ? { nodes: answer, pageInfo: { hasNextPage: false, endCursor: null } } : answer;
  };
  const sizeAfter = (rows: number): number => (limit === null ? pageSize : Math.min(pageSize, limit - rows));
  const firstPage = await readPage(null, sizeAfter(0));
  if (firstPage === null) return null;
  const lines = (rows: readonly Row[]): string =>
    rows.map((row) => `${paths.map((path) => cell(valueAt(row, path))).join(',')}\r\n`).join('');
  async function* parts(): AsyncGenerator<string, void> {
    yield `${columns.map(cell).join(',')}\r\n`;
    let page = firstPage;
    for (let rows = 0; page !== null;) {
      yield lines(page.nodes);
      rows += page.nodes.length;
      const size = sizeAfter(rows);
      page = page.pageInfo.hasNextPage && size > 0 ? await readPage(page.pageInfo.endCursor, size) : null;
    }
  }
  return { parts };
}
