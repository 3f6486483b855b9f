import { isColumn, quoted, type Fields } from './plainModel.ts';

const operators: Record<string, string> = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' };

// Not another column, say.
const isValue = (value: unknown): boolean => value === null || typeof value !== 'object' || value instanceof Date;

/** A `where` of comparisons, AND and OR, as SQL whose parameters are added to `values`; null when there is more to it. */
export function conditionOf(fields: Fields, where: object, values: unknown[]): string | null {
  const all: string[] = [];
  const compare = (name: string, operator: string, value: unknown): void => {
    if (value !== undefined) all.push(value === null && operator === '=' ? `${quoted(name)} IS NULL` : `${quoted(name)} ${operator} $${values.push(value)}`);
  };
  for (const [name, asked] of Object.entries(where) as [string, unknown][]) {
    if (asked === undefined) continue;
    if (name === 'AND' || name === 'OR') {
      const each = (Array.isArray(asked) ? asked : [asked]).map((one: object) => conditionOf(fields, one, values));
      if (each.includes(null)) return null;
      all.push(each.length === 0 ? String(name === 'AND') : `(${each.map((one) => `(${one})`).join(` ${name} `)})`);
      continue;
    }
    const field = fields.get(name);
    if (field === undefined || !isColumn(field) || field.type === 'Json' || field.isList) return null;
    if (isValue(asked)) {
      compare(name, '=', asked);
      continue;
    }
    for (const [operator, value] of Object.entries(asked as object) as [string, unknown][]) {
      if (operator === 'in' && Array.isArray(value)) {
        all.push(value.length === 0 ? 'false' : `${quoted(name)} IN (${value.map((one) => `$${values.push(one)}`).join(', ')})`);
      } else if (operator in operators && isValue(value)) {
        compare(name, operators[operator]!, value);
      } else {
        return null;
      }
    }
  }
  return all.length === 0 ? 'true' : all.join(' AND ');
}
