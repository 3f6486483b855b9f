import { canonicalJson } from '../../core/canonicalJson.ts';
import type { ToolVariable, VariableType } from './tool.ts';

const words: Record<VariableType, string> = {
  STRING: 'a string',
  NUMBER: 'a number',
  INTEGER: 'an integer',
  BOOLEAN: 'a boolean',
  ARRAY: 'an array',
  OBJECT: 'an object',
};

const tests: Record<VariableType, (value: unknown) => boolean> = {
  STRING: (value) => typeof value === 'string',
  NUMBER: (value) => typeof value === 'number',
  INTEGER: (value) => Number.isInteger(value),
  BOOLEAN: (value) => typeof value === 'boolean',
  ARRAY: Array.isArray,
  OBJECT: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** What is wrong with a value of a variable, as the rest of a sentence; null when nothing is. */
export function faultOfValue(
  { type, enum: allowed }: Pick<ToolVariable, 'type' | 'enum'>,
  value: unknown,
): string | null {
  if (!tests[type](value)) return `is not ${words[type]}: give ${words[type]}`;
  if (allowed === null) return null;
  // Once: the value may be large, and the allowed ones many.
  const canonical = canonicalJson(value);
  if (allowed.some((each) => canonicalJson(each) === canonical)) return null;
  return `is not among the allowed values: give one of ${allowed.map((each) => JSON.stringify(each)).join(', ')}`;
}

/** What is wrong with a variable's own values. */
export function faultOfVariable(variable: ToolVariable): { message: string; path: string[] } | null {
  const { type, required, enum: allowed, default: preset } = variable;
  if (allowed?.length === 0) return { message: 'is empty: name the allowed values, or leave it out', path: ['enum'] };
  const wrong = (allowed ?? []).findIndex((value) => faultOfValue({ type, enum: null }, value) !== null);
  if (wrong >= 0)
    return { message: faultOfValue({ type, enum: null }, allowed![wrong])!, path: ['enum', String(wrong)] };
  if (preset === null) return null;
  if (required) return { message: 'is given for a required variable: leave out one of the two', path: ['default'] };
  const fault = faultOfValue(variable, preset);
  return fault === null ? null : { message: fault, path: ['default'] };
}
