import {execFileSync} from "node:child_process"
import {createHash} from "node:crypto"
import {existsSync, mkdirSync, renameSync, rmSync} from "node:fs"
import {join} from "node:path"
import {root} from "../../../support/host/runtimes.ts"

const cache = join(root, "node_modules/.cache/svc-deploy")

/**
 * Returns the root of a small Debian 12 with these packages. mmdebstrap makes it from this machine's package sources,
 * and it is cached beside the tests. Nothing writes into it: tests use an overlay or a copy.
 */
export const debianRoot = (packages: readonly string[]): string => {
  const folder = join(cache, `debian-${createHash("sha256").update(packages.join()).digest("hex").slice(0, 12)}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, {recursive: true})
  const scratch = `${folder}.${process.pid}`
  try {
    const args = ["--quiet", "--variant=minbase", `--include=${packages.join()}`, "bookworm", scratch]
    execFileSync("mmdebstrap", args, {stdio: ["ignore", "ignore", "inherit"], timeout: 600_000})
    if (!existsSync(folder)) renameSync(scratch, folder)
  } finally {
    rmSync(scratch, {recursive: true, force: true})
  }
  return folder
}
