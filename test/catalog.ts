import pg from 'pg';

export interface CatalogItem {
  line: string;
  /** A kind that schema.prisma cannot express. */
  beyondPrisma: boolean;
}

/** A database's structure: one line per column, constraint, index, enum, function, trigger and extension. */
export async function readCatalog(url: string): Promise<CatalogItem[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'baton catalog' });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string; beyond: boolean }>(`${parts.join('\nUNION ALL\n')} ORDER BY 1`);
    return rows.map(({ line, beyond }) => ({ line, beyondPrisma: beyond }));
  } finally {
    await client.end();
  }
}

const ours = `n.nspname = current_schema() AND c.relname <> '_prisma_migrations'`;
const ownedByExtension = (oid: string, catalog: string) =>
  `EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${catalog}'::regclass AND d.objid = ${oid} AND d.deptype = 'e')`;

const parts = [
  `SELECT format('%s %s', CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' ELSE 'relation ' || c.relkind::text END, c.relname) AS line,
     c.relkind <> 'r' AS beyond
   FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${ours} AND c.relkind IN ('r', 'v', 'm', 'p', 'S', 'f')`,

  `SELECT format('column %s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
       CASE WHEN a.attnotnull THEN ' not null' ELSE '' END, ' default ' || pg_get_expr(d.adbin, d.adrelid)), false
   FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
   WHERE ${ours} AND c.relkind IN ('r', 'v', 'm', 'p') AND a.attnum > 0 AND NOT a.attisdropped`,

  // PostgreSQL 18 also lists NOT NULL as 'n'; the columns have it already.
  `SELECT format('constraint %s on %s: %s', k.conname, c.relname, pg_get_constraintdef(k.oid)), k.contype IN ('c', 'x', 't')
   FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE ${ours} AND k.contype <> 'n'`,

  `SELECT 'index ' || pg_get_indexdef(i.indexrelid), i.indpred IS NOT NULL OR i.indexprs IS NOT NULL OR i.indnkeyatts <> i.indnatts
     OR EXISTS (SELECT FROM unnest(i.indclass::oid[]) AS used JOIN pg_opclass o ON o.oid = used WHERE NOT o.opcdefault)
   FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE ${ours} AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))`,

  `SELECT format('enum %s: %s', t.typname, string_agg(e.enumlabel, ', ' ORDER BY e.enumsortorder)), false
   FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace JOIN pg_enum e ON e.enumtypid = t.oid
   WHERE n.nspname = current_schema() GROUP BY t.typname`,

  `SELECT format('function %s', pg_get_functiondef(p.oid)), true
   FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
   WHERE n.nspname = current_schema() AND p.prokind IN ('f', 'p') AND NOT ${ownedByExtension('p.oid', 'pg_proc')}`,

  `SELECT 'trigger ' || pg_get_triggerdef(t.oid), true
   FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE ${ours} AND NOT t.tgisinternal`,

  `SELECT format('extension %s', extname), true FROM pg_extension WHERE extname <> 'plpgsql'`,
];
