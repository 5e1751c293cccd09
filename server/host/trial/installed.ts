import {readFile} from "node:fs/promises"
import {dirname, join} from "node:path"
import {parse} from "yaml"
import {fromJson} from "../../../shared/json.ts"
import {type Issue, Problem} from "../../../shared/problems.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {isThere, readJsonIfExists} from "../../runtime/files.ts"
import {findLockfile} from "../../runtime/packages/lockfile.ts"
import {isWithin} from "../../runtime/packages/version-range.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {Runtime} from "../../runtime/runtime.ts"

/**
 * Checks that the runtime satisfies `engines` in package.json, and that its dependencies are installed in the versions of the
 * lockfile. Does not read the versions in a binary lockfile (`bun.lockb`). Throws `trial_failed` with each finding.
 */
export const requireInstalled = async (
  {project, manifest: path}: ProjectPaths,
  {name, version}: Pick<Runtime, "name" | "version">,
): Promise<void> => {
  const manifest = fieldsOf(await readJsonIfExists(path))
  const issues: Issue[] = []
  const tell = (file: string, key: string, message: string) =>
    void issues.push({file, line: 1, column: 1, path: key, message})
  const wanted = textsOf(manifest.engines)[name]
  if (wanted !== undefined && isWithin(version, wanted) === false)
    tell("package.json", `engines.${name}`, `requires "${wanted}", but this is ${name} ${version}`)
  const lockfile = (await findLockfile(project))?.name
  // With .pnp.cjs, Yarn keeps packages in archives.
  const isPlain = !(await isThere(join(project, ".pnp.cjs")))
  const locked = lockfile === undefined ? undefined : await readLocked(project, lockfile)
  for (const [dependency, spec] of Object.entries(textsOf(manifest.dependencies))) {
    const installed = await installedVersion(project, dependency)
    const inLock = locked?.(dependency, spec)
    // The running svc provides the SDK.
    if (installed === undefined && isPlain && dependency !== "svc-runtime")
      tell("package.json", `dependencies.${dependency}`, "is not installed")
    if (lockfile === undefined || locked === undefined || !isOfRegistry(spec)) continue
    if (inLock === undefined) tell(lockfile, dependency, `is missing, but package.json requires "${spec}"`)
    else if (installed !== undefined && /^\d+\.\d+\.\d+/.test(inLock) && installed !== inLock)
      tell(lockfile, dependency, `has version ${inLock}, but ${installed} is installed`)
  }
  if (issues.length === 0) return
  throw new Problem("trial_failed", "the installed packages or the runtime differ from what the project requires", {
    issues,
    hint: "Install the locked dependencies and the runtime that package.json requires, then repeat the command.",
  })
}

/** Returns whether a spec is a version range: not a path, a link, an address or an alias. */
const isOfRegistry = (spec: string): boolean => /^[\^~<>=v]*\s*[\d*x]/.test(spec)

const installedVersion = async (folder: string, dependency: string): Promise<string | undefined> => {
  const manifest = fieldsOf(await readJsonIfExists(join(folder, "node_modules", dependency, "package.json")))
  if (manifest.name !== undefined) return String(manifest.version ?? "")
  return dirname(folder) === folder ? undefined : installedVersion(dirname(folder), dependency)
}

type Locked = (dependency: string, spec: string) => string | undefined

/** Resolves to undefined for a kind of lockfile that svc does not read. Throws `trial_failed` for a broken one. */
const readLocked = async (project: string, lockfile: string): Promise<Locked | undefined> => {
  const text = () => readFile(join(project, lockfile), "utf8")
  try {
    switch (lockfile) {
      case "package-lock.json":
        return npmLocked(await text())
      case "bun.lock":
        return bunLocked(await text())
      case "pnpm-lock.yaml":
        return pnpmLocked(await text())
      case "yarn.lock":
        return yarnLocked(await text())
      default:
        return undefined
    }
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause)
    throw new Problem("trial_failed", `cannot read ${lockfile}`, {
      cause,
      issues: [{file: lockfile, line: 1, column: 1, path: "", message}],
      hint: "Restore the committed lockfile, or let the package manager write a new one.",
    })
  }
}

const npmLocked = (text: string): Locked | undefined => {
  const {packages} = fieldsOf(fromJson(text))
  if (packages === undefined) return undefined
  return dependency => textsOf(fieldsOf(packages)[`node_modules/${dependency}`]).version
}

/** Reads one line per package: `"name": ["name@1.2.3", …`. */
const bunLocked =
  (text: string): Locked =>
  dependency =>
    [...text.matchAll(/^ {4}"([^"]+)": \["[^"]*@([^"@]+)"/gm)].find(([, name]) => name === dependency)?.[2]

const pnpmLocked = (text: string): Locked | undefined => {
  const lock = fieldsOf(parse(text))
  const importer = fieldsOf(fieldsOf(lock.importers)["."] ?? lock)
  const dependencies = fieldsOf(importer.dependencies)
  return dependency => textsOf(dependencies[dependency]).version?.replace(/\(.*$/, "")
}

/** Returns an empty version for an entry with another range, as `resolutions` writes it: the check ignores that. */
const yarnLocked = (text: string): Locked => {
  const entries = text.split(/\n{2,}/).map(entry => {
    const head = entry.split("\n").find(line => line.endsWith(":")) ?? ""
    const names = head.slice(0, -1).replaceAll('"', "").split(", ")
    return {names, version: /^ {2}version:? "?([^"\n]+)"?$/m.exec(entry)?.[1]}
  })
  return (dependency, spec) => {
    const wanted = [`${dependency}@${spec}`, `${dependency}@npm:${spec}`]
    const found = entries.find(({names}) => names.some(name => wanted.includes(name)))
    if (found !== undefined) return found.version
    return entries.some(({names}) => names.some(name => name.startsWith(`${dependency}@`))) ? "" : undefined
  }
}

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : [])),
  )
