import {join} from "node:path"
import {type Running, startProcess, untilPrinted} from "../host/process.ts"
import {onBun, root, scriptCommand} from "../host/runtimes.ts"

/** A foreign process in the middle of a change to this database file, until it is killed. */
export const holdDatabase = async (file: string): Promise<Running> => {
  const script = join(root, "tests/support/database/hold-database.ts")
  const stranger = startProcess([...scriptCommand(onBun, script), file])
  await untilPrinted(stranger, "held")
  return stranger
}
