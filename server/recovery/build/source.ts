import {createHash, randomUUID} from "node:crypto"
import {chmod, copyFile, lstat, mkdir, readlink, realpath, symlink} from "node:fs/promises"
import {dirname, join, relative} from "node:path"
import type {ReleaseVerification} from "../../../shared/api/release.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {freeSpace, makePrivateFolder, removeFolder} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {hashFile} from "../files/files.ts"
import {git} from "../files/git.ts"

/** The source of a trial: a commit of the project's repository, or without git, the files that git would not ignore. */
export type Source =
  | {readonly is: "commit"; readonly commit: string; readonly top: string; readonly prefix: string}
  | {readonly is: "copy"; readonly paths: readonly string[]}

/** Returns the folder of the project in a tree of the source. */
export const folderOf = (source: Source, tree: string): string =>
  source.is === "commit" ? join(tree, source.prefix) : tree

/** Finds the source. `wanted` names a commit (default: HEAD), and `scratch` an unused folder. Throws `release_refused`. */
export const findSource = async (project: string, wanted: string | undefined, scratch: string): Promise<Source> => {
  const top = await git(project, ["rev-parse", "--show-toplevel"]).catch(error => {
    if (messageOf(error).includes("not a git repository")) return undefined
    throw refuse(`git failed: ${messageOf(error)}`, "Install git, and make sure this user may read the repository.")
  })
  if (top === undefined) {
    if (wanted === undefined) return {is: "copy", paths: await listSources(project, scratch)}
    throw refuse(`${project} is no git work tree, so there is no ${wanted}`, "Leave out the commit to try the folder.")
  }
  const commit = await git(project, ["rev-parse", "--verify", "--quiet", `${wanted ?? "HEAD"}^{commit}`]).catch(() => {
    throw refuse(`${wanted ?? "HEAD"} is not a commit of this repository`, "Run git fetch, or name another commit.")
  })
  const prefix = await git(project, ["rev-parse", "--show-prefix"])
  await git(project, ["cat-file", "-e", `${commit}:${prefix}svc.config.yml`]).catch(() => {
    throw refuse(`there is no svc.config.yml in commit ${commit}`, "Commit the project, then name that commit.")
  })
  return {is: "commit", commit, top, prefix}
}

export const refuse = (detail: string, hint: string) => new Problem("release_refused", detail, {hint})

/** Paths that are never part of a project's sources, ignored or not. */
const excluded = [".svc/", "/data/", "node_modules/", ".env", ".env.*", "!.env.example"]

/** Resolves to the sorted paths of a project without git, without those that its `.gitignore` names. */
export const listSources = async (project: string, scratch: string): Promise<readonly string[]> => {
  const repository = join(scratch, "index.git")
  try {
    await makePrivateFolder(scratch)
    await git(scratch, ["init", "--quiet", "--bare", repository])
    const found = await git(project, [
      `--git-dir=${repository}`,
      `--work-tree=${project}`,
      "ls-files",
      "--others",
      "--exclude-standard",
      "-z",
      ...excluded.map(pattern => `--exclude=${pattern}`),
    ])
    // A path with a trailing slash is another repository.
    return found
      .split("\0")
      .filter(path => path !== "" && !path.endsWith("/"))
      .sort()
  } finally {
    await removeFolder(scratch)
  }
}

/** Resolves to one hash over the paths, contents and executable bits of the files. */
export const hashSources = async (project: string, paths: readonly string[]): Promise<string> => {
  const sum = createHash("sha256")
  for (const path of paths) {
    const place = join(project, path)
    const info = await lstat(place)
    const content = info.isSymbolicLink() ? await readlink(place) : (await hashFile(place)).sha256
    sum.update(`${path}\0${info.mode & 0o111}\0${content}\n`)
  }
  return sum.digest("hex")
}

/** Resolves to the commit or copy that the verification of a source in this place is about. */
export const subjectOf = async (
  source: Source,
  place: string,
): Promise<Pick<ReleaseVerification, "commit" | "copy">> =>
  source.is === "commit" ? {commit: source.commit} : {commit: null, copy: await hashSources(place, source.paths)}

/** Resolves to the `hashSources` of a project's present files. */
export const hashProject = async ({project, temporary}: ProjectPaths): Promise<string> =>
  hashSources(project, await listSources(project, join(temporary, `release-${randomUUID()}`)))

export const copySources = async (project: string, paths: readonly string[], target: string): Promise<void> => {
  await makePrivateFolder(target)
  for (const path of paths) {
    const [from, to] = [join(project, path), join(target, path)]
    await mkdir(dirname(to), {recursive: true, mode: 0o700})
    const info = await lstat(from)
    if (info.isSymbolicLink()) await symlink(await readlink(from), to)
    else {
      await copyFile(from, to)
      await chmod(to, info.mode & 0o777)
    }
  }
}

type Commit = Extract<Source, {is: "commit"}>

/** Throws `release_refused` if the disk has too little space: git would only delete the incomplete files without a reason. */
export const requireRoom = async ({top, commit}: Commit, folder: string): Promise<void> => {
  const listed = await git(top, ["ls-tree", "-r", "--long", "-z", commit])
  const sizes = listed.split("\0").map(line => Number(/^\S+ blob \S+ +(\d+)\t/.exec(line)?.[1] ?? 0))
  const needed = sizes.reduce((sum, size) => sum + size, 0)
  const free = await freeSpace(folder)
  if (free >= needed) return
  const inMib = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`
  throw refuse(
    `a disk is full: the files of the commit need ${inMib(needed)}, but ${folder} has only ${inMib(free)} free`,
    "Free space, and repeat the command.",
  )
}

/** Returns the command that creates a work tree of a commit, without running hooks. */
export const worktreeCommand = ({top, commit}: Commit, place: string): readonly string[] => [
  "git",
  "-C",
  top,
  "-c",
  "core.hooksPath=/dev/null",
  "worktree",
  "add",
  "--quiet",
  "--force",
  "--detach",
  place,
  commit,
]

/** Deletes a work tree, even an incomplete one, and its entry in the repository. */
export const removeWorktree = async (project: string, place: string): Promise<void> => {
  const tryGit = (...args: readonly string[]) => git(project, args).catch(() => "")
  const isKnown = async () =>
    (await tryGit("worktree", "list", "--porcelain")).split("\n").includes(`worktree ${await realPlace(place)}`)
  const wasKnown = await isKnown()
  if (wasKnown) await tryGit("worktree", "unlock", place)
  await removeFolder(place)
  if (wasKnown) await tryGit("worktree", "prune")
}

/** Resolves the links in a path, like git does in its output. */
const realPlace = async (place: string): Promise<string> => {
  const folder = dirname(place)
  return join(await realpath(folder).catch(() => folder), relative(folder, place))
}
