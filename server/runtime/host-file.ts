import {randomUUID} from "node:crypto"
import {renameSync} from "node:fs"
import {rm} from "node:fs/promises"
import {dirname, join} from "node:path"
import {toJson} from "../../shared/json.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {readJsonIfExists, writeNewFile} from "./files.ts"
import type {ProjectPaths} from "./project.ts"

/** `.svc/host.json` (0600), by which the command line finds the running Host. The Host removes it when it stops. */
export interface HostFile {
  /** Includes `http.base`; has no slash at the end. */
  readonly url: string
  readonly pid: number
  readonly runtimeId: string
  /** The token made for this run. Only in development without `http.token`. */
  readonly token?: string
}

/** Writes the file; `written` runs before any request can come in between. Throws `state_unwritable`. */
export const writeHostFile = async (
  paths: ProjectPaths,
  file: HostFile,
  written: () => void = () => {},
): Promise<void> => {
  const temporary = join(dirname(paths.host), `.${randomUUID()}.tmp`)
  try {
    await writeNewFile(temporary, toJson(file))
    renameSync(temporary, paths.host)
  } catch (cause) {
    await rm(temporary, {force: true}).catch(() => {})
    throw new Problem("state_unwritable", `cannot write ${paths.host}: ${messageOf(cause)}`, {cause})
  }
  written()
}

export const readHostFile = async (paths: ProjectPaths): Promise<HostFile | undefined> => {
  const file = await readJsonIfExists(paths.host)
  return typeof file === "object" && file !== null && "url" in file ? (file as HostFile) : undefined
}

/** Removes the file, unless it is the file of another run. */
export const removeHostFile = async (paths: ProjectPaths, runtimeId: string): Promise<void> => {
  const file = await readHostFile(paths)
  if (file === undefined || file.runtimeId === runtimeId) await rm(paths.host, {force: true})
}
