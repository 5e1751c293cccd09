import {createRequire} from "node:module"
import {join} from "node:path"
import {pathToFileURL} from "node:url"
import type {BuildFailure, BuildOptions, BuildResult} from "esbuild"
import manifest from "../../../package.json" with {type: "json"}
import {type Issue, Problem} from "../../../shared/problems.ts"
import {packageRoot} from "../own-files.ts"
import {findPackage, installForDevelopment} from "../packages/find.ts"

export const esbuildIssues = (failure: unknown): readonly Issue[] =>
  ((failure as Partial<BuildFailure>).errors ?? []).map(({text, location}) => ({
    file: location?.file ?? "",
    line: location?.line ?? 1,
    column: (location?.column ?? 0) + 1,
    path: "",
    message: text,
  }))

/** Loads the esbuild of the folder's project, or svc's own; production needs none. Throws `compiler_missing`. */
export const loadEsbuild = async (folder: string): Promise<typeof import("esbuild")> => {
  const found = findPackage("esbuild", [folder, packageRoot])
  if (found === undefined) {
    const install = installForDevelopment(`esbuild@${manifest.devDependencies.esbuild}`)
    throw new Problem("compiler_missing", "esbuild, which compiles plugins, is not installed", {
      hint: `Run ${install}, or run svc build on a machine that has esbuild.`,
    })
  }
  return import(pathToFileURL(createRequire(join(found, "package.json")).resolve("esbuild")).href)
}

/** Milliseconds without a build after which svc stops esbuild's process, which holds about 12 MB (measured). */
const idleLimit = 1000

let building = 0
let idle: NodeJS.Timeout | undefined

/** Builds in esbuild's own process, which the next build starts again after it stopped. Throws `compiler_missing`. */
export const buildInService = async <T extends BuildOptions>(folder: string, options: T): Promise<BuildResult<T>> => {
  const {build, stop} = await loadEsbuild(folder)
  clearTimeout(idle)
  building++
  try {
    return await build<T>(options as never)
  } finally {
    building--
    if (building === 0) idle = setTimeout(() => void stop(), idleLimit).unref()
  }
}
