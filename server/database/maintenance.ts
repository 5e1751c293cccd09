import {rm} from "node:fs/promises"
import {fileURLToPath} from "node:url"
import {Problem} from "../../shared/problems.ts"
import {runChild} from "../runtime/child.ts"

const module = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "./child.ts" : "./database-child.js", import.meta.url),
)

const run = async (args: readonly string[], signal?: AbortSignal): Promise<readonly string[]> => {
  const {stdout, stderr, code} = await runChild(module, args, signal)
  try {
    const answer = JSON.parse(stdout) as {ok: boolean; findings?: readonly string[]}
    return answer.ok ? [] : (answer.findings ?? ["unknown"])
  } catch {
    return [`the child process ended with ${code}: ${stderr.slice(0, 500)}`]
  }
}

/**
 * Copies a database file, consistent to one point, while its Host goes on writing: `VACUUM INTO` on a connection of a
 * child process. The copy is durable when it resolves. Throws `database_failed`, leaving no partial copy.
 */
export const snapshotFile = async (database: string, target: string, signal?: AbortSignal): Promise<void> => {
  const findings = await run(["snapshot", database, target], signal).catch(error => [String(error)])
  if (findings.length === 0) return
  if (!findings.some(text => text.includes("already exists"))) await rm(target, {force: true})
  throw new Problem("database_failed", `the snapshot failed: ${findings.join("; ")}`)
}

/** What SQLite's quick_check finds wrong with a database file; nothing for a sound one. */
export const checkFile = (database: string): Promise<readonly string[]> => run(["check", database])
