const headerSize = 32
const frameHeaderSize = 24

/**
 * Returns whether all frames of a write-ahead log form one chain of checksums from the header to the end of the file.
 * SQLite checks the same when it recovers (https://www.sqlite.org/fileformat2.html#walformat). True for an empty log.
 */
export const isWholeChain = (log: Uint8Array): boolean => {
  if (log.length === 0) return true
  if (log.length < headerSize) return false
  const view = new DataView(log.buffer, log.byteOffset, log.length)
  const magic = view.getUint32(0)
  if (magic >>> 1 !== 0x377f0682 >>> 1) return false
  const sums = new Checksum(view, (magic & 1) === 0)
  sums.add(0, 24)
  if (!sums.areAt(24)) return false
  const frameSize = frameHeaderSize + view.getUint32(8)
  let at = headerSize
  for (; at + frameSize <= log.length; at += frameSize) {
    const isOfThisLog = view.getUint32(at + 8) === view.getUint32(16) && view.getUint32(at + 12) === view.getUint32(20)
    sums.add(at, 8)
    sums.add(at + frameHeaderSize, frameSize - frameHeaderSize)
    if (!isOfThisLog || !sums.areAt(at + 16)) return false
  }
  return at === log.length
}

class Checksum {
  readonly #view: DataView
  readonly #isLittle: boolean
  #first = 0
  #second = 0

  constructor(view: DataView, isLittle: boolean) {
    this.#view = view
    this.#isLittle = isLittle
  }

  add(from: number, length: number): void {
    for (let at = from; at < from + length; at += 8) {
      this.#first = (this.#first + this.#view.getUint32(at, this.#isLittle) + this.#second) >>> 0
      this.#second = (this.#second + this.#view.getUint32(at + 4, this.#isLittle) + this.#first) >>> 0
    }
  }

  areAt(at: number): boolean {
    return this.#view.getUint32(at) === this.#first && this.#view.getUint32(at + 4) === this.#second
  }
}
