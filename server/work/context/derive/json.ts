/** Names and values as JSON writes them, also of JSON that was cut. */
const member = /"([^"\\]{1,100})"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false)/g;

interface Member {
  name: string;
  value: string;
}

export const membersIn = (text: string): Member[] =>
  [...text.matchAll(member)].map(([, name, value]) => ({ name: name!, value: plain(value!) }));

function plain(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return value.slice(1, -1);
  }
}

/** Where JSON begins in a line; -1 without it. */
export const jsonIn = (line: string): number => line.search(/[{[]\s*(?:[{["]|$)/);

/** Names of what a program says of a failure, the most telling first. */
const telling = [
  /^(?:error_?)?message$|^msg$/i,
  /^(?:error|err|errors)$/i,
  /^(?:error_?)?(?:detail|details|description|reason)$/i,
  /^(?:std_?err|output)$/i,
  /^title$/i,
  /^(?:error_?)?(?:code|status|type)$/i,
];

/** What JSON says of a failure; null when it says nothing. */
export function reasonIn(json: string): string | null {
  const members = membersIn(json).filter(({ value }) => value.trim() !== '');
  for (const name of telling) {
    const said = [...new Set(members.filter((each) => name.test(each.name)).map(({ value }) => value.trim()))];
    if (said.length > 0) return said.slice(0, 2).join('; ');
  }
  return null;
}
