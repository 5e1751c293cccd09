import {messageOf} from "../../../shared/problems.ts"
import type {Endpoint} from "../../../shared/sdk/adapter/adapter.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"
import {packageRoot} from "../own-files.ts"
import {findPackage, importPackage, installCommandOf} from "./find.ts"

export type Libraries = Readonly<Record<string, string>>

/** Returns the libraries of an adapter that neither the project nor svc has, as `name@version`. */
export const missingLibraries = (libraries: Libraries, project: string, own = packageRoot): readonly string[] =>
  Object.entries(libraries).flatMap(([name, version]) =>
    findPackage(name, [project, own]) === undefined ? [`${name}@${version}`] : [],
  )

/** Returns `load` for an adapter's endpoints and checks: for its libraries and the packages that an account names. */
export const createLoad =
  (
    {name: plugin, project}: {readonly name: string; readonly project: string},
    libraries: Libraries,
    own = packageRoot,
    packages: readonly string[] = [],
  ): Endpoint["load"] =>
  async <L>(library: string): Promise<L> => {
    const isNamed = packages.includes(library)
    if (!Object.hasOwn(libraries, library) && !isNamed)
      throw refused(`the adapter loads ${library}, which it does not list in libraries`, {
        reason: "library_undeclared",
        remediation: "Add it, with its version, to libraries of the adapter.",
      })
    const folder = findPackage(library, [project, own])
    if (folder === undefined) {
      const missing = missingLibraries(libraries, project, own)
      const add = `svc adapter add ${plugin}, or `
      throw refused(`the package ${library} is not installed`, {
        reason: "library_missing",
        remediation: `Run ${isNamed ? installCommandOf(...missing, library) : add + installCommandOf(...missing)}, then svc runtime reload.`,
      })
    }
    try {
      return (await importPackage(library, folder)) as L
    } catch (cause) {
      throw refused(`the package ${library} in ${folder} failed to load: ${messageOf(cause).split("\n", 1)[0]}`, {
        reason: "library_missing",
        remediation: isNamed
          ? `Reinstall it with its dependencies: ${installCommandOf(library)}`
          : `Install the version that svc is tested with: ${installCommandOf(`${library}@${libraries[library]}`)}`,
        cause,
      })
    }
  }
