import {existsSync, readdirSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {expect} from "vitest"
import {open} from "../database/databases.ts"
import {printed} from "../host/command-line.ts"
import {startProcess} from "../host/process.ts"
import type {Project} from "../host/project.ts"
import type {TestRuntime} from "../host/runtimes.ts"
import {startToBeKilled} from "../machine/strace.ts"

/** What tells one state of a project from another. */
export interface ProjectState {
  readonly messages: number
  readonly configuration: string
  readonly lockfile: string
  readonly authorities: number
  /** The texts of the replaced configurations that were kept. */
  readonly kept: readonly string[]
}

/** Read as a Host would find it: the authority file and the database must agree. */
export const readState = async (project: Project): Promise<ProjectState> => {
  const database = await open({dialect: "sqlite", file: project.path(".svc/data.sqlite")})
  const [row] = await database.read(
    "SELECT count(*) AS n, (SELECT value FROM svc_meta WHERE key = 'authority') AS a FROM inbox",
  )
  await database.close()
  const {authority} = JSON.parse(project.read(".svc/authority.json"))
  return {
    messages: Number(row?.n),
    configuration: project.read("svc.config.yml"),
    lockfile: project.read("bun.lock"),
    authorities: new Set([authority, row?.a]).size,
    kept: keptConfigurations(project).map(name => project.read(name)),
  }
}

/** Names of the configurations that restores have replaced and kept, sorted. */
export const keptConfigurations = (project: Project): readonly string[] =>
  readdirSync(project.folder)
    .filter(name => name.startsWith("svc.config.yml."))
    .sort()

/** Runs `svc` and kills it -9 after a while; true where it was not done yet. */
export const killDuring = async (
  runtime: TestRuntime,
  project: Project,
  args: readonly string[],
  milliseconds: number,
): Promise<boolean> => {
  const running = startProcess([...runtime.command, ...args], {cwd: project.folder})
  await Promise.race([sleep(milliseconds), running.finished])
  running.child.kill("SIGKILL")
  return (await running.finished).signal === "SIGKILL"
}

/** System calls after each of which a disk holds something else. */
export const steps = {
  rename: "rename,renameat,renameat2",
  sync: "fsync,fdatasync",
  unlink: "unlink,unlinkat,rmdir",
} as const

/** More calls than any of the commands makes: one that fails by itself at each is not killed over and over. */
const mostCalls = 300

/** Runs `svc` and kills it -9 at its so-manieth such call; false where it has done its work without so many. */
export const killAt = async (
  step: keyof typeof steps,
  runtime: TestRuntime,
  project: Project,
  args: readonly string[],
  number: number,
): Promise<boolean> => {
  const killed = startToBeKilled([...runtime.command, ...args], steps[step], number, project.folder)
  const {code, stdout, stderr} = await killed.finished
  expect(number, `${args.join(" ")} never ends well: ${stdout}${stderr}`).toBeLessThan(mostCalls)
  return code !== 0
}

/** Nothing of a restore or an unfinished checkpoint is left, once any command has run. */
export const expectSettled = async (project: Project): Promise<void> => {
  await printed(project, "checkpoint prune --keep 1000").catch(() => printed(project, "checkpoint prune --keep 1000"))
  expect(existsSync(project.path(".svc/restore.json"))).toBe(false)
  expect(readdirSync(project.folder).filter(name => name.startsWith(".svc-"))).toEqual([])
  expect(readdirSync(project.path(".svc")).filter(name => name.startsWith(".svc-"))).toEqual([])
}
