/** The data in a picture's header. */
export interface Header {
  readonly type: "image/png" | "image/jpeg"
  readonly width: number
  readonly height: number
  /** False for a picture that could take the decoder any amount of memory or time. */
  readonly isPlain: boolean
}

/**
 * Reads a picture's header without decoding the picture, because a few bytes may unpack to gigabytes. Undefined for
 * anything but PNG and JPEG.
 */
export const readHeader = (bytes: Buffer): Header | undefined => readPng(bytes) ?? readJpeg(bytes)

/**
 * The size is in the first chunk. With a second IHDR chunk, or interlaced, a picture may unpack to more than its header
 * says.
 */
const readPng = (bytes: Buffer): Header | undefined => {
  if (bytes.length < 33 || bytes.toString("latin1", 0, 16) !== "\x89PNG\r\n\x1a\n\0\0\0\rIHDR") return undefined
  let isPlain = bytes[28] === 0
  for (let at = 33; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    isPlain &&= bytes.toString("latin1", at + 4, at + 8) !== "IHDR"
  return {type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), isPlain}
}

/** Each scan covers the whole picture. About ten are usual, but thousands fit into a small file. */
const mostScans = 30

/** The size is in the segment that starts the frame. */
const readJpeg = (bytes: Buffer): Header | undefined => {
  if (bytes.toString("latin1", 0, 3) !== "\xff\xd8\xff") return undefined
  const scans = bytes.toString("latin1").split("\xff\xda").length - 1
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = bytes.readUInt16BE(at)
    if (marker >= 0xffc0 && marker <= 0xffc2) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return {type: "image/jpeg", width, height, isPlain: scans <= mostScans}
    }
    at += marker === 0xffff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return {type: "image/jpeg", width: 0, height: 0, isPlain: false}
}
