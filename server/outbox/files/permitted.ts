import {lstat, realpath, stat} from "node:fs/promises"
import {basename, isAbsolute, relative, resolve, sep} from "node:path"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {identityOf, isMissing} from "../../runtime/files.ts"

/** A regular file that plugin code may send. */
export interface PermittedFile {
  /** Absolute, with links resolved. */
  readonly path: string
  readonly name: string
  /** In bytes, at the time of the check. */
  readonly size: number
}

export interface PermissionOptions {
  readonly project: string
  /** The file of a local database. Only its driver may open it, under any name. */
  readonly database: string | undefined
}

/** Folders of the Host or the repository, at any path. */
const closedFolders: ReadonlySet<string> = new Set([".svc", ".git"])

/** Files with secrets and settings, at any path. */
const isClosedName = (name: string): boolean =>
  name === ".env" || name.startsWith(".env.") || name.startsWith("svc.config.yml")

/**
 * Returns the file that a path of plugin code names, with links resolved. A relative path must stay in the project; an
 * absolute one may lead anywhere else. Throws `file_path_refused`.
 */
export const permittedFile = async (path: string, options: PermissionOptions): Promise<PermittedFile> => {
  const project = await realpath(options.project)
  const found = await realpath(resolve(project, path)).catch(cause => {
    throw refusal(path, isMissing(cause) ? "there is no such file" : messageOf(cause))
  })
  const inside = relative(project, found)
  const isOutside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  if (isOutside && !isAbsolute(path)) throw refusal(path, "it leads out of the project")
  // In lower case, for file systems that ignore case.
  const parts = found.toLowerCase().split(sep)
  if (parts.some(part => closedFolders.has(part))) throw refusal(path, "it is in .svc/ or .git/")
  if (isClosedName(parts.at(-1) ?? "")) throw refusal(path, "it holds secrets or the configuration")
  if (!(await lstat(found)).isFile()) throw refusal(path, "it is not a regular file")
  if (isDatabase(found, options.database)) throw refusal(path, "it is the database")
  return {path: found, name: basename(path), size: (await stat(found)).size}
}

/** Compares identities: a hard link is the same file, and closing it would drop the database's locks. */
const isDatabase = (path: string, database: string | undefined): boolean => {
  if (database === undefined) return false
  const own = identityOf(path)
  return ["", "-wal", "-shm", "-journal"].some(end => identityOf(`${database}${end}`) === own)
}

const refusal = (path: string, why: string): Problem =>
  new Problem("file_path_refused", `the file ${toJson(path)} is not sent: ${why}`)
