const polynomial = 0x82f63b78

/** Four tables, so that four bytes are taken at a time (slicing-by-4). */
const tables = (() => {
  const all = [0, 1, 2, 3].map(() => new Uint32Array(256))
  const [first = new Uint32Array(256)] = all
  for (let byte = 0; byte < 256; byte++) {
    let value = byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1
    first[byte] = value
  }
  for (const [index, table] of all.entries()) {
    const before = all[index - 1]
    if (before === undefined) continue
    for (let byte = 0; byte < 256; byte++) {
      const value = before[byte] ?? 0
      table[byte] = (first[value & 255] ?? 0) ^ (value >>> 8)
    }
  }
  return all as [Uint32Array, Uint32Array, Uint32Array, Uint32Array]
})()

/** CRC-32C (Castagnoli, RFC 3720 appendix B.4) of some of the bytes. */
export const crc32c = (bytes: Uint8Array, start = 0, end = bytes.length): number => {
  const [one, two, three, four] = tables
  let value = 0xffffffff
  let at = start
  for (; at + 4 <= end; at += 4) {
    value ^=
      Number(bytes[at]) | (Number(bytes[at + 1]) << 8) | (Number(bytes[at + 2]) << 16) | (Number(bytes[at + 3]) << 24)
    value =
      Number(four[value & 255]) ^
      Number(three[(value >>> 8) & 255]) ^
      Number(two[(value >>> 16) & 255]) ^
      Number(one[value >>> 24])
  }
  for (; at < end; at++) value = Number(one[(value ^ Number(bytes[at])) & 255]) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
