import {lstat, rmdir} from "node:fs/promises"
import {dirname, join, resolve} from "node:path"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {makeFolder, syncFile, syncFolder, writeNewFile} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {git, gitAgrees} from "../files/git.ts"
import {recorded, type Swap, stagingName} from "./swap.ts"

/** The change of a git work tree from one commit to another; paths of files are relative to its top. */
export interface CodeChange {
  readonly from: string
  readonly to: string
  /** The branch that is checked out; null if there is none. */
  readonly branch: string | null
  /** Whether the branch is fast-forwarded. Otherwise it does not move, and `HEAD` is detached. */
  readonly isForward: boolean
  readonly top: string
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** The files of git's HEAD and index; `head` is the branch's file if that moves. */
  readonly head: string
  readonly index: string
}

const refuse = (detail: string, hint: string): never => {
  throw new Problem("rollback_refused", detail, {hint})
}

export interface CodeRules {
  /** Whether a branch may be fast-forwarded to the commit. */
  readonly mayForward?: boolean
  /** A file that may differ from its commit, because the caller keeps a copy of it. */
  readonly mayReplace?: string
}

/**
 * Plans the change of a project's code to the commit of a checkpoint, without making it. Throws `rollback_refused`, mainly if
 * the code could not go back together with its packages.
 */
export const planCode = async (
  {project}: Pick<ProjectPaths, "project">,
  {id, code}: Pick<Manifest, "id" | "code">,
  {mayForward = false, mayReplace}: CodeRules = {},
): Promise<CodeChange> => {
  const byHand =
    "Restore the data with svc checkpoint restore --data-only, and bring code, packages and configuration to one version by hand."
  const alone = "svc never rolls packages back without their code"
  const {commit} = code
  if (commit === null) return refuse(`${id} has no known commit: ${alone}`, byHand)
  if (code.clean === false) return refuse(`the commit of ${id} does not have everything that ran: ${alone}`, byHand)
  const top = await git(project, ["rev-parse", "--show-toplevel"]).catch(() => undefined)
  if (top === undefined)
    return refuse(`${project} is not a git work tree: ${alone}`, "Deploy the image or folder of that commit first.")
  const replaced = mayReplace && (await git(project, ["ls-files", "--full-name", "--", mayReplace]))
  const changes = (await git(top, ["status", "--porcelain"]))
    .split("\n")
    .filter(line => line !== "" && !isChangeOf(line, replaced))
  if (changes.length > 0)
    return refuse(
      `the git work tree has uncommitted changes:\n${changes.slice(0, 10).join("\n")}`,
      "Commit or remove them: they would be lost.",
    )
  await git(top, ["cat-file", "-e", `${commit}^{commit}`]).catch(() =>
    refuse(`commit ${commit} is not in this repository`, "Run git fetch --tags --unshallow, or fetch its branch."),
  )
  const format = await git(top, ["config", "--get", "extensions.refstorage"]).catch(() => "files")
  if (format !== "files") return refuse(`the repository keeps its refs as ${format}, not as files`, byHand)
  const paths = await git(top, ["rev-parse", "HEAD", "--git-path", "HEAD", "--git-path", "index"])
  const [from = "", head = "", index = ""] = paths.split("\n")
  const ref = await git(top, ["symbolic-ref", "--quiet", "HEAD"]).catch(() => null)
  const isForward = mayForward && ref !== null && (await gitAgrees(top, ["merge-base", "--is-ancestor", from, commit]))
  return {
    from,
    to: commit,
    branch: ref === null ? null : ref.replace("refs/heads/", ""),
    isForward,
    top,
    head: resolve(top, isForward ? await git(top, ["rev-parse", "--git-path", ref]) : head),
    index: resolve(top, index),
    ...(await changedFiles(top, from, commit)),
  }
}

/** Returns whether a line of `git status --porcelain` is a plain change of this file. */
const isChangeOf = (line: string, file: string | undefined): boolean =>
  file !== undefined && file !== "" && (line === ` M ${file}` || line === `M  ${file}`)

const submodule = "160000"

const changedFiles = async (top: string, from: string, to: string) => {
  const fields = (await git(top, ["diff", "--raw", "-z", "--no-renames", "--no-ext-diff", from, to])).split("\0")
  const written: string[] = []
  const removed: string[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before, after, , , status] = (fields[at] ?? "").slice(1).split(" ")
    const path = fields[at + 1] ?? ""
    if (before === submodule || after === submodule)
      return refuse(
        `the submodule ${path} differs`,
        "Check out that commit and its submodules by hand, then run svc checkpoint restore.",
      )
    if (status === "D") removed.push(path)
    else written.push(path)
  }
  return {written, removed}
}

/** Returns the staging folders of a change of the code. */
export const codeFolders = ({from, to, top, index}: CodeChange): readonly string[] =>
  from === to ? [] : [join(top, stagingName), join(dirname(index), stagingName)]

/**
 * Writes the files of the commit durably beside those that they replace, with a matching index and HEAD. Resolves to the
 * renames that replace them; HEAD comes last. Paths in `taken` already have a rename.
 */
export const stageCode = async (
  project: string,
  change: CodeChange,
  taken: ReadonlySet<string>,
): Promise<{code: readonly Swap[]; git: readonly Swap[]}> => {
  const {from, to, top} = change
  if (from === to) return {code: [], git: []}
  const folder = join(top, stagingName)
  const fresh = join(folder, "new", "code")
  const free = (path: string) => !taken.has(join(top, path))
  const written = change.written.filter(free)
  await makeFolder(fresh, 0o700)
  const beside = join(dirname(change.index), stagingName)
  const environment = {GIT_INDEX_FILE: join(beside, "new", "index")}
  await git(top, ["read-tree", to], {environment})
  await git(top, ["checkout-index", `--prefix=${fresh}/`, "-z", "--stdin"], {environment, input: written.join("\0")})
  await writeNewFile(join(beside, "new", "HEAD"), `${to}\n`)
  await syncFile(environment.GIT_INDEX_FILE)
  await syncFiles(fresh, written)
  const swap = (target: string, staged: string | null, kept: string): Swap => ({
    target: recorded(project, target),
    staged: staged === null ? null : recorded(project, staged),
    kept: recorded(project, kept),
  })
  const kept = (kind: string, number: number) => join(folder, "old", `${kind}-${number}`)
  return {
    code: [
      ...change.removed.filter(free).map((path, number) => swap(join(top, path), null, kept("removed", number))),
      ...written.map((path, number) => swap(join(top, path), join(fresh, path), kept("written", number))),
    ],
    git: [change.index, change.head].map((target, number) =>
      swap(target, join(beside, "new", number === 0 ? "index" : "HEAD"), join(beside, "old", `${number}`)),
    ),
  }
}

const syncFiles = async (fresh: string, written: readonly string[]): Promise<void> => {
  const folders = new Set([fresh])
  for (const path of written) {
    const file = join(fresh, path)
    if (!(await lstat(file)).isSymbolicLink()) await syncFile(file)
    for (let each = dirname(file); each !== fresh; each = dirname(each)) folders.add(each)
  }
  for (const each of folders) await syncFolder(each)
}

/** Deletes folders that have become empty, like git. */
export const removeEmptyFolders = async ({top, removed}: CodeChange): Promise<void> => {
  for (const path of removed) {
    for (let folder = dirname(join(top, path)); folder !== top && folder.startsWith(top); folder = dirname(folder)) {
      const failure: unknown = await rmdir(folder).catch(error => error)
      if (failure !== undefined) break
    }
  }
}

/** Resolves to the commit and changes of a repository for a proof, or to null without one. */
export const describeTree = async (project: string): Promise<{commit: string; changes: readonly string[]} | null> => {
  try {
    const changes = await git(project, ["status", "--porcelain"])
    return {commit: await git(project, ["rev-parse", "HEAD"]), changes: changes === "" ? [] : changes.split("\n")}
  } catch (cause) {
    if (messageOf(cause).includes("not a git repository")) return null
    throw cause
  }
}
