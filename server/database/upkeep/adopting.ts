import {toJson} from "../../../shared/json.ts"
import type {Row, Statement} from "../engine/engine.ts"

/** How many rows one statement of a restore handles. */
const chunk = 1000

/** Returns statements that take over what `read` finds about rows. `sql` has one parameter: the found rows as JSON. */
export const takingOver = async (
  rows: readonly Row[],
  read: (rows: readonly Row[]) => Promise<readonly Row[]>,
  sql: string,
): Promise<readonly Statement[]> => {
  const statements: Statement[] = []
  for (let from = 0; from < rows.length; from += chunk) {
    const found = await read(rows.slice(from, from + chunk))
    if (found.length > 0) statements.push({sql, args: [toJson(found)]})
  }
  return statements
}
