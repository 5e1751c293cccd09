import {createHmac, createSecretKey, hash} from "node:crypto"

/** SHA-256's block and digest, in bytes. */
const [block, digest] = [64, 32]

/** The bytes of a usual text; a longer one's own hashing takes longer than all else. */
const room = 4096

/**
 * Returns a function that returns the HMAC-SHA256 of a text in base64. It hashes a usual text twice, as RFC 2104 says,
 * because `createHmac` makes objects that take Node longer than the hashing.
 */
export const createHmacSha256 = (key: Uint8Array): ((text: string) => string) => {
  const whole = createSecretKey(key)
  const short = key.length > block ? hash("sha256", key, "buffer") : key
  const inner = Buffer.alloc(block + room)
  const outer = Buffer.alloc(block + digest)
  for (let at = 0; at < block; at++) {
    inner[at] = 0x36 ^ (short[at] ?? 0)
    outer[at] = 0x5c ^ (short[at] ?? 0)
  }
  return text => {
    // A code unit takes three bytes at most.
    if (text.length * 3 > room) return createHmac("sha256", whole).update(text).digest("base64")
    const end = block + inner.write(text, block)
    outer.write(hash("sha256", inner.subarray(0, end), "hex"), block, "hex")
    return hash("sha256", outer, "base64")
  }
}
