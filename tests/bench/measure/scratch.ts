import {mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {type Database, openDatabase} from "../../../server/database/database.ts"

/** A folder for this process, deleted when it ends, with an open database in it. */
export const openScratch = async (): Promise<{readonly folder: string; readonly database: Database}> => {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"))
  process.on("exit", () => rmSync(folder, {recursive: true, force: true}))
  const database = await openDatabase(
    {dialect: "sqlite", file: join(folder, "data.sqlite")},
    {runtimeId: "bench", signal: new AbortController().signal, onLeaseLost: () => {}},
  )
  return {folder, database}
}
