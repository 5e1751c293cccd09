import {randomUUID} from "node:crypto"
import {createWriteStream} from "node:fs"
import {rename, rm} from "node:fs/promises"
import {dirname, join} from "node:path"
import {Readable, type Writable} from "node:stream"
import {pipeline} from "node:stream/promises"
import {constants, createGzip} from "node:zlib"
import type {Verification} from "../../../shared/api/checkpoint.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {freeSpace} from "../../runtime/disk.ts"
import {makePrivateFolder, removeFolder, syncFolder} from "../../runtime/files.ts"
import {requireSameFiles} from "../restore/stage.ts"
import {type ArchiveLimits, archiveLimits, noSpace, openFile, plainOf, tooLarge} from "./archive-source.ts"
import {invalidCheckpoint, isPlainPath, manifestName, readManifest} from "./manifest.ts"
import {noProgress, type Progress} from "./progress.ts"
import {type StoredCheckpoint, sizeOf} from "./store.ts"

/** The fastest: of a database with messages it saves nine tenths of what the usual level does, in a quarter of the time. */
const level = constants.Z_BEST_SPEED

const isCompressed = (file: string) => /\.(tgz|gz)$/.test(file)

/**
 * Writes a checkpoint as one tar archive, the manifest last: what is cut short is none. Compressed where the name ends
 * with `.gz` or `.tgz`. Throws `checkpoint_secret_in_data` where its verification names rows that hold a secret, and
 * `checkpoint_failed` where it was not verified.
 */
export const writeArchive = async (
  stored: StoredCheckpoint,
  output: string | Writable,
  progress: Progress = noProgress,
): Promise<void> => {
  requireClean(stored)
  if (typeof output !== "string") return pipeline(await packed(stored, progress), output)
  const partial = join(dirname(output), `.${randomUUID()}.tmp`)
  try {
    const target = createWriteStream(partial, {flags: "wx", mode: 0o600, flush: true})
    if (isCompressed(output))
      await pipeline(await packed(stored, progress), createGzip({level, chunkSize: 1 << 18}), target)
    else await pipeline(await packed(stored, progress), target)
    await rename(partial, output)
    await syncFolder(dirname(output))
  } catch (cause) {
    await rm(partial, {force: true}).catch(() => {})
    throw new Problem("checkpoint_failed", `${output} was not written: ${messageOf(cause)}`, {cause})
  }
}

/**
 * A checkpoint as one tar archive that is read as it comes, the manifest last. Throws what `writeArchive` refuses before anything is
 * read; a file that cannot be read later ends the stream with its error.
 */
export const streamArchive = async (stored: StoredCheckpoint): Promise<ReadableStream<Uint8Array>> => {
  requireClean(stored)
  return Readable.toWeb(await packed(stored, noProgress)) as unknown as ReadableStream<Uint8Array>
}

const requireClean = ({id, verification}: StoredCheckpoint): void => {
  if (verification === undefined || !verification.ok) {
    throw new Problem(
      "checkpoint_failed",
      `${id} ${verification === undefined ? "was not verified" : "is not fit to restore"}`,
      {
        hint: `svc checkpoint verify ${id}`,
      },
    )
  }
  refuseLeaks(id, verification)
}

/** Throws `checkpoint_secret_in_data` where a verification names data that holds the value of a secret. */
export const refuseLeaks = (id: string, {warnings}: Verification): void => {
  const [warning, ...more] = warnings.filter(text => text.includes(" holds the value of "))
  if (warning !== undefined)
    throw new Problem(
      "checkpoint_secret_in_data",
      `${id}: ${warning}${more.length > 0 ? `, and ${more.length} more` : ""}`,
    )
}

const packed = async ({folder, manifest}: StoredCheckpoint, progress: Progress): Promise<Readable> => {
  // Loaded only for this.
  const {packTar} = await import("modern-tar/fs")
  const names = [...manifest.files.map(({path}) => path), manifestName]
  const archive = packTar(names.map(name => ({type: "file", source: join(folder, name), target: name, mode: 0o600})))
  const total = sizeOf(manifest)
  let done = 0
  return Readable.from(
    (async function* () {
      for await (const chunk of archive) {
        done += chunk.length
        progress("writing the archive", Math.min(done, total), total)
        yield chunk
      }
    })(),
    {objectMode: false},
  )
}

/**
 * Unpacks an archive into a new folder, durably: plain files only, each once, and the folder is complete only when the
 * archive was read to its end. Throws `checkpoint_invalid`, and `checkpoint_too_large` or `checkpoint_no_space` as soon as it
 * passes a limit, leaving nothing.
 */
export const readArchive = async (
  input: string | Readable,
  folder: string,
  progress: Progress = noProgress,
  limits: ArchiveLimits = archiveLimits,
): Promise<Pick<StoredCheckpoint, "folder" | "manifest" | "sha256">> => {
  const where = typeof input === "string" ? input : "the archive"
  try {
    await makePrivateFolder(folder)
    const source = typeof input === "string" ? await openFile(input) : input
    await unpack(await plainOf(source, limits), folder, progress, limits)
    const found = await readManifest(folder)
    if (found === undefined) throw invalidCheckpoint(where, "it has no manifest")
    await requireSameFiles(folder, found.manifest)
    await syncFolder(folder)
    return {folder, ...found}
  } catch (cause) {
    await removeFolder(folder)
    if (cause instanceof Problem) throw cause
    throw isSystemError(cause)
      ? new Problem("checkpoint_failed", `${where} was not read: ${messageOf(cause)}`, {cause})
      : invalidCheckpoint(where, messageOf(cause))
  }
}

const isSystemError = (cause: unknown) => cause instanceof Error && "syscall" in cause

/** The disk is looked at again after so many bytes. */
const between = 32 * 1024 * 1024

const unpack = async (input: Readable, folder: string, progress: Progress, limits: ArchiveLimits): Promise<void> => {
  const {entries: mostEntries, bytes: mostBytes, spare, copies} = limits
  const {createTarDecoder} = await import("modern-tar")
  const names = new Set<string>()
  // What is promised is compared before a byte of it is written: a full disk would fail the Host beside it.
  const room = Math.max(0, ((await freeSpace(folder)) - spare) / copies)
  let done = 0
  let looked = 0
  /** Others write to the disk too. */
  const requireSpace = async () => {
    if (spare === 0 || done - looked < between) return
    looked = done
    if ((await freeSpace(folder)) < spare + done * (copies - 1)) throw noSpace(done, limits)
  }
  // Node's types of the two kinds of streams differ, their values do not.
  const entries = (Readable.toWeb(input) as unknown as ReadableStream<Uint8Array>).pipeThrough(
    createTarDecoder({strict: true}),
  )
  for await (const {header, body} of entries as unknown as AsyncIterable<{
    header: {name: string; type?: string; size: number}
    body: ReadableStream<Uint8Array>
  }>) {
    const {name, type = "file", size} = header
    if (type !== "file") throw invalidCheckpoint("the archive", `${toJson(name)} is a ${type}`)
    if (!isPlainPath(name) || names.has(name)) throw invalidCheckpoint("the archive", `it holds ${toJson(name)}`)
    names.add(name)
    if (names.size > mostEntries) throw tooLarge(`it holds more than ${mostEntries} files`)
    if (done + size > mostBytes) throw tooLarge(`its files have more than ${mostBytes} bytes`)
    if (done + size > room) throw noSpace(room, limits)
    const target = join(folder, name)
    await makePrivateFolder(dirname(target))
    const file = createWriteStream(target, {flags: "wx", mode: 0o600, flush: true})
    const counted = async function* () {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        done += chunk.length
        progress("reading the archive", done, 0)
        await requireSpace()
        yield chunk
      }
    }
    await pipeline(counted, file)
  }
}
