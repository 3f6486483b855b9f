import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type * as Bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

let loading: Promise<typeof Bindings> | undefined;

export const filters = { externalTables: [], externalEnums: [] };

/** Prisma's schema engine as WebAssembly, for development; downloads no binary. `Adapter` runs its statements. */
export async function withSchemaEngine<T>(
  url: string,
  work: (engine: Bindings.SchemaEngine) => Promise<T>,
  Adapter = PrismaPg,
): Promise<T> {
  loading ??= load();
  const { SchemaEngine } = await loading;
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 2_000 });
  pool.on('error', () => undefined);
  try {
    const datamodels: [string, string][] = [['schema.prisma', 'datasource db {\n  provider = "postgresql"\n}\n']];
    const engine = await SchemaEngine.new(
      { datamodels },
      () => undefined,
      bindMigrationAwareSqlAdapterFactory(new Adapter(pool)),
    );
    return await work(engine).finally(() => engine.free());
  } finally {
    await pool.end();
  }
}

/**
 * Returns the SQL that leads from one schema file's content to another's; from an empty schema when `from` is undefined.
 * Needs a connection, but reads neither the tables nor the migrations of the database.
 */
export async function diffSchemas(url: string, from: string | undefined, to: string): Promise<string> {
  const target = (content: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path: 'schema.prisma', content }],
  });
  return withSchemaEngine(url, async (engine) => {
    const { stdout } = await engine.diff({
      from: from === undefined ? { tag: 'empty' } : target(from),
      to: target(to),
      script: true,
      exitCode: null,
      filters,
    });
    return stdout ?? '';
  });
}

/** Runs once per process: the bindings hold one instance, and a second would mix their memories. */
async function load(): Promise<typeof Bindings> {
  const require = createRequire(import.meta.url);
  const path = require.resolve('@prisma/schema-engine-wasm').replace(/schema_engine\.js$/, 'schema_engine_bg.wasm');
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => {
        throw new Error(`Prisma's schema engine failed: ${message}`);
      },
    },
  });
  const { instance } = await WebAssembly.instantiate(await readFile(path), {
    './schema_engine_bg.js': { ...bindings, ...timers(bindings) },
  });
  const { __wbg_set_wasm } = bindings as unknown as { __wbg_set_wasm: (exports: WebAssembly.Exports) => void };
  __wbg_set_wasm(instance.exports);
  const { __wbindgen_start } = instance.exports as { __wbindgen_start: () => void };
  __wbindgen_start();
  return bindings;
}

/** The engine never clears the 10 s timer of its lock; unref keeps it from holding the process open. */
function timers(bindings: object): Record<string, unknown> {
  const names = Object.keys(bindings).filter((name) => name.startsWith('__wbg_setTimeout_'));
  return Object.fromEntries(
    names.map((name) => [name, (callback: () => void, ms: number) => setTimeout(callback, ms).unref()]),
  );
}
