const polynomial = 0x82f63b78

/** Eight tables of 256 numbers in one array, for eight bytes at a time (slicing-by-8). */
const tables = (() => {
  const all = new Int32Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let value = byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1
    all[byte] = value
  }
  for (let index = 256; index < all.length; index++) {
    const value = all[index - 256] ?? 0
    all[index] = (all[value & 255] ?? 0) ^ (value >>> 8)
  }
  return all
})()

/** CRC-32C (Castagnoli, RFC 3720 appendix B.4) of a range of the bytes. */
export const crc32c = (bytes: Uint8Array, start = 0, end = bytes.length): number => {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let value = -1
  let at = start
  for (; at + 8 <= end; at += 8) {
    const one = value ^ words.getInt32(at, true)
    const two = words.getInt32(at + 4, true)
    // The tables have a number for every byte; the zeros only satisfy the compiler.
    value =
      (tables[1792 + (one & 255)] ?? 0) ^
      (tables[1536 + ((one >>> 8) & 255)] ?? 0) ^
      (tables[1280 + ((one >>> 16) & 255)] ?? 0) ^
      (tables[1024 + (one >>> 24)] ?? 0) ^
      (tables[768 + (two & 255)] ?? 0) ^
      (tables[512 + ((two >>> 8) & 255)] ?? 0) ^
      (tables[256 + ((two >>> 16) & 255)] ?? 0) ^
      (tables[two >>> 24] ?? 0)
  }
  for (; at < end; at++) value = (tables[(value ^ (bytes[at] ?? 0)) & 255] ?? 0) ^ (value >>> 8)
  return (value ^ -1) >>> 0
}
