import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { runShell, type Running } from './shell.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config, ts.sys, root);

/** The compiler's errors for a block, as a file in the root. */
export function typeErrors(text: string): string[] {
  const name = `${root}block.ts`;
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.getSourceFile = (file, version, ...rest) => (file === name ? ts.createSourceFile(file, text, version) : getSourceFile(file, version, ...rest));
  const program = ts.createProgram([name], options, host);
  return ts.getPreEmitDiagnostics(program, program.getSourceFile(name)).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** Runs a block as a file in the root, to its end or until it prints `until`. */
export function runTypeScript(text: string, until: string | undefined): Promise<Running> {
  const { outputText } = ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 } });
  return runShell('exec node --import tsx --input-type=module --eval "$PROGRAM"', { PROGRAM: outputText }, until);
}
