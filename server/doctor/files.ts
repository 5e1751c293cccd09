import {stat} from "node:fs/promises"
import {basename, join} from "node:path"
import type {EnvironmentFile} from "../config/load.ts"
import {tryGit} from "../recovery/checkpoint/provenance.ts"
import {findUncommitted} from "../recovery/uncommitted.ts"
import {findStalePlugins} from "../runtime/build-record.ts"
import {fileSystemOf, freeSpace, readFileIfExists} from "../runtime/files.ts"
import {findLockfile, lockfiles} from "../runtime/packages/lockfile.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {error, type Finding, mebibytes, ok, warning} from "./finding.ts"

/**
 * Checks that the project has a committed lockfile. An image has no git; the template's image names its commit and image in
 * SVC_COMMIT and SVC_IMAGE, which it sets even if they are empty.
 */
export const checkLockfile = async ({project}: ProjectPaths, environment: NodeJS.ProcessEnv): Promise<Finding> => {
  const lockfile = await findLockfile(project)
  if (lockfile === undefined) {
    const remedy = "Install the dependencies, and commit the lockfile that this writes."
    return error("lockfile", "there is no lockfile", remedy)
  }
  const {name} = lockfile
  if ((await tryGit(project, ["rev-parse", "--is-inside-work-tree"])) === undefined) {
    const {SVC_COMMIT: commit, SVC_IMAGE: image} = environment
    if (commit !== undefined || image !== undefined)
      return ok("lockfile", `${name} exists, in ${describeImage(environment)}`)
    const detail = `${name} exists, but the project is not in git`
    return warning("lockfile", detail, "Keep the project in git, with its lockfile.")
  }
  const state = await tryGit(project, ["status", "--porcelain", "--ignored", "--", name])
  if (state === "") return ok("lockfile", `${name} exists and is committed`)
  return error("lockfile", `${name} differs from its commit`, await adviceOn(project, name, state ?? ""))
}

/** Warns if the configuration differs from its commit. */
export const checkCommitted = async ({config}: ProjectPaths): Promise<readonly Finding[]> => {
  const uncommitted = await findUncommitted(config).catch(() => null)
  if (uncommitted === null) return []
  const {file, command} = uncommitted
  return [warning("configuration", `${file} differs from the last commit`, command)]
}

/** Returns the remediation. An older lockfile, from a restore or a checkout, must never be committed over a newer one. */
const adviceOn = async (project: string, name: string, state: string): Promise<string> => {
  const committed = linesOf(await tryGit(project, ["ls-tree", "--name-only", "HEAD", "--", ...lockfiles]))
  const older = await olderCommitWith(project, name)
  if (older !== undefined) {
    const manifest = (await olderCommitWith(project, "package.json")) === undefined ? [] : ["package.json"]
    const remove = committed.includes(name) ? "" : `rm ${name} && `
    const take = `${remove}git checkout HEAD -- ${[...committed, ...manifest].join(" ")}`
    return `Do not commit it: it is older than the committed one; it comes from commit ${older}. ${take} restores the committed one; then install the locked packages. To roll back code and data too, use svc rollback.`
  }
  if (committed.length === 0 && /^(\?\?|!!)/.test(state)) return `git add -f ${name} && git commit`
  return `git diff HEAD -- ${["package.json", ...committed].join(" ")} shows the difference. Commit it only if you changed the dependencies yourself; git checkout HEAD -- <file> undoes the change of a restore.`
}

/** Resolves to the commit before HEAD that has the same version of a file, or to undefined if HEAD has it or none does. */
const olderCommitWith = async (project: string, name: string): Promise<string | undefined> => {
  const [here] = linesOf(await tryGit(project, ["hash-object", "--", name]))
  const [now] = linesOf(await tryGit(project, ["rev-parse", "--verify", "--quiet", `HEAD:./${name}`]))
  if (here === undefined || here === now) return undefined
  return linesOf(await tryGit(project, ["log", "--format=%h", `--find-object=${here}`, "--", name])).at(-1)
}

const linesOf = (text: string | undefined): readonly string[] => (text ?? "").split("\n").filter(line => line !== "")

const describeImage = ({SVC_COMMIT: commit, SVC_IMAGE: image}: NodeJS.ProcessEnv): string =>
  `${image ? `the image ${image}` : "an image"}${commit ? ` of commit ${commit}` : " of an unknown commit"}`

export const checkBuild = async (paths: ProjectPaths): Promise<Finding> => {
  const stale = await findStalePlugins(paths)
  if (stale === undefined) return ok("build", "there is no build; the Host compiles the plugins at its start")
  if (stale.length === 0) return ok("build", "dist/plugins matches the source")
  return error("build", `dist/plugins does not match the present source: ${stale.join(", ")}`, "svc build")
}

/** Checks that only the owner can read the file, and that all programs parse it the same way. */
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
    const detail = `${name}:${index + 1} ${why}: compose, systemd and kubectl read this differently`
    findings.push(warning("environment file", detail, "Write NAME=value without quotes, spaces around =, $ or #."))
  }
  return findings.length > 0 ? findings : [ok("environment file", `${name} is private and plain`)]
}

/** Files that Bun reads into the environment, in addition to the `.env` that the Host reads. */
const readByBun = [".env.local", ".env.development", ".env.production", ".env.test"] as const

/** Checks that Bun loads no environment files itself: their variables would override the file of `--environment`. */
export const checkBunEnvironment = async ({project}: ProjectPaths): Promise<Finding[]> => {
  const found = await Promise.all(readByBun.map(name => readFileIfExists(join(project, name))))
  const names = readByBun.filter((_, index) => found[index] !== undefined)
  const [topLevel = ""] = ((await readFileIfExists(join(project, "bunfig.toml"))) ?? "").split(/^\s*\[/m)
  if (names.length === 0 || /^\s*env\s*=\s*false\b/m.test(topLevel)) return []
  const detail = `Bun may read ${names.join(", ")} although --environment names another file`
  return [warning("environment file", detail, "Put env = false at the top of bunfig.toml.")]
}

const readDifferently = (line: string): string | undefined => {
  if (line.trim() === "" || line.startsWith("#")) return undefined
  const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(line) ?? []
  if (name === "") return "is not NAME=value"
  if (/^\s*export\s/.test(name)) return "starts with export"
  if (/\s/.test(name) || /^\s/.test(value)) return "has spaces around ="
  if (/["'`]/.test(value)) return "has quotes"
  if (/\s#/.test(value)) return "has a # that some programs read as a comment"
  if (value.includes("$")) return "has a $ that some programs expand"
  if (value.includes("\\")) return "has a backslash that some programs read as an escape"
  return undefined
}

/** The free space below which a finding is an error or a warning, in bytes. */
const space = {error: 100 * 1024 ** 2, warning: 1024 ** 3} as const

/** Returns one finding per file system, which names every folder on it. */
export const checkSpace = async (folders: readonly string[]): Promise<readonly Finding[]> => {
  const placed = await Promise.all(folders.map(async folder => ({folder, on: await fileSystemOf(folder)})))
  const together = [...Map.groupBy(placed, ({on}) => on).values()]
  return Promise.all(together.map(same => spaceFor([...new Set(same.map(({folder}) => folder))])))
}

const spaceFor = async (folders: readonly string[]): Promise<Finding> =>
  judgeSpace(folders, await freeSpace(folders[0] ?? ""))

/** Judges the free space for folders on one file system; `free` in bytes. */
export const judgeSpace = (folders: readonly string[], free: number): Finding => {
  const detail = `${mebibytes(free)} free for ${folders.join(" and ")}`
  if (free < space.error) return error("disk space", detail, "Free space on this disk: the Host cannot store events.")
  if (free < space.warning) return warning("disk space", detail, "Free space on this disk soon.")
  return ok("disk space", detail)
}

/** How far a file's time may be in the future, in milliseconds; a later time shows that the clock is behind. */
const tolerance = 5 * 60_000

export const checkClock = async ({config, manifest, database}: ProjectPaths, now: number): Promise<Finding> => {
  for (const file of [config, manifest, database]) {
    const modified = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0
    if (modified > now + tolerance) {
      const detail = `it is ${new Date(now).toISOString()}, but ${basename(file)} was written ${new Date(modified).toISOString()}`
      return error("clock", detail, "Set the clock, and run a time service.")
    }
  }
  return ok("clock", new Date(now).toISOString())
}
