import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core';
import type { Cost, Rows } from '../../infra/limits/cost.ts';
import type { Access } from '../access/roles.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- where Pothos looks for plugins
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      declared: Declared<Types>;
    }
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- the parameters are those of Pothos
    export interface BaseTypeOptions<Types extends SchemaTypes = SchemaTypes> {
      /** Access to the fields that declare none of their own. */
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
      /** Roles that may select the field. The schema is not built when neither the field nor its type declares one. */
      access?: Access;
      /** Cost of the field. Default: 1 for an object, 0 for a scalar. */
      cost?: Cost;
      /** Number of entries that the cost assumes for a list of objects; `page` for the entries of a page. The schema is not built when a list has neither this nor an argument `first` or `ids`. */
      listSize?: number | 'page';
    }
    /* eslint-enable @typescript-eslint/no-unused-vars */
  }
}

/**
 * The `listSize` of a list that is read with its record, without another statement.
 *
 * Lists of records that can be nested in each other use their maximum (`chain`). Lists whose maximum is far above the usual
 * length use a smaller number: ToolCalls of a Turn count as 50 (limit 200), since the dashboard reads those of 40 Turns at
 * once. An operation within the limit may then read four times what it costs. Tasks (limit 500) and decisions (no limit)
 * count as 100: five times for tasks.
 */
export const partOfRecord = 10;

/** Copies `access`, `cost` and `listSize` into `extensions`, where `api/access/guard.ts` and `infra/limits/cost.ts` read them. */
class Declared<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onTypeConfig(config: PothosTypeConfig): PothosTypeConfig {
    const { access } = config.pothosOptions as { access?: Access };
    return access === undefined ? config : { ...config, extensions: { ...config.extensions, access } };
  }

  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    const { access, cost } = config.pothosOptions as { access?: Access; cost?: Cost };
    const rows = rowsOf(config);
    return {
      ...config,
      extensions: {
        ...config.extensions,
        ...(access && { access }),
        ...(cost !== undefined && { cost }),
        ...(rows !== undefined && { rows }),
      },
    };
  }
}

function rowsOf<Types extends SchemaTypes>({
  type,
  args,
  pothosOptions,
  parentType,
  name,
}: PothosOutputFieldConfig<Types>): Rows | undefined {
  const { listSize } = pothosOptions as { listSize?: number | 'page' };
  const sizing = (['first', 'ids'] as const).find((argument) => argument in args);
  const isList = type.kind === 'List' && type.type.kind !== 'Scalar' && type.type.kind !== 'Enum';
  if (listSize !== undefined && (!isList || sizing !== undefined))
    throw new Error(`${parentType}.${name} is no list that needs a listSize: leave it out`);
  if (isList && sizing === undefined && listSize === undefined)
    throw new Error(`${parentType}.${name} is a list without pages: say what it is counted as (listSize)`);
  return listSize === 'page' ? undefined : (listSize ?? sizing);
}

const name = 'declared';
SchemaBuilder.registerPlugin(name, Declared);
export default name;
