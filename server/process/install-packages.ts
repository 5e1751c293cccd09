import {readFile, rm, writeFile} from "node:fs/promises"
import {join} from "node:path"
import {Problem} from "../../shared/problems.ts"
import {isThere} from "../runtime/files.ts"
import {findLockfile, lockfiles} from "../runtime/packages/lockfile.ts"
import {runProgram} from "./program.ts"
import {packageManager, type Toolchain} from "./toolchain.ts"
import {vendored} from "./vendor.ts"

export const unchangedHint = "svc changed nothing. Fix the problem that the message names, then repeat the command."

/** Resolves to the package manager of the lockfile, or of the runtime if there is none. Throws `conflict` for other ones. */
export const toolchainOf = async (project: string): Promise<Toolchain> => {
  const lockfile = (await findLockfile(project))?.name
  if (lockfile === "package-lock.json") return "node"
  if (lockfile === "bun.lock" || lockfile === "bun.lockb") return "bun"
  if (lockfile === undefined) return process.versions.bun === undefined ? "node" : "bun"
  throw new Problem("conflict", `svc does not install with the package manager of ${lockfile}`, {
    hint: "Add the package with that package manager, in an exact version and without scripts; then name the plugin in svc.config.yml.",
  })
}

/**
 * Installs packages in exact versions, each as `name@version`, without install scripts, then calls `then`. A tarball of that
 * version in `vendor/` is used instead of the registry. Throws `conflict` if the package manager fails, and the errors of
 * `then`. A failure restores package.json and the lockfile.
 */
export const installPackages = async (
  project: string,
  toolchain: Toolchain,
  packages: readonly string[],
  then: () => Promise<void> = async () => {},
): Promise<void> => {
  const kept = await keep(project)
  const fresh = await missing(project, packages.map(nameOf))
  const specs = await Promise.all(
    packages.map(each => vendored(project, nameOf(each), each.slice(nameOf(each).length + 1))),
  )
  try {
    await runProgram(installLine(toolchain, specs), {cwd: project, hint: unchangedHint})
    await then()
  } catch (error) {
    await putBack(project, kept)
    for (const name of fresh) await rm(join(project, "node_modules", name), {recursive: true, force: true})
    throw error
  }
}

/** Returns the name in `name@version`, which may start with a scope. */
const nameOf = (spec: string): string => spec.slice(0, spec.lastIndexOf("@"))

const missing = async (project: string, names: readonly string[]): Promise<readonly string[]> => {
  const there = await Promise.all(names.map(name => isThere(join(project, "node_modules", name))))
  return names.filter((_, index) => there[index] === false)
}

const installLine = (toolchain: Toolchain, packages: readonly string[]): readonly [string, ...string[]] =>
  toolchain === "bun"
    ? [...packageManager("bun"), "add", "--exact", "--ignore-scripts", ...packages]
    : ["npm", "install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]

type Kept = ReadonlyMap<string, Buffer | undefined>

const keep = async (project: string): Promise<Kept> =>
  new Map(
    await Promise.all(
      ["package.json", ...lockfiles].map(
        async file => [file, await readFile(join(project, file)).catch(() => undefined)] as const,
      ),
    ),
  )

const putBack = async (project: string, kept: Kept): Promise<void> => {
  for (const [file, bytes] of kept) {
    const path = join(project, file)
    if (bytes === undefined) await rm(path, {force: true})
    else await writeFile(path, bytes)
  }
}
