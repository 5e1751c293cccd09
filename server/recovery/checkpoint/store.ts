import {randomBytes} from "node:crypto"
import {readdir, rm} from "node:fs/promises"
import {join} from "node:path"
import {Check} from "typebox/schema"
import {
  type CheckpointDetail,
  type CheckpointView,
  checkpointIdPattern,
  type Manifest,
  Verification,
} from "../../../shared/api/checkpoint.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {
  isMissing,
  isThere,
  makePrivateFolder,
  readJsonIfExists,
  removeFolder,
  syncFolder,
  writeFileAtomic,
} from "../../runtime/files.ts"
import {manifestName, readManifest} from "./manifest.ts"

const isId = (name: string) => new RegExp(checkpointIdPattern).test(name)

const verificationEnd = ".verified.json"

/** A checkpoint that has its manifest. */
export interface StoredCheckpoint {
  readonly id: string
  readonly folder: string
  readonly manifest: Manifest
  /** SHA-256 of the manifest's text. */
  readonly sha256: string
  /** What was found when it, as it is now, was last verified. */
  readonly verification: Verification | undefined
}

/** A folder among the checkpoints whose manifest cannot be believed. */
export interface DamagedCheckpoint {
  readonly id: string
  readonly why: string
}

export interface Listing {
  /** Newest first. */
  readonly checkpoints: readonly StoredCheckpoint[]
  readonly damaged: readonly DamagedCheckpoint[]
}

/** The checkpoints of a project: folders that have a manifest. */
export class CheckpointStore {
  readonly root: string

  /** `root`: the folder of all checkpoints. */
  constructor(root: string) {
    this.root = root
  }

  folderOf(id: string): string {
    return join(this.root, id)
  }

  /** An id that is not taken, and its empty folder. */
  async begin(at: Date): Promise<{id: string; folder: string}> {
    await makePrivateFolder(this.root)
    const time = at.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15)
    const id = `${time}-${randomBytes(3).toString("hex")}`
    const folder = this.folderOf(id)
    await makePrivateFolder(folder)
    return {id, folder}
  }

  /** Of all checkpoints, damaged ones too; newest first. */
  async ids(): Promise<string[]> {
    return (await this.#names()).filter(isId).sort().reverse()
  }

  async list(): Promise<Listing> {
    const checkpoints: StoredCheckpoint[] = []
    const damaged: DamagedCheckpoint[] = []
    for (const id of await this.ids()) {
      try {
        const found = await this.#read(id)
        if (found !== undefined) checkpoints.push(found)
      } catch (error) {
        damaged.push({id, why: messageOf(error)})
      }
    }
    return {checkpoints, damaged}
  }

  /** `newest` names the newest one. Throws `checkpoint_unknown`, `checkpoint_invalid`, `checkpoint_newer`. */
  async get(name: string): Promise<StoredCheckpoint> {
    const id = name === "newest" ? (await this.list()).checkpoints[0]?.id : name
    const found = id !== undefined && isId(id) ? await this.#read(id) : undefined
    if (found === undefined) throw new Problem("checkpoint_unknown", `there is no checkpoint ${name}`)
    return found
  }

  /** The newest one that was found sound as it is now. */
  async newestVerified(): Promise<StoredCheckpoint | undefined> {
    return (await this.list()).checkpoints.find(({verification}) => verification?.ok === true)
  }

  async keepVerification(id: string, verification: Verification): Promise<void> {
    await writeFileAtomic(join(this.root, `${id}${verificationEnd}`), toJson(verification))
  }

  /** From its first step on it is no checkpoint any more. */
  async remove(id: string): Promise<void> {
    const folder = this.folderOf(id)
    await rm(join(folder, manifestName), {force: true})
    if (await isThere(folder)) await syncFolder(folder)
    await removeFolder(folder)
    await rm(join(this.root, `${id}${verificationEnd}`), {force: true})
  }

  /** Removes what a process left that died while it made or removed a checkpoint. Only for who may make one. */
  async cleanUp(): Promise<void> {
    const names = await this.#names()
    for (const name of names) {
      const folder = this.folderOf(name)
      const isAbandoned = isId(name) && !(await isThere(join(folder, manifestName)))
      const isOrphan =
        name.endsWith(verificationEnd) && !(await isThere(this.folderOf(name.slice(0, -verificationEnd.length))))
      if (isAbandoned || isOrphan || /^\..*\.tmp$/.test(name)) await removeFolder(folder)
    }
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.root).catch(error => {
      if (isMissing(error)) return []
      throw error
    })
  }

  async #read(id: string): Promise<StoredCheckpoint | undefined> {
    const folder = this.folderOf(id)
    const found = await readManifest(folder)
    if (found === undefined) return undefined
    const {manifest, sha256} = found
    if (manifest.id !== id) throw new Problem("checkpoint_invalid", `${folder} says that it is ${manifest.id}`)
    const kept = await readJsonIfExists(join(this.root, `${id}${verificationEnd}`))
    // A parser has just proved it.
    const verification = Check(Verification, kept) ? (kept as Verification) : undefined
    return {id, folder, manifest, sha256, verification: verification?.manifest === sha256 ? verification : undefined}
  }
}

export const sizeOf = ({files}: Manifest): number => files.reduce((sum, {size}) => sum + size, 0)

export const viewOf = ({id, manifest, verification}: StoredCheckpoint): CheckpointView => ({
  id,
  createdAt: manifest.createdAt,
  state: verification === undefined ? "complete" : verification.ok ? "verified" : "refused",
  reason: manifest.reason,
  size: sizeOf(manifest),
  authority: manifest.authority,
  generation: manifest.generation,
  schema: manifest.database.schema,
  version: manifest.version,
  commit: manifest.code.commit,
  verifiedAt: verification?.at ?? null,
})

export const detailOf = (stored: StoredCheckpoint): CheckpointDetail => ({
  ...viewOf(stored),
  manifest: stored.manifest,
  verification: stored.verification ?? null,
})
