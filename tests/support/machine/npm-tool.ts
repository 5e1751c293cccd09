import {spawnSync} from "node:child_process"
import {existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {root} from "../host/runtimes.ts"

const cache = join(root, "node_modules/.cache/svc-tools")

/** Packages that npm installs beside the tests: they are no dependency of the project. */
export interface NpmTool {
  /** Has them in `node_modules`. */
  readonly folder: string
  /** Installs them, once; tells whether they are there. */
  install(): boolean
}

export const npmTool = (name: string, packages: readonly string[]): NpmTool => {
  const folder = join(cache, name)
  return {folder, install: () => existsSync(folder) || install(name, folder, packages)}
}

const install = (name: string, folder: string, packages: readonly string[]): boolean => {
  mkdirSync(cache, {recursive: true})
  // Beside the folder first, then renamed: two test processes may do this at once.
  const scratch = mkdtempSync(join(cache, `.${name}-`))
  try {
    writeFileSync(join(scratch, "package.json"), JSON.stringify({private: true}))
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]
    const {status} = spawnSync("npm", args, {cwd: scratch, stdio: "ignore", timeout: 180_000})
    if (status !== 0) return false
    if (!existsSync(folder)) renameSync(scratch, folder)
    return true
  } catch {
    return existsSync(folder)
  } finally {
    rmSync(scratch, {recursive: true, force: true})
  }
}
