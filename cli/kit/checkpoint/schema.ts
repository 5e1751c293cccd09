import type {RestorePlan} from "../../../server/recovery/restore/restore.ts"

/** Returns the change of the schema, and the migrations that only the checkpoint's data can undo. */
export const describeSchema = (
  {checkpoint: id, schema, crossed}: RestorePlan,
  now = "now",
): (readonly [string, string])[] => [
  [
    "schema",
    schema.now === null || schema.now === schema.checkpoint
      ? `${schema.checkpoint}`
      : `${schema.checkpoint}, ${now} ${schema.now}`,
  ],
  ...crossed.map(
    ({what, why}) =>
      ["not undone", `${what}: ${why}; the data of ${id} replaces all data, and later data is lost`] as const,
  ),
]
