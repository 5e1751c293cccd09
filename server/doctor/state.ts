import {existsSync} from "node:fs"
import {stat} from "node:fs/promises"
import {createServer} from "node:net"
import type {DatabaseCheck} from "../../shared/api/database.ts"
import {readinessReasons} from "../../shared/api/readiness.ts"
import type {Status} from "../../shared/api/system.ts"
import type {ProjectConfig} from "../../shared/config/config.ts"
import {Problem, toProblem} from "../../shared/problems.ts"
import type {Static} from "../../shared/type.ts"
import {describeIrreversible} from "../database/migrations/migrate.ts"
import {isIrreversible, migrations, newestSchema} from "../database/migrations/migrations.ts"
import {readRemote} from "../database/remote/remote.ts"
import {inspectFile} from "../database/upkeep/maintenance.ts"
import {locationOf} from "../project/settings.ts"
import {readHostFile} from "../runtime/host-file.ts"
import {withLock} from "../runtime/lock.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {explainListenError} from "../runtime/runtime.ts"
import {verifyFiles} from "../workroom/rebuild.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

export type HostStatus = Static<typeof Status>

/** Checks that the database opens and is sound. A running Host answers for it: no other process may open the file. */
export const checkDatabase = async (
  paths: ProjectPaths,
  config: ProjectConfig,
  running: HostStatus | "unknown" | undefined,
  checked?: DatabaseCheck | Problem,
): Promise<Finding> => {
  const check = "database"
  if (running === "unknown") {
    return warning(
      check,
      "a Host has it open, and does not answer svc doctor",
      "Set SVC_HTTP_TOKEN, then run svc doctor again.",
    )
  }
  if (running !== undefined) {
    const {dialect, state, schema} = running.database
    if (running.provisional !== undefined) {
      const {waitsFor, error: why} = running.provisional
      return error(check, `the running Host retries: ${why}`, waitsFor === "space" ? spaceHint : unreachableHint)
    }
    if (state !== "initialized") return error(check, `the running Host reports ${state}`, "Read the Host's log.")
    if (checked === undefined) return warning(check, "the running Host could not check it", "Read the Host's log.")
    if (checked instanceof Problem) return error(check, checked.message, checked.hint)
    const {damaged, unchecked} = checked
    if (damaged.length > 0) return damagedIn(damaged.map(({table, finding}) => `${table}: ${finding}`))
    return unchecked.length === 0
      ? ok(check, `${dialect}, schema ${schema}, sound, according to the running Host`)
      : warning(
          check,
          `too busy to check: ${unchecked.join(", ")}`,
          "Run svc doctor again when the Host has less to do.",
        )
  }
  const location = locationOf(config, paths)
  if (location.dialect === "libsql") {
    await readRemote(location, read => read("SELECT 1"))
    return ok(check, `${new URL(location.url).host} answers`)
  }
  const info = await stat(location.file).catch(() => undefined)
  if (info === undefined) return ok(check, `the first start will create ${location.file}`)
  if (!info.isFile())
    return error(check, `${location.file} is not a file`, "Correct database.filename, or move the folder at that path.")
  return withLock(paths, asDoctor, async () => describeFile(await inspectFile(location.file)))
}

const spaceHint = "Free space on the disk of .svc/ and of the database; the Host then continues without a restart."

const unreachableHint =
  "Check database.url, the network and the database's server; once it answers, the Host continues without a restart."

/** The name under which the doctor locks a project, so that no Host starts during a check. */
export const asDoctor = "svc doctor"

const damagedIn = (findings: readonly string[]): Finding =>
  error("database", `damaged: ${findings.join("; ")}`, readinessReasons.database_damaged.remediation.text)

const describeFile = ({findings, schema}: {findings: readonly string[]; schema: number}): Finding => {
  if (findings.length > 0) return damagedIn(findings)
  if (schema > newestSchema) {
    return error("database", `schema ${schema}; this svc supports up to ${newestSchema}`, "Run the svc that wrote it.")
  }
  const coming = migrations.filter(({version}) => version > schema)
  const irreversible = coming.filter(isIrreversible)
  const next = coming.length === 0 ? "" : `; the next start migrates it to ${newestSchema}`
  const saved = irreversible.length === 0 ? "" : `, after a checkpoint: ${describeIrreversible(irreversible)}`
  return ok("database", `sound, schema ${schema}${next}${saved}`)
}

/** Checks that the port is free, or that this project's Host uses it. */
export const checkPort = async (paths: ProjectPaths, {http}: ProjectConfig, isRunning: boolean): Promise<Finding> => {
  const at = `${http.host}:${http.port}`
  const host = isRunning ? await readHostFile(paths) : undefined
  if (host !== undefined && Number(new URL(host.url).port) === http.port) {
    return ok("port", `this project's Host uses ${at}`)
  }
  const failure = await tryListen(http.host, http.port)
  if (failure === undefined) return ok("port", `${at} is free`)
  const explained = explainListenError(failure, http.host, http.port)
  const {message, hint} = await explained.catch(cause => toProblem(cause, "port_taken"))
  return error("port", message, hint)
}

const tryListen = (host: string, port: number): Promise<Error | undefined> =>
  new Promise(resolve => {
    const server = createServer()
    server.once("error", resolve)
    server.listen({host, port, exclusive: true}, () => server.close(() => resolve(undefined)))
  })

export const checkPin = (running: HostStatus | "unknown" | undefined): Finding[] => {
  if (running === undefined || running === "unknown" || running.pin === null) return []
  const detail = `the Host runs the pinned configuration of generation ${running.pin.number}, not svc.config.yml`
  return [warning("pin", detail, "svc generation unpin")]
}

const check = "workroom"

/**
 * Checks the files of a workroom that no Host has open: the Journal is complete, and the Catalog matches it. Checks nothing
 * for tables, which belong to the database's check, nor if a Host runs: it checked the files at its start.
 */
export const checkWorkroom = async (
  paths: ProjectPaths,
  {workroom}: ProjectConfig,
  isRunning: boolean,
): Promise<readonly Finding[]> => {
  if (isRunning || workroom.store !== "file") return []
  if (!existsSync(paths.state)) return [unmade]
  return [
    await withLock(paths, asDoctor, () => examine(paths)).catch((cause: unknown) => {
      const {message, hint} = toProblem(cause, "internal")
      return error(check, message, hint)
    }),
  ]
}

const unmade = ok(check, "the first start will create its files")

const examine = async (paths: ProjectPaths): Promise<Finding> => {
  const found = await verifyFiles(paths.state)
  if (found === undefined) return unmade
  const torn = found.torn === 0 ? "" : `; the next start removes ${found.torn} unacknowledged bytes`
  return ok(check, `file store, sound up to record ${found.seq}${torn}`)
}
