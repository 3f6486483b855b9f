import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { runShell, type Running } from './shell.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config,
  ts.sys,
  root,
);

/** The compiler's errors for each block, as a file in the root. Reading the types of the packages takes most of the time: once for all. */
export function typeErrors(texts: readonly string[]): string[][] {
  const blocks = new Map(texts.map((text, index) => [`${root}block-${index}.ts`, text]));
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (file) => blocks.has(file) || fileExists(file);
  host.getSourceFile = (file, version, ...rest) => {
    const text = blocks.get(file);
    return text === undefined ? getSourceFile(file, version, ...rest) : ts.createSourceFile(file, text, version);
  };
  const program = ts.createProgram([...blocks.keys()], options, host);
  return [...blocks.keys()].map((file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}

/** Runs a block as a file in the root, to its end or until it prints `until`. */
export function runTypeScript(text: string, until: string | undefined): Promise<Running> {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  return runShell('exec node --import tsx --input-type=module --eval "$PROGRAM"', { PROGRAM: outputText }, until);
}
