import { z } from 'zod';
import { builder } from '../builder.ts';
import { OrderDirection } from '../enums.ts';
import { inputObject, oneOf, optional, withDefault } from '../input/schemas.ts';
import { directionOf, type Order } from '../page.ts';

interface Ordering {
  description: string;
  columns: Order['columns'];
}

/** The `orderBy` argument of a list; decodes to an `Order`. Defines `XOrder` and `XOrderField`. */
export function orderBy<Field extends string>(
  noun: string,
  fields: Readonly<Record<Field, Ordering>>,
  otherwise: NoInfer<Field>,
) {
  const values = fields as Readonly<Record<string, Ordering>>;
  const field = builder.enumType(`${noun}OrderField`, {
    description: `Field to order ${noun}s by.`,
    values: fieldsOnly(values),
  });
  const order = inputObject(
    `${noun}Order`,
    `Order of a list of ${noun}s. Ties are ordered by id.`,
    z.object({
      field: oneOf(field).describe('Field to order by.'),
      direction: withDefault(oneOf(OrderDirection), 'DESC').describe('Direction of the order.'),
    }),
  );
  return optional(order).transform((given): Order => {
    const by = given?.field ?? otherwise;
    return {
      name: `${noun.toLowerCase()} ${by}`,
      columns: values[by]!.columns,
      direction: directionOf(given?.direction),
    };
  });
}

const fieldsOnly = (values: Readonly<Record<string, Ordering>>): Record<string, { description: string }> =>
  Object.fromEntries(Object.entries(values).map(([name, { description }]) => [name, { description }]));
