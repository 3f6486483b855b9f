import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { JSONResolver } from 'graphql-scalars';

/** Stands for a part of a literal that JSON cannot represent. `json()` refuses it with its path. */
export class NotJson {
  constructor(readonly message: string) {}

  toJSON(): never {
    throw new Error(`A JSON literal that ${this.message} was not refused`);
  }
}

type Variables = Record<string, unknown> | null | undefined;

function parseLiteral(node: ValueNode, variables?: Variables): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return sameNumber(node.value)
        ? Number(node.value)
        : new NotJson(`is ${shown(node.value)}, which a JSON number does not hold exactly: send it as a string`);
    case Kind.ENUM:
      return new NotJson(`is ${shown(node.value)}, a word without quotes: write "${shown(node.value)}"`);
    case Kind.LIST:
      return node.values.map((item) => parseLiteral(item, variables));
    case Kind.OBJECT:
      // Without a prototype, so that `__proto__` is an ordinary name.
      return node.fields.reduce<Record<string, unknown>>(
        (object, { name, value }) => {
          object[name.value] = parseLiteral(value, variables);
          return object;
        },
        Object.create(null) as Record<string, unknown>,
      );
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      return variables?.[node.name.value];
    default:
      return node.value;
  }
}

const shown = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}...` : text);

/** Normalizes a decimal, so that 1.50, 15e-1 and 1.5 are equal. Null when the text is no decimal. */
function decimalOf(text: string): string | null {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (whole === '') return null;
  return significant === ''
    ? '0'
    : `${sign}${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

/** A double has at most 17 significant digits and 324 zeros: longer texts are refused unparsed. */
const longestNumber = 400;
const sameNumber = (text: string): boolean =>
  text.length <= longestNumber && decimalOf(text) === decimalOf(String(Number(text)));

export const JsonScalar = new GraphQLScalarType({
  ...JSONResolver.toConfig(),
  description:
    'Any JSON value. Numbers are double precision: a number that would change, such as an integer beyond 9007199254740991, is BAD_USER_INPUT with its path. Send it as a string.',
  parseLiteral,
});
