import {existsSync} from "node:fs"
import {rm} from "node:fs/promises"
import {fileURLToPath} from "node:url"
import {messageOf, Problem} from "../../shared/problems.ts"
import {runChild} from "../runtime/child.ts"

const module = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./child.ts" : "./database-child.js", import.meta.url),
)

interface Answer {
  readonly ok: boolean
  readonly findings?: readonly string[]
  readonly schema?: number
}

const run = async (args: readonly string[], signal?: AbortSignal): Promise<Answer> => {
  const {stdout, stderr, code} = await runChild(module, args, signal)
  try {
    return JSON.parse(stdout) as Answer
  } catch {
    return {ok: false, findings: [`the child process ended with ${code}: ${stderr.slice(0, 500)}`]}
  }
}

/**
 * Copies a database file, consistent to one point, while its Host goes on writing: `VACUUM INTO` on a connection of a
 * child process. The copy is durable when it resolves; until it is whole it has another name. Replaces nothing. Throws
 * `database_failed`, leaving no partial copy.
 */
export const snapshotFile = async (database: string, target: string, signal?: AbortSignal): Promise<void> => {
  const failed = (why: string) => new Problem("database_failed", `the snapshot to ${target} failed: ${why}`)
  if (existsSync(target)) throw failed("it already exists")
  const partial = `${target}.partial`
  await removePartial(partial)
  const {ok, findings = []} = await run(["snapshot", database, partial, target], signal).catch(
    (error): Answer => ({ok: false, findings: [messageOf(error)]}),
  )
  if (ok) return
  await removePartial(partial)
  throw failed(findings.join("; "))
}

const removePartial = async (partial: string): Promise<void> => {
  for (const end of ["", "-journal"]) await rm(`${partial}${end}`, {force: true})
}

/** What SQLite's quick_check finds wrong with a database file (nothing for a sound one), and its schema version. */
export const inspectFile = async (database: string): Promise<{findings: readonly string[]; schema: number}> => {
  const {ok, findings = [], schema = 0} = await run(["check", database])
  return {findings: ok ? [] : findings, schema}
}
