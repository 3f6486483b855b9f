/** What a refused mutation answers: one of the error types of its union. */
export interface Refusal {
  code: string;
  message: string;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Returns the first refusal among the root fields of an answer, whatever their aliases; null when all succeeded. A document that
 * selects nothing of a union's errors gets an empty object, or a `__typename` that ends with `Error`: both count as refusals.
 */
export function refusalIn(
  data: Record<string, unknown> | null | undefined,
): (Refusal & Record<string, unknown>) | null {
  for (const [field, value] of Object.entries(data ?? {})) {
    if (!isObject(value) || Array.isArray(value)) continue;
    const { code, message, __typename: type } = value;
    if (typeof code === 'string' && typeof message === 'string') return { ...value, code, message };
    const isNamedError = typeof type === 'string' && type.endsWith('Error');
    if (isNamedError || Object.keys(value).length === 0) {
      const named = isNamedError ? ` with ${type}` : '';
      const select = `add \`... on Error { code message }\` to \`${field}\``;
      return { ...value, code: 'UNKNOWN', message: `'${field}' was refused${named}; to read why, ${select}` };
    }
  }
  return null;
}
