export interface Part {
  text: string;
  isMissing: boolean;
}

/** Splits a prompt at the variables without a value, which stand in it as `$NAME` or `${NAME}`. */
export function marked(text: string, missing: readonly string[]): Part[] {
  if (missing.length === 0) return [{ text, isMissing: false }];
  const names = missing.join('|');
  return text
    .split(new RegExp(`(\\$(?:\\{(?:${names})\\}|(?:${names})(?!\\w)))`))
    .map((part, index) => ({ text: part, isMissing: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}
