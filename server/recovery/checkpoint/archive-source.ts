import {open} from "node:fs/promises"
import {Readable, Transform} from "node:stream"
import {pipeline} from "node:stream/promises"
import {createGunzip} from "node:zlib"
import {messageOf, Problem} from "../../../shared/problems.ts"

export interface ArchiveLimits {
  /** The most files. */
  readonly entries: number
  /** The most bytes of all files together; the free disk space may lower it. */
  readonly bytes: number
  /** The most unpacked bytes per compressed byte, above `free`. */
  readonly ratio: number
  /** How many unpacked bytes have no limit by `ratio`. */
  readonly free: number
  /** How many bytes must stay free on the disk. */
  readonly spare: number
  /** How many copies must fit on the disk: a verification makes another one. */
  readonly copies: number
}

/**
 * The limits are far above the checkpoints of svc: these have a dozen files and the segments of a Journal, and a database
 * shrinks to a tenth. The zeros of an archive bomb shrink to a thousandth.
 */
export const archiveLimits: ArchiveLimits = {
  entries: 100_000,
  bytes: 2 ** 40,
  ratio: 200,
  free: 64 * 1024 * 1024,
  spare: 0,
  copies: 1,
}

export const tooLarge = (why: string): Problem =>
  new Problem("checkpoint_too_large", `svc does not unpack the archive: ${why}`)

const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MiB`

export const noSpace = (room: number, {spare, copies}: ArchiveLimits): Problem =>
  new Problem(
    "checkpoint_no_space",
    [
      `svc does not unpack the archive: the disk has room for only ${mebibytes(room)} of it`,
      ...(copies > 1 ? ["because its verification makes a copy"] : []),
      ...(spare > 0 ? [`and ${mebibytes(spare)} must stay free`] : []),
    ].join(", "),
  )

/** Passes unpacked bytes on, and fails as soon as their ratio to the bytes read is too high. */
const ratioLimited = (bytesRead: () => number, {ratio, free}: ArchiveLimits): Transform => {
  let unpacked = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      unpacked += chunk.length
      const isBomb = unpacked > free && unpacked > bytesRead() * ratio
      pass(isBomb ? tooLarge(`it unpacks to more than ${ratio} times its size`) : null, isBomb ? undefined : chunk)
    },
  })
}

/** Opens an archive file. Throws `checkpoint_unknown`. */
export const openFile = async (file: string): Promise<Readable> => {
  const handle = await open(file, "r").catch(cause => {
    throw new Problem("checkpoint_unknown", `cannot read ${file}: ${messageOf(cause)}`, {cause})
  })
  return handle.createReadStream({highWaterMark: 1 << 20})
}

/** Resolves to the tar stream of an archive, and decompresses it if its first bytes say so. Fails with `checkpoint_too_large` for a bomb. */
export const plainOf = async (source: Readable, limits: ArchiveLimits): Promise<Readable> => {
  const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]()
  const begun: Buffer[] = []
  let read = 0
  while (read < 2) {
    const {done, value} = await pieces.next()
    if (done === true) break
    begun.push(value)
    read += value.length
  }
  const head = Buffer.concat(begun)
  const all = async function* () {
    try {
      if (head.length > 0) yield head
      for (;;) {
        const {done, value} = await pieces.next()
        if (done === true) return
        read += value.length
        yield value
      }
    } finally {
      await pieces.return?.()
    }
  }
  const whole = Readable.from(all(), {objectMode: false})
  if (head[0] !== 0x1f || head[1] !== 0x8b) return whole
  const plain = ratioLimited(() => read, limits)
  pipeline(whole, createGunzip(), plain).catch(error => plain.destroy(error))
  return plain
}
