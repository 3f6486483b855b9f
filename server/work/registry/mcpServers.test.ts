import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { McpServer } from './definition.ts';
import { readDefinition } from './readDefinition.ts';

const file = (frontMatter: string): string => `---\nname: a\n${frontMatter}\n---\nx`;
const read = (frontMatter: string) => readDefinition({ path: 'a.md', content: file(frontMatter) });
const problemsOf = (frontMatter: string): string[] =>
  read(frontMatter).problems.map(({ line, severity, message }) => `${line} ${severity} ${message}`);
const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
const docs: McpServer = { name: 'docs', command: null, args: [], env: [], url: 'https://mcp.example.org/mcp' };

describe('the MCP servers of a definition', () => {
  it('are read in the form of Claude Code, as a block or as a list, with the names of their variables alone', () => {
    const block = `mcpServers:
  github:
    type: stdio
    command: npx
    args: ["-y", "@modelcontextprotocol/server-github"]
    env:
      GITHUB_TOKEN: \${GITHUB_TOKEN}
      HOME:
  docs:
    type: http
    url: https://mcp.example.org/mcp`;
    const servers = [
      {
        name: 'github',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        env: ['GITHUB_TOKEN', 'HOME'],
        url: null,
      },
      docs,
    ];
    const list = `mcp-servers:
  - github: { command: npx, args: ["-y", "@modelcontextprotocol/server-github"], env: [GITHUB_TOKEN, HOME] }
  - docs: { url: "https://mcp.example.org/mcp" }`;
    for (const text of [block, list]) {
      const { definition, problems } = read(text);
      expect(problems).toEqual([]);
      expect(definition?.mcpServers).toEqual(servers);
    }
    expect(read('model: opus').definition?.mcpServers).toEqual([]);
  });

  it('drop the value of a variable with a warning, whatever it is', () => {
    const text = `mcpServers:\n  a:\n    command: x\n    env:\n      TOKEN: ${secret}\n      LEVEL: debug\n      OTHER: \${TOKEN}`;
    const { definition, problems } = read(text);
    expect(problems.map(({ line, severity, message }) => [line, severity, message])).toEqual([
      [7, 'WARNING', "The value of 'TOKEN' in 'env' of 'a' is not stored"],
      [8, 'WARNING', "The value of 'LEVEL' in 'env' of 'a' is not stored"],
      [9, 'WARNING', "The value of 'OTHER' in 'env' of 'a' is not stored"],
    ]);
    expect(definition?.mcpServers).toEqual([
      { name: 'a', command: 'x', args: [], env: ['TOKEN', 'LEVEL', 'OTHER'], url: null },
    ]);
    expect(JSON.stringify(definition)).not.toContain('debug');
  });

  it.each([
    ['a secret as an argument', `command: x\n    args: [--token, ${secret}]`, /argument of 'a' looks like a secret/],
    ['a secret in the command', `command: x --password=hunter2secret9`, /command of 'a' looks like a secret/],
    ['a secret in the URL', `url: https://example.org/?token=${secret}`, /url of 'a' looks like a secret/],
    ['a password in the URL', 'url: https://me:word@example.org/', /without a name and password/],
    ['another protocol', 'url: file:///etc/passwd', /not an http or https address/],
    ['a command and a URL', 'command: x\n    url: https://example.org', /needs either a 'command' or a 'url'/],
    ['neither', 'type: stdio', /needs either a 'command' or a 'url'/],
    ['a variable that is no name', 'command: x\n    env: ["A B"]', /not the name of an environment variable/],
    ['a block as an argument', 'command: x\n    args: [{ a: b }]', /argument of 'a' is not a text/],
  ])('are refused with %s', (_, entry, message) => {
    const { definition, problems } = read(`mcpServers:\n  a:\n    ${entry}`);
    expect(definition).toBeNull();
    expect(problems.filter(({ severity }) => severity === 'ERROR').map((each) => each.message)).toContainEqual(
      expect.stringMatching(message),
    );
  });

  it('are refused as a text, with a name twice or too many, and left out where only a name is given', () => {
    expect(problemsOf('mcpServers: all')).toEqual(["3 ERROR 'mcpServers' is a text"]);
    const one = (name: string) => `  - ${name}: { command: x }`;
    expect(problemsOf(`mcpServers:\n${one('a')}\n${one('a')}`)).toEqual(["3 ERROR The MCP server 'a' is listed twice"]);
    const many = Array.from({ length: 21 }, (_, n) => one(`s${n}`)).join('\n');
    expect(problemsOf(`mcpServers:\n${many}`)).toEqual(['3 ERROR 21 MCP servers are listed; the limit is 20']);
    const { definition, problems } = read('mcpServers:\n  - slack\n  - docs: { url: "https://mcp.example.org/mcp" }');
    expect(definition?.mcpServers).toEqual([docs]);
    expect(problems.map(({ severity, message }) => [severity, message])).toEqual([
      ['WARNING', "The MCP server 'slack' is configured elsewhere: a runner does not know it"],
    ]);
  });

  it('never keep a value of env, whatever text it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), fc.string({ minLength: 12 }), (first, second) => {
        const env = JSON.stringify({ FIRST: `<${first}>`, SECOND: `<${second}>` });
        const { definition } = read(`mcpServers: { a: { command: x, env: ${env} } }`);
        if (definition === null) return;
        expect(definition.mcpServers[0]?.env).toEqual(['FIRST', 'SECOND']);
        const kept = JSON.stringify(definition.mcpServers);
        for (const value of [first, second]) expect(kept).not.toContain(JSON.stringify(`<${value}>`).slice(1, -1));
      }),
    );
  });
});

describe('the models of a definition', () => {
  it('are one name or a list in the order in which they are tried, each once', () => {
    expect(read('model: opus').definition?.models).toEqual(['opus']);
    expect(read('model: [anthropic/claude-sonnet-4-5, gpt-5, gpt-5]').definition?.models).toEqual([
      'anthropic/claude-sonnet-4-5',
      'gpt-5',
    ]);
    expect(read('role: coder').definition?.models).toEqual([]);
    expect(problemsOf(`model: [${Array.from({ length: 21 }, (_, n) => `m${n}`).join(', ')}]`)).toEqual([
      '3 ERROR 21 models are listed; the limit is 20',
    ]);
  });
});
