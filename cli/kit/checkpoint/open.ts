import {randomUUID} from "node:crypto"
import {stat} from "node:fs/promises"
import {basename, dirname, join, resolve} from "node:path"
import type {Readable} from "node:stream"
import {readArchive} from "../../../server/recovery/checkpoint/archive.ts"
import {CheckpointStore, type StoredCheckpoint} from "../../../server/recovery/checkpoint/store.ts"
import type {Progress} from "../../../server/recovery/files/files.ts"
import {leavingNoFolders, removeFolder} from "../../../server/runtime/files.ts"

export type OpenCheckpoint = Pick<StoredCheckpoint, "folder" | "manifest" | "sha256"> & {
  /** It comes from an archive or another folder, not from the project's checkpoints. */
  readonly isForeign: boolean
}

export interface OpenOptions {
  readonly store: CheckpointStore
  readonly temporary: string
  readonly input: Readable
  readonly progress: Progress
}

/** Does work on a checkpoint. `name`: its id, `newest`, its folder, an archive file, or `-` for one on stdin. */
export const withCheckpoint = async <T>(
  name: string,
  {store, temporary, input, progress}: OpenOptions,
  work: (checkpoint: OpenCheckpoint) => Promise<T>,
): Promise<T> => {
  const isArchive = name === "-" || name.includes("/") || /\.(tar|tgz|gz)$/.test(name)
  if (!isArchive) return work({...(await store.get(name)), isForeign: false})
  if ((await stat(name).catch(() => undefined))?.isDirectory() === true) {
    const place = resolve(name)
    return work({...(await new CheckpointStore(dirname(place)).get(basename(place))), isForeign: true})
  }
  const folder = join(temporary, `archive-${randomUUID()}`)
  return leavingNoFolders([folder], async () => {
    try {
      return await work({...(await readArchive(name === "-" ? input : name, folder, progress)), isForeign: true})
    } finally {
      await removeFolder(folder)
    }
  })
}
