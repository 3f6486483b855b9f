/** An agent definition: a Markdown file that describes one agent. */
export interface DefinitionFile {
  path: string;
  content: string;
}

export interface Problem {
  path: string;
  /** Counted from 1; null when the problem is that of the whole file. */
  line: number | null;
  /** An ERROR prevents the whole import. */
  severity: 'ERROR' | 'WARNING';
  message: string;
  /** What to change; null when the message says it. */
  suggestion: string | null;
}

export type ImportAction = 'CREATED' | 'UPDATED' | 'UNCHANGED';

export interface ImportedAgent {
  id: string;
  action: ImportAction;
  path: string;
}

/** What an import did, and why not; over GraphQL and as JSON. Its names are part of the contract. */
export interface AgentImportReport {
  agents: ImportedAgent[];
  problems: Problem[];
}

/** Another agent, as a definition names it. */
export interface Reference {
  name: string;
  line: number;
  when: string | null;
  instructions: string | null;
}

/** An MCP server that a definition names. A runner starts or calls it. */
export interface McpServer {
  name: string;
  /** Null for a server with a `url`. */
  command: string | null;
  args: readonly string[];
  /** Names of environment variables; their values are never stored. */
  env: readonly string[];
  /** Null for a server with a `command`. */
  url: string | null;
}

/** What a file says. Undefined: it says nothing of it. */
export interface Definition {
  path: string;
  /** SHA-256 of the file. */
  contentHash: string;
  slug: string;
  name: string;
  type?: string | undefined;
  role?: string | undefined;
  description?: string | undefined;
  instructions?: string | undefined;
  /** Models in the order in which they are tried. */
  models: readonly string[];
  /** In tokens. */
  contextWindow?: number | undefined;
  tools: readonly string[];
  mcpServers: readonly McpServer[];
  collaborations?: readonly Reference[] | undefined;
}

/** Collects the problems of one file. */
export class Problems {
  readonly found: Problem[] = [];

  constructor(private readonly path: string) {}

  error(line: number | null, message: string, suggestion: string | null = null): void {
    this.found.push({ path: this.path, line, severity: 'ERROR', message, suggestion });
  }

  warn(line: number | null, message: string, suggestion: string | null = null): void {
    this.found.push({ path: this.path, line, severity: 'WARNING', message, suggestion });
  }

  get hasErrors(): boolean {
    return this.found.some(({ severity }) => severity === 'ERROR');
  }
}

/** A text in a message: in quotes, on one line, at most 60 characters. */
export function quoted(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
  return `'${plain.length > 60 ? `${plain.slice(0, 60)}...` : plain}'`;
}
