import type {RestorePlan} from "../../../server/recovery/restore/restore.ts"

/** What becomes of the schema, and across which migrations there is no other way back than the checkpoint's data. */
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
      ["not undone", `${what}: ${why}; the data becomes that of ${id}, and what was stored since is lost`] as const,
  ),
]
