import {randomUUID} from "node:crypto"
import {createReadStream, createWriteStream, type ReadStream} from "node:fs"
import {open, rename, rm} from "node:fs/promises"
import {dirname, join} from "node:path"
import {Readable, Transform, type Writable} from "node:stream"
import {pipeline} from "node:stream/promises"
import {constants, createGunzip, createGzip} from "node:zlib"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {freeSpace} from "../../runtime/disk.ts"
import {makePrivateFolder, removeFolder, syncFolder} from "../../runtime/files.ts"
import {requireSameFiles} from "../restore/stage.ts"
import {invalidCheckpoint, isPlainPath, manifestName, readManifest} from "./manifest.ts"
import {noProgress, type Progress} from "./progress.ts"
import {type StoredCheckpoint, sizeOf} from "./store.ts"

/** The fastest: of a database with messages it saves nine tenths of what the usual level does, in a quarter of the time. */
const level = constants.Z_BEST_SPEED

/** What an archive may unpack to. */
export interface ArchiveLimits {
  /** Files. */
  readonly entries: number
  /** Of all files together; less where the disk has less room. */
  readonly bytes: number
  /** Unpacked bytes for each compressed one, once there are more than `free` of them. */
  readonly ratio: number
  /** In bytes. */
  readonly free: number
}

/**
 * Far above what svc writes: a checkpoint has a dozen files and the segments of a Journal, and a database shrinks to a tenth.
 * Zeros, of which bombs are made, shrink to a thousandth.
 */
export const archiveLimits: ArchiveLimits = {entries: 100_000, bytes: 2 ** 40, ratio: 200, free: 64 * 1024 * 1024}

const tooLarge = (why: string): Problem => new Problem("checkpoint_too_large", `the archive is not unpacked: ${why}`)

/** Passes on what was unpacked, and fails as soon as it is too much for what was read of `source`. */
const ratioLimited = (source: ReadStream, {ratio, free}: ArchiveLimits): Transform => {
  let unpacked = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      unpacked += chunk.length
      const isBomb = unpacked > free && unpacked > source.bytesRead * ratio
      pass(isBomb ? tooLarge(`it unpacks to more than ${ratio} times its size`) : null, isBomb ? undefined : chunk)
    },
  })
}

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
  const [warning, ...more] = verification.warnings.filter(text => text.includes(" holds the value of "))
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
 * archive was read to its end. Throws `checkpoint_invalid`, and `checkpoint_too_large` as soon as it passes a limit, leaving
 * nothing.
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
    const archive = typeof input === "string" ? await openArchive(input, limits) : input
    await unpack(archive, folder, progress, limits)
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

const openArchive = async (file: string, limits: ArchiveLimits): Promise<Readable> => {
  const head = Buffer.alloc(2)
  const handle = await open(file, "r").catch(cause => {
    throw new Problem("checkpoint_unknown", `${file} cannot be read: ${messageOf(cause)}`, {cause})
  })
  await handle.read(head, 0, 2, 0).finally(() => handle.close())
  const source = createReadStream(file, {highWaterMark: 1 << 20})
  if (head[0] !== 0x1f || head[1] !== 0x8b) return source
  const plain = ratioLimited(source, limits)
  pipeline(source, createGunzip(), plain).catch(error => plain.destroy(error))
  return plain
}

const unpack = async (
  input: Readable,
  folder: string,
  progress: Progress,
  {entries: mostEntries, bytes: mostBytes}: ArchiveLimits,
): Promise<void> => {
  const {createTarDecoder} = await import("modern-tar")
  const names = new Set<string>()
  // What is promised is compared before a byte of it is written: a full disk would fail the Host beside it.
  const room = Math.min(mostBytes, await freeSpace(folder))
  let done = 0
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
    if (done + size > room) throw tooLarge(`its files have more than ${room} bytes, or than the disk has room for`)
    const target = join(folder, name)
    await makePrivateFolder(dirname(target))
    const file = createWriteStream(target, {flags: "wx", mode: 0o600, flush: true})
    const counted = async function* () {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        done += chunk.length
        progress("reading the archive", done, 0)
        yield chunk
      }
    }
    await pipeline(counted, file)
  }
}
