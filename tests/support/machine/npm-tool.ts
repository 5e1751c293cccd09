import {spawnSync} from "node:child_process"
import {existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {root} from "../host/runtimes.ts"

const cache = join(root, "node_modules/.cache/svc-tools")

const installArguments = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]

/** Seconds of rest after each attempt that failed: a registry is often away for a moment. */
const rests = [5, 30, 0]

/** Packages that npm installs beside the tests: they are no dependency of the project. */
export interface NpmTool {
  /** Has them in `node_modules`. */
  readonly folder: string
  /**
   * Installs them, once, with three attempts; tells whether they are there. Throws what npm said, instead of false, where
   * `SVC_TEST_REQUIRE_TOOLS` is 1.
   */
  install(): boolean
}

export const npmTool = (name: string, packages: readonly string[]): NpmTool => {
  const folder = join(cache, name)
  return {
    folder,
    install: () => {
      const failure = install(name, folder, packages)
      if (failure !== undefined && process.env.SVC_TEST_REQUIRE_TOOLS === "1") {
        throw new Error(`SVC_TEST_REQUIRE_TOOLS is 1 and npm cannot install ${packages.join(", ")}: ${failure}`)
      }
      return failure === undefined
    },
  }
}

/** What went wrong in the last attempt; undefined once the packages are there. */
const install = (name: string, folder: string, packages: readonly string[]): string | undefined => {
  let failure: string | undefined
  for (const rest of rests) {
    if (existsSync(folder)) return undefined
    failure = attempt(name, folder, packages)
    if (failure === undefined) return undefined
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, rest * 1000)
  }
  return failure
}

const attempt = (name: string, folder: string, packages: readonly string[]): string | undefined => {
  mkdirSync(cache, {recursive: true})
  // Beside the folder first, then renamed: two test processes may do this at once.
  const scratch = mkdtempSync(join(cache, `.${name}-`))
  try {
    writeFileSync(join(scratch, "package.json"), JSON.stringify({private: true}))
    const options = {cwd: scratch, encoding: "utf8", timeout: 180_000} as const
    const {status, signal, error, stderr} = spawnSync("npm", [...installArguments, ...packages], options)
    if (status !== 0) return error?.message ?? (stderr.trim() || `npm ended with ${signal ?? status}`)
    renameSync(scratch, folder)
    return undefined
  } catch (error) {
    return existsSync(folder) ? undefined : String(error)
  } finally {
    rmSync(scratch, {recursive: true, force: true})
  }
}
