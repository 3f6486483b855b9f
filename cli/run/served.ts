import type { Api } from '../../client/api/request.ts';
import { StartError } from '../../server/core/startError.ts';
import type { Model } from './conversation.ts';
import { resolveModel } from './models.ts';
import type { ModelsFile } from './modelsFile.ts';
import type { Served } from './runner.ts';
import type { McpServer } from './mcpTools.ts';
import type { Secrets } from './secrets.ts';
import { noTools, type Toolbox } from './toolbox.ts';

interface Defined {
  id: string;
  models: string[];
  contextWindow: number | null;
  definition: { tools: string[]; mcpServers: McpServer[] } | null;
}

const agentsQuery = `query RunAgents($after: String) { agents(first: 100, after: $after) {
  nodes { id models contextWindow definition { tools mcpServers { name command args env url } } } pageInfo { hasNextPage endCursor } } }`;

interface AgentsPage {
  agents: { nodes: Defined[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

async function definedAgents(ask: Api): Promise<Defined[]> {
  const found: Defined[] = [];
  for (let after: string | null = null; ;) {
    const { agents }: AgentsPage = await ask<AgentsPage>(agentsQuery, { after });
    found.push(...agents.nodes);
    if (!agents.pageInfo.hasNextPage) return found;
    after = agents.pageInfo.endCursor;
  }
}

export interface Settings {
  file: ModelsFile;
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Gets the keys of the models and what servers of tools get. */
  secrets: Secrets;
}

/** The agents that a runner can work for, why not for others, and what those lack: of the named ones, or of all whose definition names a model. */
export async function servedAgents(
  ask: Api,
  named: readonly string[],
  settings: Settings,
): Promise<{ served: Served[]; problems: string[]; hints: string[] }> {
  const agents = await definedAgents(ask);
  const unknown = named.filter((id) => !agents.some((agent) => agent.id === id));
  if (unknown.length > 0)
    throw new StartError(`There is no agent '${unknown[0]}': import its definition, or check its id`);
  const asked =
    named.length === 0
      ? agents.filter(({ models }) => models.length > 0)
      : agents.filter(({ id }) => named.includes(id));
  const problems: string[] = [];
  const hints: string[] = [];
  const served: Served[] = [];
  for (const agent of asked) {
    const { models, missing } = await modelsOf(agent, settings);
    if (models.length === 0) problems.push(`Agent '${agent.id}'${missing}`);
    else {
      if (missing !== '') hints.push(`Agent '${agent.id}' does without a model of its list${missing}`);
      hints.push(...toolsProblem(agent));
      served.push({
        id: agent.id,
        models,
        isNamed: named.includes(agent.id),
        openToolbox: () => toolboxOf(agent, settings),
      });
    }
  }
  return { served, problems, hints };
}

async function toolboxOf({ id, definition }: Defined, { folder, env, secrets }: Settings): Promise<Toolbox> {
  if (definition === null || definition.mcpServers.length === 0) return noTools;
  const { openMcpTools } = await import('./mcpTools.ts');
  return openMcpTools(id, definition.mcpServers, { allowed: definition.tools, folder, env, secrets });
}

/** Tools that only a coding program has, such as Bash: the runner invents none. */
function toolsProblem({ id, definition }: Defined): string[] {
  const foreign = definition?.tools.filter((name) => !name.startsWith('mcp__')) ?? [];
  if (foreign.length === 0) return [];
  return [
    `Agent '${id}' works without ${foreign.join(', ')}: only coding programs have ${foreign.length === 1 ? 'it' : 'them'}`,
  ];
}

/** The models of a definition, the first one first, and what is missing of them; '' for nothing. */
async function modelsOf(
  { models: names, contextWindow }: Defined,
  settings: Settings,
): Promise<{ models: Model[]; missing: string }> {
  if (names.length === 0)
    return {
      models: [],
      missing:
        " has no model: write 'model: anthropic/claude-sonnet-4-5', or another, into its definition, and import it",
    };
  const found = await Promise.all(names.map((name) => resolveModel(name, settings)));
  const models = found.filter((one): one is Model => typeof one !== 'string');
  const problems = found.filter((one) => typeof one === 'string');
  return {
    models: models.map((one) => ({ ...one, contextWindow: one.contextWindow ?? contextWindow })),
    missing: problems.length === 0 ? '' : `: ${problems.join('; ')}`,
  };
}
