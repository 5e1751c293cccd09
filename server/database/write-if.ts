import type {Database} from "./database.ts"
import type {Result, Statement} from "./engine.ts"

/**
 * Writes a batch only if a condition holds: even a batch without changes would wait for the disk. The caller must know
 * that nothing else changes the condition meanwhile.
 */
export const writeIf = async (
  database: Pick<Database, "read" | "write">,
  condition: string,
  batch: readonly Statement[],
  args: Statement["args"] = [],
): Promise<readonly Result[]> =>
  (await database.read(`SELECT 1 WHERE ${condition}`, args)).length === 0 ? [] : database.write(batch)

/**
 * Resolves once the batches committed in the same group as a refused batch are readable: the group refuses a batch
 * before it commits the others.
 */
export const groupCommitted = async (database: Pick<Database, "write">): Promise<void> => {
  await database.write([{sql: "SELECT 1"}])
}
