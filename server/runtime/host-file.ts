import {rm} from "node:fs/promises"
import {toJson} from "../../shared/json.ts"
import {readJsonIfExists, writeFileAtomic} from "./files.ts"
import type {ProjectPaths} from "./project.ts"

/** `.svc/host.json` (0600): how the command line finds the running Host. Removed when the Host stops. */
export interface HostFile {
  /** With `http.base`, without a slash at the end. */
  readonly url: string
  readonly pid: number
  readonly runtimeId: string
  /** Only in development without `http.token`: the token made for this run. */
  readonly token?: string
}

export const writeHostFile = (paths: ProjectPaths, file: HostFile): Promise<void> =>
  writeFileAtomic(paths.host, toJson(file))

export const readHostFile = async (paths: ProjectPaths): Promise<HostFile | undefined> => {
  const file = await readJsonIfExists(paths.host)
  return typeof file === "object" && file !== null && "url" in file ? (file as HostFile) : undefined
}

/** Leaves the file of another run. */
export const removeHostFile = async (paths: ProjectPaths, runtimeId: string): Promise<void> => {
  const file = await readHostFile(paths)
  if (file === undefined || file.runtimeId === runtimeId) await rm(paths.host, {force: true})
}
