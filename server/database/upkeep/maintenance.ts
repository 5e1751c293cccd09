import {existsSync, statSync} from "node:fs"
import {rm} from "node:fs/promises"
import {setTimeout as sleep} from "node:timers/promises"
import type {DatabaseCheck, DatabaseInfo} from "../../../shared/api/database.ts"
import {fromJson} from "../../../shared/json.ts"
import {messageOf, Problem, type ProblemCode} from "../../../shared/problems.ts"
import {ownModule} from "../../runtime/own-files.ts"
import {type Child, startChild} from "../../runtime/process/child.ts"
import {displaced} from "../engine/place.ts"

const module = ownModule("server/database/upkeep/database-child.ts")

interface Answer {
  readonly ok: boolean
  readonly findings?: readonly string[]
  readonly schema?: number
  readonly size?: number
  readonly sha256?: string
  readonly tables?: readonly TableSize[]
  readonly lost?: {readonly path: string; readonly how: string}
}

type TableSize = NonNullable<DatabaseInfo["tables"]>[number]

const run = (args: readonly string[], signal?: AbortSignal): Promise<Answer> =>
  answerOf(startChild(module, args, signal))

const answerOf = async (child: Child): Promise<Answer> => {
  const {stdout, stderr, code} = await child.ended
  try {
    return fromJson(stdout.slice(stdout.lastIndexOf("\n") + 1)) as Answer
  } catch {
    return {ok: false, findings: [`the child process ended with ${code}: ${stderr.slice(0, 500)}`]}
  }
}

const requireOk = (answer: Answer): Answer => {
  if (answer.ok) return answer
  throw new Error(answer.findings?.join("; "))
}

/**
 * Copies a database file, consistent to one moment, while its Host continues to write: `VACUUM INTO` on a connection of
 * a child process. Durable when it resolves; an incomplete copy has another name. Replaces no file. Throws
 * `database_failed` and leaves no partial copy.
 */
export const snapshotFile = (database: string, target: string, signal?: AbortSignal): Promise<void> =>
  keepingNothingPartial(target, async partial => {
    requireOk(await run(["snapshot", database, partial, target], signal))
  })

/** Like `snapshotFile`, for a file that no process has open. Leaves an empty write-ahead log. */
export const rewriteFile = (database: string, target: string): Promise<void> =>
  keepingNothingPartial(target, async partial => {
    const child = startChild(module, ["rewrite", database, partial, target])
    const answer = answerOf(child)
    await child.heard("ready")
    child.say("go")
    requireOk(await answer)
  })

/** A file's size in bytes and its SHA-256 in hexadecimal. */
export interface Fingerprint {
  readonly size: number
  readonly sha256: string
}

/**
 * Like `snapshotFile`, at a moment that the caller chooses. `atPoint` is called once the child process has opened the
 * file. Its `begin` resolves when the moment of the copy is fixed. The copy has no later changes.
 */
export const snapshotPoint = (
  database: string,
  target: string,
  atPoint: (begin: () => Promise<void>) => Promise<void>,
  signal?: AbortSignal,
): Promise<Fingerprint> =>
  keepingNothingPartial(target, async partial => {
    const child = startChild(module, ["point", database, partial, target], signal)
    const answer = answerOf(child)
    answer.catch(() => {})
    await child.heard("ready")
    await atPoint(() => {
      child.say("go")
      return begun(partial, answer)
    }).catch(async error => {
      // Without its line the child would wait; with an empty one it ends, with or without an answer.
      child.say("")
      await answer.catch(() => {})
      throw error
    })
    const {size = 0, sha256 = ""} = requireOk(await answer)
    return {size, sha256}
  })

/** SQLite begins to read before it begins to write. So the moment is fixed once the copy has bytes or is complete. */
const begun = async (partial: string, answer: Promise<Answer>): Promise<void> => {
  let hasEnded = false
  const end = () => {
    hasEnded = true
  }
  answer.then(end, end)
  while (!hasEnded && (statSync(partial, {throwIfNoEntry: false})?.size ?? 0) === 0) await sleep(1)
}

const keepingNothingPartial = async <T>(target: string, copy: (partial: string) => Promise<T>): Promise<T> => {
  const failed = (why: string, cause?: unknown) =>
    new Problem(codeOf(why), `the snapshot to ${target} failed: ${why}`, {cause})
  if (existsSync(target)) throw failed("it already exists")
  const partial = `${target}.partial`
  await removePartial(partial)
  try {
    return await copy(partial)
  } catch (cause) {
    await removePartial(partial)
    throw failed(messageOf(cause), cause)
  }
}

const codeOf = (why: string): ProblemCode =>
  /\bSQLITE_(CORRUPT|NOTADB)\b/.test(why) ? "database_corrupt" : "database_failed"

const removePartial = async (partial: string): Promise<void> => {
  for (const end of ["", "-journal"]) await rm(`${partial}${end}`, {force: true})
}

/** Returns the rows and bytes of each table of a database file, the largest first. Throws `database_failed`. */
export const countTables = async (database: string): Promise<readonly TableSize[]> => {
  const {tables, findings = []} = await run(["tables", database])
  if (tables === undefined) throw new Problem("database_failed", `counting the tables failed: ${findings.join("; ")}`)
  return tables
}

/** Returns the findings of SQLite's quick_check of a database file (none for an intact one), and its schema version. */
export const inspectFile = async (database: string): Promise<{findings: readonly string[]; schema: number}> => {
  const {ok, findings = [], schema = 0} = await run(["check", database])
  return {findings: ok ? [] : findings, schema}
}

/**
 * Returns the findings of SQLite's integrity_check of a database file. A child process runs it, so that the file stays
 * readable. A check that could not run is a finding.
 */
export const checkIntegrity = async (database: string): Promise<readonly string[]> => {
  const {ok, findings = []} = await run(["integrity", database])
  return ok || findings.length > 0 ? findings : ["integrity_check returned nothing"]
}

type Damaged = DatabaseCheck["damaged"][number]

/** How many bytes the log may grow while a table is checked, since SQLite cannot restart it meanwhile. */
const mostGrowth = 24 * 1024 * 1024

/**
 * Runs SQLite's quick_check of each table with its indexes, in a child process, while the Host writes. Throws
 * `database_replaced`, `database_corrupt`, `database_failed`, and what the signal aborts with.
 */
export const checkTables = async (database: string, signal: AbortSignal, most = mostGrowth): Promise<DatabaseCheck> => {
  const damaged: Damaged[] = []
  const unchecked: string[] = []
  for (let last: string | undefined = ""; last !== undefined; ) {
    last = await checkTablesAfter(database, last, {signal, most, found: damage => damaged.push(damage)})
    if (last !== undefined) unchecked.push(last)
  }
  return {damaged, unchecked}
}

interface TableCheck {
  readonly signal: AbortSignal
  readonly most: number
  readonly found: (damage: Damaged) => void
}

/** Resolves to the table at which the log grew too much; undefined if all were checked. */
const checkTablesAfter = async (database: string, last: string, {signal, most, found}: TableCheck) => {
  const sizeOfLog = () => statSync(`${database}-wal`, {throwIfNoEntry: false})?.size ?? 0
  const end = new AbortController()
  let table = last
  let before = Number.POSITIVE_INFINITY
  let hasGrown = false
  const watch = setInterval(() => {
    hasGrown = sizeOfLog() - before > most
    if (hasGrown) end.abort()
  }, 100)
  try {
    const child = startChild(module, ["damage", database, last], AbortSignal.any([signal, end.signal]), line => {
      const told = fromJson(line) as {readonly table: string; readonly finding?: string}
      if (told.finding !== undefined) return found({table: told.table, finding: told.finding})
      table = told.table
      before = sizeOfLog()
    })
    const {ok, findings = [], lost} = await answerOf(child)
    if (lost !== undefined) throw displaced(lost.path, lost.how)
    if (!ok) throw new Problem(codeOf(findings.join()), `checking the tables failed: ${findings.join("; ")}`)
    return undefined
  } catch (error) {
    if (signal.aborted || !hasGrown) throw error
    return table
  } finally {
    clearInterval(watch)
  }
}
