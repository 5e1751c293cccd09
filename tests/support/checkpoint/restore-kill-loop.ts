import {existsSync, readdirSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import {expect} from "vitest"
import {open} from "../database/databases.ts"
import {printed} from "../host/command-line.ts"
import {startProcess} from "../host/process.ts"
import type {Project} from "../host/project.ts"
import type {TestRuntime} from "../host/runtimes.ts"
import {Chance, faultRun, tellHowToRepeat} from "../machine/fault-run.ts"
import {startToBeKilled} from "../machine/strace.ts"

export interface ProjectState {
  readonly messages: number
  readonly configuration: string
  readonly lockfile: string
  readonly authorities: number
  /** The texts of the replaced configurations that restores kept. */
  readonly kept: readonly string[]
}

/** Reads the state as a Host would find it: the authority file and the database must agree. */
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

/** The names of the configurations that restores replaced and kept, sorted. */
export const keptConfigurations = (project: Project): readonly string[] =>
  readdirSync(project.folder)
    .filter(name => name.startsWith("svc.config.yml."))
    .sort()

/** Runs `svc` and kills it with SIGKILL after a while; returns whether it was still running. */
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

/** System calls after each of which the disk has another content. */
export const steps = {
  rename: "rename,renameat,renameat2",
  sync: "fsync,fdatasync",
  unlink: "unlink,unlinkat,rmdir",
} as const

/** More calls than any of the commands makes, so that a command that fails at every one is not killed forever. */
export const mostCalls = 300

/** The numbers of the calls at which a test kills a command, without end: the first four, then a share of all, by chance. */
export function* killNumbers(): Generator<number, never> {
  const run = faultRun("call-kills")
  tellHowToRepeat(run)
  const chance = new Chance(run.seed)
  for (let number = 1; ; number++) if (number <= 4 || chance.below(100) < run.rounds) yield number
}

/** Runs `svc` and kills it with SIGKILL at the call with this number; returns false if it finished with fewer calls. */
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

/** Checks that after any command nothing is left of a restore or of an unfinished checkpoint. */
export const expectSettled = async (project: Project): Promise<void> => {
  await printed(project, "checkpoint prune --keep 1000").catch(() => printed(project, "checkpoint prune --keep 1000"))
  expect(existsSync(project.path(".svc/restore.json"))).toBe(false)
  expect(readdirSync(project.folder).filter(name => name.startsWith(".svc-"))).toEqual([])
  expect(readdirSync(project.path(".svc")).filter(name => name.startsWith(".svc-"))).toEqual([])
}
