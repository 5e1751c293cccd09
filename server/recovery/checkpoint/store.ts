import {randomBytes} from "node:crypto"
import {readdir, rename, rm} from "node:fs/promises"
import {join} from "node:path"
import {
  type CheckpointDetail,
  type CheckpointView,
  checkpointIdPattern,
  type Manifest,
  Verification,
} from "../../../shared/api/checkpoint.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {ifThere, isThere, lookAt, makePrivateFolder, syncFolder, writeFileAtomic} from "../../runtime/files.ts"
import {removeTree} from "../files/files.ts"
import {readStored} from "../files/stored-json.ts"
import {manifestName, readManifest, type Sealed, sizeOf} from "./manifest.ts"

const isId = (name: string) => new RegExp(checkpointIdPattern).test(name)

const verificationEnd = ".verified.json"

/** The end of the note beside an uploaded checkpoint, which is written before the checkpoint is stored. */
const uploadEnd = ".uploaded.json"

const UploadNote = Type.Object({at: Type.String()})

/** The ends of the notes beside a checkpoint's folder; each follows its id. */
const notes = [verificationEnd, uploadEnd] as const

/** A checkpoint without the list of its files, which may be long. */
export interface ListedCheckpoint {
  readonly id: string
  readonly folder: string
  readonly manifest: Omit<Manifest, "files" | "seal">
  /** The bytes of its files. */
  readonly size: number
  /** SHA-256 of the manifest's text. */
  readonly sha256: string
  /** The last verification of its present content. */
  readonly verification: Verification | undefined
  /** The time of the upload; undefined for a checkpoint that was made here. */
  readonly uploadedAt: string | undefined
}

/** A checkpoint with its whole manifest. */
export interface StoredCheckpoint extends ListedCheckpoint {
  readonly manifest: Manifest
}

/** A folder among the checkpoints with an invalid manifest. */
export interface DamagedCheckpoint {
  readonly id: string
  readonly why: string
}

export interface Listing {
  /** The newest comes first. */
  readonly checkpoints: readonly ListedCheckpoint[]
  readonly damaged: readonly DamagedCheckpoint[]
}

interface Known extends Sealed {
  readonly state: string | undefined
  readonly manifest: ListedCheckpoint["manifest"]
}

/** The checkpoints of a project: folders with a manifest. */
export class CheckpointStore {
  readonly root: string
  /** The manifests that were read completely, until their files change. */
  readonly #known = new Map<string, Known>()

  /** `root` is the folder of all checkpoints. */
  constructor(root: string) {
    this.root = root
  }

  folderOf(id: string): string {
    return join(this.root, id)
  }

  /** Creates an unused id and its empty folder. */
  async begin(at: Date): Promise<{id: string; folder: string}> {
    await makePrivateFolder(this.root)
    const time = at.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15)
    // The milliseconds sort two checkpoints of the same second.
    const milliseconds = at.getUTCMilliseconds().toString(16).padStart(3, "0")
    const id = `${time}-${milliseconds}${randomBytes(2).toString("hex").slice(1)}`
    const folder = this.folderOf(id)
    await makePrivateFolder(folder)
    return {id, folder}
  }

  /** Resolves to the ids of all checkpoints, including damaged ones, newest first. */
  async ids(): Promise<string[]> {
    return (await this.#names()).filter(isId).sort().reverse()
  }

  async list(): Promise<Listing> {
    const checkpoints: ListedCheckpoint[] = []
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

  /** `newest` is the newest made here. Throws `checkpoint_unknown`, `checkpoint_invalid`, `checkpoint_newer`. */
  async find(name: string): Promise<ListedCheckpoint> {
    const id = name === "newest" ? (await this.list()).checkpoints.find(isMadeHere)?.id : name
    const found = id !== undefined && isId(id) ? await this.#read(id) : undefined
    if (found === undefined && name === "newest" && (await this.ids()).length > 0)
      throw new Problem("checkpoint_unknown", "no checkpoint was made here; name an uploaded one by its id")
    if (found === undefined) throw new Problem("checkpoint_unknown", `there is no checkpoint ${name}`)
    return found
  }

  /** Resolves to a checkpoint with its whole manifest. Throws the problems of `find`. */
  async get(name: string): Promise<StoredCheckpoint> {
    const found = await this.find(name)
    const whole = await readManifest(found.folder)
    if (whole === undefined) throw new Problem("checkpoint_unknown", `there is no checkpoint ${name}`)
    return {...found, ...whole}
  }

  /** Resolves to the newest verified checkpoint that was made here. */
  async newestVerified(): Promise<ListedCheckpoint | undefined> {
    return newestSound((await this.list()).checkpoints)
  }

  /** Resolves to the SHA-256 of a checkpoint's manifest, to null if it has no valid one, or to undefined if the id is unused. */
  async sealOf(id: string): Promise<string | null | undefined> {
    if (!(await isThere(this.folderOf(id)))) return undefined
    return (await this.#read(id).catch(() => undefined))?.sha256 ?? null
  }

  /** Adds a verified checkpoint from elsewhere, marked as uploaded. Its folder must be on the same file system. */
  async adopt(id: string, folder: string, verification: Verification): Promise<StoredCheckpoint> {
    try {
      await this.#write(id, uploadEnd, {at: new Date().toISOString()} satisfies Static<typeof UploadNote>)
      await this.keepVerification(id, verification)
      await rename(folder, this.folderOf(id))
      await syncFolder(this.root)
    } catch (cause) {
      for (const end of notes) await rm(join(this.root, `${id}${end}`), {force: true})
      throw cause
    }
    return this.get(id)
  }

  /** Resolves to a complete checkpoint from what its manifest says, which is not read again before it changes. */
  async describe(
    id: string,
    manifest: ListedCheckpoint["manifest"],
    {sha256, size}: Sealed,
    state = stateOf(this.folderOf(id)),
  ): Promise<ListedCheckpoint> {
    this.#known.set(id, {manifest, sha256, size, state})
    const noted = await readStored(join(this.root, `${id}${verificationEnd}`), Verification)
    const verification = noted?.manifest === sha256 ? noted : undefined
    return {id, folder: this.folderOf(id), manifest, size, sha256, verification, uploadedAt: await this.#uploadOf(id)}
  }

  async keepVerification(id: string, verification: Verification): Promise<void> {
    await this.#write(id, verificationEnd, verification)
  }

  /** Deletes a checkpoint. It becomes invalid with the first step. */
  async remove(id: string): Promise<void> {
    const folder = this.folderOf(id)
    this.#known.delete(id)
    await rm(join(folder, manifestName), {force: true})
    if (await isThere(folder)) await syncFolder(folder)
    await removeTree(folder)
    for (const end of notes) await rm(join(this.root, `${id}${end}`), {force: true})
  }

  /** Deletes leftovers of a process that died while it created or deleted a checkpoint. Only for the holder of the project. */
  async cleanUp(): Promise<void> {
    const names = await this.#names()
    for (const name of names) {
      const folder = this.folderOf(name)
      const isAbandoned = isId(name) && !(await isThere(join(folder, manifestName)))
      const end = notes.find(each => name.endsWith(each))
      const isOrphan = end !== undefined && !(await isThere(this.folderOf(name.slice(0, -end.length))))
      if (isAbandoned || isOrphan || /^\..*\.tmp$/.test(name)) await removeTree(folder)
    }
  }

  async #write(id: string, end: (typeof notes)[number], note: object): Promise<void> {
    await writeFileAtomic(join(this.root, `${id}${end}`), toJson(note))
  }

  /** Resolves to the time of the upload. An unreadable note still marks the checkpoint as uploaded. */
  async #uploadOf(id: string): Promise<string | undefined> {
    const path = join(this.root, `${id}${uploadEnd}`)
    if (!(await isThere(path))) return undefined
    return (await readStored(path, UploadNote))?.at ?? new Date(0).toISOString()
  }

  async #names(): Promise<readonly string[]> {
    return (await ifThere(readdir(this.root))) ?? []
  }

  async #read(id: string): Promise<ListedCheckpoint | undefined> {
    const folder = this.folderOf(id)
    const state = stateOf(folder)
    const known = this.#known.get(id)
    if (known !== undefined && known.state === state) return this.describe(id, known.manifest, known)
    const found = await readManifest(folder)
    if (found === undefined) return undefined
    const {files, seal: _, ...manifest} = found.manifest
    if (manifest.id !== id) throw new Problem("checkpoint_invalid", `${folder} has the manifest of ${manifest.id}`)
    return this.describe(id, manifest, {sha256: found.sha256, size: sizeOf({files})}, state)
  }
}

/** Returns a text that changes with a checkpoint's manifest; undefined if there is none. */
const stateOf = (folder: string): string | undefined => {
  const found = lookAt(join(folder, manifestName))
  return found && `${found.identity} ${found.size} ${found.changedAt}`
}

/** Returns whether this project made the checkpoint. Only these count as its backups, not uploaded ones. */
export const isMadeHere = ({uploadedAt}: ListedCheckpoint): boolean => uploadedAt === undefined

/** Returns the newest verified checkpoint that was made here; the list must be sorted, newest first. */
export const newestSound = (checkpoints: readonly ListedCheckpoint[]): ListedCheckpoint | undefined =>
  checkpoints.find(each => isMadeHere(each) && each.verification?.ok === true)

export const viewOf = ({id, manifest, size, verification, uploadedAt}: ListedCheckpoint): CheckpointView => ({
  id,
  createdAt: manifest.createdAt,
  state: verification === undefined ? "complete" : verification.ok ? "verified" : "refused",
  reason: manifest.reason,
  size,
  authority: manifest.authority,
  generation: manifest.generation,
  schema: manifest.database.schema,
  version: manifest.version,
  commit: manifest.code.commit,
  verifiedAt: verification?.at ?? null,
  uploadedAt: uploadedAt ?? null,
})

export const detailOf = (stored: StoredCheckpoint): CheckpointDetail => ({
  ...viewOf(stored),
  manifest: stored.manifest,
  verification: stored.verification ?? null,
})
