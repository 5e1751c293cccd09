import {crc32c} from "./crc32c.ts"

/** The header of a record: its length and the CRC-32C of its bytes, 32 bits each, little-endian. */
const headerLength = 8

/** The longest record: a request's body is at most 1 MiB. */
const longest = 4 * 1024 * 1024

/** Returns the bytes of records, each with its header. */
export const frame = (texts: readonly string[]): Buffer => {
  // A character of a text takes at most three bytes.
  const most = texts.reduce((sum, text) => sum + headerLength + 3 * text.length, 0)
  const bytes = Buffer.allocUnsafe(most)
  let offset = 0
  for (const text of texts) {
    const start = offset + headerLength
    const end = start + bytes.write(text, start)
    bytes.writeUInt32LE(end - start, offset)
    bytes.writeUInt32LE(crc32c(bytes, start, end), offset + 4)
    offset = end
  }
  return bytes.subarray(0, offset)
}

/** Where the reading of frames ended: at the end of the bytes, or at an incomplete frame. */
export interface Stop {
  readonly offset: number
  readonly wrong?: string
}

/**
 * Passes the text of each complete frame to `take`, with the offset behind it, until the end or until `take` returns
 * what is wrong. Then the stop is at the start of that frame. With a range, it ends after the first frame that reaches
 * `until`.
 */
export const readFrames = (
  bytes: Buffer,
  take: (text: string, end: number) => string | undefined,
  {from, until}: {readonly from: number; readonly until: number} = {from: 0, until: bytes.length},
): Stop => {
  let offset = from
  while (offset < Math.min(until, bytes.length)) {
    if (bytes.length - offset < headerLength) return {offset, wrong: "it is cut short"}
    const length = bytes.readUInt32LE(offset)
    const start = offset + headerLength
    const end = start + length
    if (length === 0 || length > longest) return {offset, wrong: `its length, ${length}, is impossible`}
    if (end > bytes.length) return {offset, wrong: "it is cut short"}
    if (crc32c(bytes, start, end) !== bytes.readUInt32LE(offset + 4)) {
      return {offset, wrong: "its checksum does not match its bytes"}
    }
    const wrong = take(bytes.toString("utf8", start, end), end)
    if (wrong !== undefined) return {offset, wrong}
    offset = end
  }
  return {offset}
}

/** The offset behind a number of records; it reads only their lengths. */
export const endOfFrames = (bytes: Buffer, records: number): number | undefined => {
  let offset = 0
  for (let record = 0; record < records; record++) {
    if (bytes.length - offset < headerLength) return undefined
    offset += headerLength + bytes.readUInt32LE(offset)
    if (offset > bytes.length) return undefined
  }
  return offset
}
