import {randomUUID} from "node:crypto"
import {createWriteStream} from "node:fs"
import {open, rename, rm} from "node:fs/promises"
import {dirname, join} from "node:path"
import {Readable, type Writable} from "node:stream"
import {pipeline} from "node:stream/promises"
import {constants, createGzip} from "node:zlib"
import type {Verification} from "../../../shared/api/checkpoint.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {freeSpace, makePrivateFolder, removeFolder, syncFolder} from "../../runtime/files.ts"
import {noProgress, type Progress} from "../files/files.ts"
import {type ArchiveLimits, archiveLimits, noSpace, openFile, plainOf, tooLarge} from "./archive-source.ts"
import {invalidCheckpoint, isPlainPath, manifestName, readManifest, sizeOf} from "./manifest.ts"
import {requireSameFiles} from "./stage.ts"
import type {StoredCheckpoint} from "./store.ts"

/** The fastest level: for a database with messages, it saves nine tenths of what the default saves, in a quarter of the time. */
const level = constants.Z_BEST_SPEED

/**
 * Writes a checkpoint as one tar archive with the manifest last, so that a truncated archive is invalid. Compresses it if the
 * name ends with `.gz` or `.tgz`. Throws `checkpoint_secret_in_data` if its verification names rows with a secret, and
 * `checkpoint_failed` if it was not verified.
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
    if (/\.(tgz|gz)$/.test(output))
      await pipeline(await packed(stored, progress), createGzip({level, chunkSize: 1 << 18}), target)
    else await pipeline(await packed(stored, progress), target)
    await rename(partial, output)
    await syncFolder(dirname(output))
  } catch (cause) {
    await rm(partial, {force: true}).catch(() => {})
    throw new Problem("checkpoint_failed", `cannot write ${output}: ${messageOf(cause)}`, {cause})
  }
}

/** Streams a tar archive, the manifest last. First throws as `writeArchive`. An unreadable file fails the stream. */
export const streamArchive = async (stored: StoredCheckpoint): Promise<ReadableStream<Uint8Array>> => {
  requireClean(stored)
  return Readable.toWeb(await packed(stored, noProgress)) as unknown as ReadableStream<Uint8Array>
}

const requireClean = ({id, verification}: StoredCheckpoint): void => {
  if (verification === undefined || !verification.ok) {
    throw new Problem(
      "checkpoint_failed",
      `${id} ${verification === undefined ? "was not verified" : "cannot be restored"}`,
      {hint: `svc checkpoint verify ${id}`},
    )
  }
  refuseLeaks(id, verification)
}

/** Throws `checkpoint_secret_in_data` if a verification names data with the value of a secret. */
export const refuseLeaks = (id: string, {warnings}: Verification): void => {
  const [warning, ...more] = warnings.filter(text => text.includes(" holds the value of "))
  if (warning !== undefined)
    throw new Problem(
      "checkpoint_secret_in_data",
      `${id}: ${warning}${more.length > 0 ? `, and ${more.length} more` : ""}`,
    )
}

const packed = async ({folder, manifest}: StoredCheckpoint, progress: Progress): Promise<Readable> => {
  // Loaded only here.
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
 * Unpacks an archive into a new folder, durably. It accepts only plain files, each once, and a complete archive. Throws
 * `checkpoint_invalid`, and `checkpoint_too_large` or `checkpoint_no_space` as soon as the archive exceeds a limit; then it
 * leaves nothing behind.
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
    const found = await readManifest(folder, where)
    if (found === undefined) throw invalidCheckpoint(where, "it has no manifest")
    await requireSameFiles(folder, found.manifest, where)
    await syncFolder(folder)
    return {folder, ...found}
  } catch (cause) {
    await removeFolder(folder)
    if (cause instanceof Problem) throw cause
    throw cause instanceof Error && "syscall" in cause
      ? new Problem("checkpoint_failed", `cannot read ${where}: ${messageOf(cause)}`, {cause})
      : invalidCheckpoint(where, messageOf(cause))
  }
}

/** On Node, `Readable.toWeb` may throw outside of every promise once its reader has refused the rest. */
const streamOf = (input: Readable): ReadableStream<Uint8Array> => {
  const pieces: AsyncIterator<Uint8Array> = input[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async controller => {
      const {done, value} = await pieces.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void input.destroy(),
  })
}

/** How many bytes to unpack between two checks of the free space. */
const between = 32 * 1024 * 1024

const unpack = async (input: Readable, folder: string, progress: Progress, limits: ArchiveLimits): Promise<void> => {
  const {entries: mostEntries, bytes: mostBytes, spare, copies} = limits
  const {createTarDecoder} = await import("modern-tar")
  const names = new Set<string>()
  // Compares the sizes in the headers before writing: a full disk would make the running Host fail.
  const room = Math.max(0, ((await freeSpace(folder)) - spare) / copies)
  let done = 0
  let looked = 0
  /** Checks the free space while unpacking, because other programs write to the disk too. */
  const requireSpace = async () => {
    if (spare === 0 || done - looked < between) return
    looked = done
    if ((await freeSpace(folder)) < spare + done * (copies - 1)) throw noSpace(done, limits)
  }
  const entries = streamOf(input).pipeThrough(createTarDecoder({strict: true}))
  for await (const {header, body} of entries as unknown as AsyncIterable<{
    header: {name: string; type?: string; size: number}
    body: ReadableStream<Uint8Array>
  }>) {
    const {name, type = "file", size} = header
    const shown = toJson(name.slice(0, 200))
    if (type !== "file") throw invalidCheckpoint("the archive", `${shown} is a ${type}`)
    if (!isPlainPath(name) || names.has(name)) throw invalidCheckpoint("the archive", `it contains ${shown}`)
    names.add(name)
    if (names.size > mostEntries) throw tooLarge(`it contains more than ${mostEntries} files`)
    if (done + size > mostBytes) throw tooLarge(`its files have more than ${mostBytes} bytes`)
    if (done + size > room) throw noSpace(room, limits)
    if (size === 0) continue
    const target = join(folder, name)
    await makePrivateFolder(dirname(target))
    const file = await open(target, "wx", 0o600)
    try {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        done += chunk.length
        progress("reading the archive", done, 0)
        await requireSpace()
        await file.writeFile(chunk)
      }
    } finally {
      await file.close()
    }
  }
  // Empty files and syncs take most of the time of an archive with many files; a refused one needs neither.
  for (const name of names) {
    await makePrivateFolder(dirname(join(folder, name)))
    const file = await open(join(folder, name), "a", 0o600)
    await file.sync().finally(() => file.close())
  }
}
