import {existsSync} from "node:fs"
import {basename, join} from "node:path"
import type {ReleaseStep} from "../../../../shared/api/release.ts"
import {messageOf} from "../../../../shared/problems.ts"
import {freeSpace, tellsOfFullDisk} from "../../../runtime/files.ts"
import type {Mask} from "../../../runtime/logs/mask.ts"
import {packageRoot} from "../../../runtime/own-files.ts"
import {type ProgramEnd, runProgram} from "../../../runtime/process/program.ts"
import type {StepEnvironments} from "./environment.ts"
import {StepOutput} from "./output.ts"
import {hasScript, type PackageManager} from "./package-manager.ts"

export type StepName = ReleaseStep["name"]

/** The steps after the version is in its separate folder, in this order. */
export const allSteps = ["install", "doctor", "build", "test", "start"] as const satisfies readonly StepName[]

/** The command of a step, or the reason why it is left out. */
export type Work = {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** The command as the output shows it. */
  readonly shown: string
} & ({readonly command: readonly string[]} | {readonly leftOut: string})

export interface StepOptions {
  readonly mask: Mask
  readonly scratch: string
  /** The file for the full output. */
  readonly output: string
  /** The path of that file for the record. */
  readonly outputName: string
  /** The time limit, in milliseconds. */
  readonly limit: number
  readonly signal: AbortSignal
}

/** Runs one step to its end. Never rejects; the result contains the failure. */
export const runStep = async (name: StepName, work: Work, options: StepOptions): Promise<ReleaseStep> => {
  const {mask, scratch, output, outputName, limit, signal} = options
  const began = performance.now()
  const head = {name, command: work.shown}
  if ("leftOut" in work) return {...head, ok: true, skipped: true, seconds: 0, detail: work.leftOut}
  const log = new StepOutput(output, mask)
  const {code, isTooLate} = await runProgram(work.command, {
    folder: work.folder,
    environment: work.environment,
    limit,
    signal,
    onText: log.add,
  }).catch(error => {
    log.add(`${messageOf(error)}\n`)
    return {code: null, isTooLate: false}
  })
  const {tail, failure} = log.end()
  const isOk = code === 0 && !isTooLate && !signal.aborted
  const why = isOk ? "" : await reason({code, isTooLate, limit, tail, scratch})
  const notes = [why, failure === undefined ? "" : `its output file is incomplete: ${failure}`, isOk ? "" : tail]
  return {
    ...head,
    ok: isOk,
    skipped: false,
    seconds: Math.round(performance.now() - began) / 1000,
    detail: notes.filter(text => text !== "").join("\n"),
    output: outputName,
  }
}

interface Failed extends ProgramEnd, Pick<StepOptions, "limit" | "scratch"> {
  readonly tail: string
}

/** Below this many free bytes a disk counts as full, because not every program reports why it could not write. */
const noSpace = 64 * 1024

const reason = async ({code, isTooLate, limit, tail, scratch}: Failed): Promise<string> => {
  if (isTooLate) return `it did not end within ${limit / 1000} s (--limit)`
  const free = await freeSpace(scratch)
  if (free >= noSpace && !tellsOfFullDisk(tail)) return `exit code ${code ?? "none"}`
  return `a disk is full (${Math.floor(free / 1024 ** 2)} MiB free for ${scratch}): free space and repeat the command`
}

/** Returns the svc that the tried project has installed, or this one if it has none. */
const svcOf = (folder: string): readonly string[] => {
  const installed = join(folder, "node_modules/svc-runtime/cli/launch.js")
  const own = join(packageRoot, "cli/launch.js")
  return [process.execPath, existsSync(installed) ? installed : own]
}

export interface Tried {
  readonly folder: string
  readonly manager: PackageManager
  readonly environments: StepEnvironments
  /** The checkpoint for the migrations; undefined if there is none with a database. */
  readonly checkpoint: {readonly id: string; readonly folder: string} | undefined
  /** Whether the folder is a prepared one, with its packages and its build. */
  readonly isPrepared: boolean
}

/** Returns the command as a person would type it: npm installs Bun as `bun.exe` on every system. */
const nameOf = ([program = "", ...args]: readonly string[]): string => [basename(program, ".exe"), ...args].join(" ")

/** Returns the steps after the project is in its separate folder, in the order of the contract (rule 9, 3). */
export const stepsOf = ({
  folder,
  manager,
  environments,
  checkpoint,
  isPrepared,
}: Tried): readonly (readonly [StepName, () => Promise<Work>])[] => {
  const {plain, full} = environments
  const command = (line: readonly string[], shown = nameOf(line), environment = plain) => ({
    folder,
    environment,
    shown,
    command: line,
  })
  const script = async (name: string): Promise<Work> => {
    const line = [...manager.run, name]
    const leftOut = !(await hasScript(folder, name))
      ? `package.json has no script "${name}"`
      : isPrepared && name === "build" && "svc release prepare built it"
    return leftOut ? {folder, environment: plain, shown: nameOf(line), leftOut} : command(line)
  }
  const svc = (args: readonly string[], shown: readonly string[] = args) =>
    command([...svcOf(folder), ...args, "--project", folder], `svc ${shown.join(" ")}`, full)
  const once = ["runtime", "start", "--once", "--mode", "test"]
  const from = (place: string) => [...once, "--from-checkpoint", place]
  return [
    ["install", async () => command((isPrepared && manager.again) || manager.install)],
    ["doctor", async () => svc(["doctor", "--static"])],
    ["build", () => script("build")],
    ["test", () => script("test")],
    ["start", async () => (checkpoint === undefined ? svc(once) : svc(from(checkpoint.folder), from(checkpoint.id)))],
  ]
}
