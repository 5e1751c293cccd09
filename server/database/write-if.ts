import type {Database} from "./database.ts"
import type {Result, Statement} from "./engine.ts"

/**
 * Writes a batch where a condition holds, else nothing: one that changes nothing would still be waited for until the disk has it.
 * For who knows that nobody else changes what the condition is about meanwhile.
 */
export const writeIf = async (
  database: Pick<Database, "read" | "write">,
  condition: string,
  batch: readonly Statement[],
  args: Statement["args"] = [],
): Promise<readonly Result[]> =>
  (await database.read(`SELECT 1 WHERE ${condition}`, args)).length === 0 ? [] : database.write(batch)

/**
 * Resolves once what was committed together with a refused batch can be read: a group of batches refuses one of them before it
 * commits the others.
 */
export const groupCommitted = async (database: Pick<Database, "write">): Promise<void> => {
  await database.write([{sql: "SELECT 1"}])
}
