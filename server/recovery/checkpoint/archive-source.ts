import {open} from "node:fs/promises"
import {Readable, Transform} from "node:stream"
import {pipeline} from "node:stream/promises"
import {createGunzip} from "node:zlib"
import {messageOf, Problem} from "../../../shared/problems.ts"

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
  /** So many bytes stay free on the disk. */
  readonly spare: number
  /** The disk must have room for it so many times: a verification copies it. */
  readonly copies: number
}

/**
 * Far above what svc writes: a checkpoint has a dozen files and the segments of a Journal, and a database shrinks to a tenth.
 * Zeros, of which bombs are made, shrink to a thousandth.
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
  new Problem("checkpoint_too_large", `the archive is not unpacked: ${why}`)

const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 ** 2)} MiB`

export const noSpace = (room: number, {spare, copies}: ArchiveLimits): Problem =>
  new Problem(
    "checkpoint_no_space",
    [
      `the archive is not unpacked: the disk has room for ${mebibytes(room)} of it`,
      ...(copies > 1 ? ["as its verification copies it"] : []),
      ...(spare > 0 ? [`and ${mebibytes(spare)} stay free`] : []),
    ].join(", "),
  )

/** Passes on what was unpacked, and fails as soon as it is too much for what was read. */
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

/** Throws `checkpoint_unknown`. */
export const openFile = async (file: string): Promise<Readable> => {
  const handle = await open(file, "r").catch(cause => {
    throw new Problem("checkpoint_unknown", `${file} cannot be read: ${messageOf(cause)}`, {cause})
  })
  return handle.createReadStream({highWaterMark: 1 << 20})
}

/** An archive as it comes, compressed or not, which its first bytes tell: its tar. Fails with `checkpoint_too_large` for a bomb. */
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
