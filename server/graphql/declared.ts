import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { Access } from '../access/roles.ts';
import type { Cost, Rows } from '../limits/cost.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- where Pothos looks for plugins
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      declared: Declared<Types>;
    }
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- the parameters are those of Pothos
    export interface BaseTypeOptions<Types extends SchemaTypes = SchemaTypes> {
      /** Who may ask for those of its fields that do not say so themselves. */
      access?: 'inherit';
    }
    /* eslint-disable @typescript-eslint/no-unused-vars -- the parameters are those of Pothos */
    export interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** Who may ask for it. Without one here and on its type the schema is not built. */
      access?: Access;
      /** What it weighs; when left out, 1 for an object and nothing for a scalar. */
      cost?: Cost;
      /** What a list of objects is counted as; `page` for the entries of a page. A list without it, `first` or `ids` keeps the schema from being built. */
      listSize?: number | 'page';
    }
    /* eslint-enable @typescript-eslint/no-unused-vars */
  }
}

/**
 * The `listSize` of a list that is part of a record and bounded with it: nothing more is read for it.
 *
 * Where lists of records can be asked for below each other, `listSize` is the most that there can be (`chain`). Where a limit is
 * far above what is usual, it is between: a Turn may have 200 ToolCalls, and the dashboard reads those of 40 Turns at once; at
 * 50 an operation within the limit reads at most four times what it was counted at. Tasks may be 500 and decisions any
 * number: 100, at most five times for tasks.
 */
export const partOfRecord = 10;

/** Puts what a type or a field says about itself into its `extensions`, where `access/guard.ts` and `limits/cost.ts` read it. */
class Declared<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onTypeConfig(config: PothosTypeConfig): PothosTypeConfig {
    const { access } = config.pothosOptions as { access?: Access };
    return access === undefined ? config : { ...config, extensions: { ...config.extensions, access } };
  }

  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { access, cost } = config.pothosOptions as { access?: Access; cost?: Cost };
    const rows = rowsOf(config);
    return { ...config, extensions: { ...config.extensions, ...(access && { access }), ...(cost !== undefined && { cost }), ...(rows !== undefined && { rows }) } };
  }
}

function rowsOf<Types extends SchemaTypes>({ type, args, pothosOptions, parentType, name }: PothosOutputFieldConfig<Types>): Rows | undefined {
  const { listSize } = pothosOptions as { listSize?: number | 'page' };
  const sizing = (['first', 'ids'] as const).find((argument) => argument in args);
  const isList = type.kind === 'List' && type.type.kind !== 'Scalar' && type.type.kind !== 'Enum';
  if (listSize !== undefined && (!isList || sizing !== undefined)) throw new Error(`${parentType}.${name} is no list that needs a listSize: leave it out`);
  if (isList && sizing === undefined && listSize === undefined) throw new Error(`${parentType}.${name} is a list without pages: say what it is counted as (listSize)`);
  return listSize === 'page' ? undefined : (listSize ?? sizing);
}

const name = 'declared';
SchemaBuilder.registerPlugin(name, Declared);
export default name;
