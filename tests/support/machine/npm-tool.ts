import {spawnSync} from "node:child_process"
import {existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {root} from "../host/runtimes.ts"

const cache = join(root, "node_modules/.cache/svc-tools")

const installArguments = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]

/** The pause after each failed attempt, in seconds: registries are often unavailable for a moment. */
const rests = [5, 30, 0]

/** Packages that npm installs for the tests, without being dependencies of the project. */
export interface NpmTool {
  /** The folder with their `node_modules`. */
  readonly folder: string
  /** Installs once, in three attempts; returns if that worked. With `SVC_TEST_REQUIRE_TOOLS=1`, throws npm's error. */
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

/** Returns the error of the last attempt; undefined once the packages are installed. */
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
  // Installed beside the folder and then renamed: two test processes may do this at the same time.
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
