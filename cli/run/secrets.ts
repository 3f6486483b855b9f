import { redactText } from '../../server/work/redaction/redact.ts';

/** Shorter values, such as `true`, stand in too many texts. */
const shortest = 4;

/** What this process knows and nobody may read: keys of models, and values that servers of tools get. They grow as agents are served. */
export class Secrets {
  readonly #values = new Set<string>();

  add(value: string): void {
    if (value.length >= shortest) this.#values.add(value);
  }

  /** Without the known values. */
  hide(text: string): string {
    // A value may contain another one.
    return [...this.#values]
      .sort((a, b) => b.length - a.length)
      .reduce((rest, value) => rest.replaceAll(value, '[redacted]'), text);
  }

  /** Without the known values and without what looks like a secret. */
  clean(text: string): string {
    return redactText(this.hide(text)).text;
  }

  /** A copy of plain data whose texts are without the known values. */
  hideIn<Value>(value: Value): Value {
    if (typeof value === 'string') return this.hide(value) as Value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each: unknown) => this.hideIn(each)) as Value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.hide(name), this.hideIn(each)]),
    ) as Value;
  }
}
