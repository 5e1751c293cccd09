import {rm} from "node:fs/promises"
import {fileURLToPath} from "node:url"
import {Problem} from "../../shared/problems.ts"
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
 * child process. The copy is durable when it resolves. Throws `database_failed`, leaving no partial copy.
 */
export const snapshotFile = async (database: string, target: string, signal?: AbortSignal): Promise<void> => {
  const {ok, findings = []} = await run(["snapshot", database, target], signal).catch(
    (error): Answer => ({ok: false, findings: [String(error)]}),
  )
  if (ok) return
  if (!findings.some(text => text.includes("already exists"))) await rm(target, {force: true})
  throw new Problem("database_failed", `the snapshot failed: ${findings.join("; ")}`)
}

/** What SQLite's quick_check finds wrong with a database file (nothing for a sound one), and its schema version. */
export const inspectFile = async (database: string): Promise<{findings: readonly string[]; schema: number}> => {
  const {ok, findings = [], schema = 0} = await run(["check", database])
  return {findings: ok ? [] : findings, schema}
}
