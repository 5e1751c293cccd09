import {execFileSync} from "node:child_process"
import {cpSync, mkdtempSync, readFileSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {root} from "../../support/host/runtimes.ts"
import {runProcess} from "../measure/process.ts"

export interface Checkout {
  readonly folder: string
  readonly commit: string
  remove(): void
}

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-C", root, ...args], {encoding: "utf8", stdio: ["ignore", "pipe", "pipe"]}).trim()

/** The short id of a commit. Throws an error for people if there is no such commit. */
export const commitOf = (ref: string): string => {
  try {
    return git("rev-parse", "--verify", "--quiet", "--short=12", "--end-of-options", `${ref}^{commit}`)
  } catch {
    throw new Error(`there is no commit "${ref}" in this checkout; name a branch, a tag or a commit`)
  }
}

/** The commit of the working tree, and whether the tree has uncommitted changes. */
export const ownCommit = (): string =>
  `${commitOf("HEAD")}${git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " with changes"}`

/** Links the packages if both commits lock the same ones; otherwise installs those of the older commit. */
const installPackages = async (folder: string, progress: (text: string) => void): Promise<void> => {
  if (readFileSync(join(root, "bun.lockb")).equals(readFileSync(join(folder, "bun.lockb")))) {
    const copy = (how: string) => runProcess(["cp", how, join(root, "node_modules"), folder])
    // Hard links do not cross file systems.
    await copy("-al").catch(async () => {
      rmSync(join(folder, "node_modules"), {recursive: true, force: true})
      await copy("-a")
    })
    return
  }
  progress("installing that commit's packages")
  await runProcess([process.execPath, "install", "--frozen-lockfile"], {cwd: folder, endsBy: "SIGTERM"})
}

export const buildTree = (folder: string): Promise<string> =>
  runProcess([process.execPath, "run", "build"], {cwd: folder, endsBy: "SIGTERM"})

/** Checks out and builds a commit, for this run. Throws if there is none, or if its install or build fails. */
export const checkOut = async (ref: string, progress: (text: string) => void): Promise<Checkout> => {
  const commit = commitOf(ref)
  const scratch = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const folder = join(scratch, commit)
  let isRemoved = false
  const remove = () => {
    if (isRemoved) return
    isRemoved = true
    progress(`removing the checkout of ${commit}`)
    rmSync(scratch, {recursive: true, force: true})
    git("worktree", "prune")
  }
  process.on("exit", remove)
  progress(`checking out ${commit}`)
  git("worktree", "add", "--quiet", "--detach", folder, commit)
  await installPackages(folder, progress)
  progress(`building ${commit}`)
  await buildTree(folder)
  // Both sides use the same bench.
  rmSync(join(folder, "tests"), {recursive: true})
  cpSync(join(root, "tests"), join(folder, "tests"), {recursive: true})
  return {folder, commit, remove}
}
