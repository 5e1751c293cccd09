/** The header block of a tar entry (POSIX ustar). */
export const tarHeader = (name: string, size: number, type = "0"): Buffer => {
  const block = Buffer.alloc(512)
  block.write(name, 0)
  block.write("0000600\0", 100)
  block.write("0000000\0", 108)
  block.write("0000000\0", 116)
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124)
  block.write("00000000000\0", 136)
  block.write("        ", 148)
  block.write(`${type}`, 156)
  block.write("ustar\x0000", 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return block
}
