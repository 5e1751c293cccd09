import {execFile} from "node:child_process"
import {stat} from "node:fs/promises"
import {basename, join} from "node:path"
import {promisify} from "node:util"
import type {EnvironmentFile} from "../config/environment.ts"
import {findLockfile, lockfiles} from "../generation/lockfile.ts"
import {findUncommitted} from "../recovery/uncommitted.ts"
import {findStalePlugins} from "../runtime/build-record.ts"
import {fileSystemOf, freeSpace} from "../runtime/disk.ts"
import {readFileIfExists} from "../runtime/files.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

const run = promisify(execFile)

const git = async (project: string, args: readonly string[]): Promise<string | undefined> => {
  try {
    return (await run("git", ["-C", project, ...args])).stdout
  } catch {
    return undefined
  }
}

/**
 * The lockfile is there, and what is there is committed. An image carries no git: that of the template says which commit
 * and image it is, by SVC_COMMIT and SVC_IMAGE, even where both are empty.
 */
export const checkLockfile = async ({project}: ProjectPaths, environment: NodeJS.ProcessEnv): Promise<Finding> => {
  const lockfile = await findLockfile(project)
  if (lockfile === undefined) {
    return error(
      "lockfile",
      "there is no lockfile",
      "Install the dependencies, and commit the lockfile that it writes.",
    )
  }
  const {name} = lockfile
  if ((await git(project, ["rev-parse", "--is-inside-work-tree"])) === undefined) {
    const {SVC_COMMIT: commit, SVC_IMAGE: image} = environment
    if (commit !== undefined || image !== undefined)
      return ok("lockfile", `${name} is there, in ${describeImage(environment)}`)
    return warning(
      "lockfile",
      `${name} is there; the project is not in git`,
      "Keep the project in git, with its lockfile.",
    )
  }
  const state = await git(project, ["status", "--porcelain", "--ignored", "--", name])
  if (state === "") return ok("lockfile", `${name} is there and committed`)
  return error("lockfile", `${name} is not committed as it is`, await adviceOn(project, name, state ?? ""))
}

/** Says so where git has another configuration than the one that is there. */
export const checkCommitted = async ({config}: ProjectPaths): Promise<readonly Finding[]> => {
  const uncommitted = await findUncommitted(config).catch(() => null)
  if (uncommitted === null) return []
  const {file, command} = uncommitted
  return [warning("configuration", `${file} differs from the last commit`, command)]
}

/** An older lockfile, as a restore or a checkout brings it, must never be committed over a newer one. */
const adviceOn = async (project: string, name: string, state: string): Promise<string> => {
  const committed = linesOf(await git(project, ["ls-tree", "--name-only", "HEAD", "--", ...lockfiles]))
  const older = await olderCommitWith(project, name)
  if (older !== undefined) {
    const manifest = (await olderCommitWith(project, "package.json")) === undefined ? [] : ["package.json"]
    const remove = committed.includes(name) ? "" : `rm ${name} && `
    const take = `${remove}git checkout HEAD -- ${[...committed, ...manifest].join(" ")}`
    return `Do not commit it: it is older than the committed one; commit ${older} brought it. ${take} takes back what is committed; then install the locked packages. To go back as a whole, use svc rollback.`
  }
  if (committed.length === 0 && /^(\?\?|!!)/.test(state)) return `git add -f ${name} && git commit`
  return `git diff HEAD -- ${["package.json", ...committed].join(" ")} shows how. Commit it only if you changed the dependencies yourself; git checkout HEAD -- <file> takes back what a restore brought.`
}

/** The commit before HEAD that brought a file as it is here; undefined where there is none, or HEAD has it so. */
const olderCommitWith = async (project: string, name: string): Promise<string | undefined> => {
  const [here] = linesOf(await git(project, ["hash-object", "--", name]))
  const [now] = linesOf(await git(project, ["rev-parse", "--verify", "--quiet", `HEAD:./${name}`]))
  if (here === undefined || here === now) return undefined
  return linesOf(await git(project, ["log", "--format=%h", `--find-object=${here}`, "--", name])).at(-1)
}

const linesOf = (text: string | undefined): readonly string[] => (text ?? "").split("\n").filter(line => line !== "")

const describeImage = ({SVC_COMMIT: commit, SVC_IMAGE: image}: NodeJS.ProcessEnv): string =>
  `${image ? `the image ${image}` : "an image"}${commit ? ` of commit ${commit}` : ", whose commit is not known"}`

/** What was built is what the source says. */
export const checkBuild = async (paths: ProjectPaths): Promise<Finding> => {
  const stale = await findStalePlugins(paths)
  if (stale === undefined) return ok("build", "nothing was built; the Host compiles the plugins itself")
  if (stale.length === 0) return ok("build", "dist/plugins is what the source says")
  return error("build", `dist/plugins was not built from the source as it is: ${stale.join(", ")}`, "svc build")
}

/** Nobody else can read the secrets, and every reader of the file reads the same. */
export const checkEnvironmentFile = (file: EnvironmentFile): Finding[] => {
  const name = basename(file.path)
  const findings: Finding[] = []
  if ((file.mode & 0o077) !== 0) {
    findings.push(
      error("environment file", `${name} can be read by others (mode ${file.mode.toString(8)})`, `chmod 600 ${name}`),
    )
  }
  for (const [index, line] of file.text.split(/\r?\n/).entries()) {
    const why = readDifferently(line)
    if (why === undefined) continue
    const detail = `${name}:${index + 1} ${why}: compose, systemd and kubectl do not read this alike`
    findings.push(warning("environment file", detail, "Write NAME=value without quotes, spaces around =, $ or #."))
  }
  return findings.length > 0 ? findings : [ok("environment file", `${name} is private and plain`)]
}

/** Files that Bun reads into the environment by itself, beyond the `.env` that the Host reads anyway. */
const readByBun = [".env.local", ".env.development", ".env.production", ".env.test"] as const

/**
 * Bun's own reading of environment files is off, where it would make a difference: what it read stands above the file
 * that `--environment` names.
 */
export const checkBunEnvironment = async ({project}: ProjectPaths): Promise<Finding[]> => {
  const found = await Promise.all(readByBun.map(name => readFileIfExists(join(project, name))))
  const names = readByBun.filter((_, index) => found[index] !== undefined)
  const [topLevel = ""] = ((await readFileIfExists(join(project, "bunfig.toml"))) ?? "").split(/^\s*\[/m)
  if (names.length === 0 || /^\s*env\s*=\s*false\b/m.test(topLevel)) return []
  const detail = `on Bun, ${names.join(", ")} may be read whatever --environment says`
  return [warning("environment file", detail, "Put env = false at the top of bunfig.toml.")]
}

const readDifferently = (line: string): string | undefined => {
  if (line.trim() === "" || line.startsWith("#")) return undefined
  const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(line) ?? []
  if (name === "") return "is not NAME=value"
  if (/^\s*export\s/.test(name)) return "begins with export"
  if (/\s/.test(name) || /^\s/.test(value)) return "has spaces around ="
  if (/["'`]/.test(value)) return "has quotes"
  if (/\s#/.test(value)) return "has a # that some take for a comment"
  if (value.includes("$")) return "has a $ that some expand"
  if (value.includes("\\")) return "has a backslash that some take for an escape"
  return undefined
}

/** Less free space than this is an error or a warning, in bytes. */
const space = {error: 100 * 1024 ** 2, warning: 1024 ** 3} as const

const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2)} MiB`

/** One finding for each file system, which names every folder on it. */
export const checkSpace = async (folders: readonly string[]): Promise<readonly Finding[]> => {
  const placed = await Promise.all(folders.map(async folder => ({folder, on: await fileSystemOf(folder)})))
  const together = [...Map.groupBy(placed, ({on}) => on).values()]
  return Promise.all(together.map(same => spaceFor([...new Set(same.map(({folder}) => folder))])))
}

const spaceFor = async (folders: readonly string[]): Promise<Finding> =>
  judgeSpace(folders, await freeSpace(folders[0] ?? ""))

/** Of folders on one file system; `free` in bytes. */
export const judgeSpace = (folders: readonly string[], free: number): Finding => {
  const detail = `${mebibytes(free)} free for ${folders.join(" and ")}`
  if (free < space.error)
    return error("disk space", detail, "Free space on this disk; the Host cannot store what it receives.")
  if (free < space.warning) return warning("disk space", detail, "Free space on this disk soon.")
  return ok("disk space", detail)
}

/** A file that is younger than now shows that the clock is behind; so many milliseconds are tolerated. */
const tolerance = 5 * 60_000

export const checkClock = async ({config, manifest, database}: ProjectPaths, now: number): Promise<Finding> => {
  for (const file of [config, manifest, database]) {
    const modified = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0
    if (modified > now + tolerance) {
      const detail = `it is ${new Date(now).toISOString()}, but ${basename(file)} was written ${new Date(modified).toISOString()}`
      return error("clock", detail, "Set the clock; run a time service.")
    }
  }
  return ok("clock", new Date(now).toISOString())
}
