import {createHmac, createSecretKey, hash} from "node:crypto"

/** SHA-256's block and digest, in bytes. */
const [block, digest] = [64, 32]

/** The bytes of a usual text; a longer one's own hashing takes longer than all else. */
const room = 4096

export type Algorithm = "sha1" | "sha256" | "sha512"
export type Encoding = "hex" | "base64"

/** Returns the HMAC of a text and the bytes behind it. */
export type Hmac = (before: string, body: Uint8Array) => string

/** With SHA-256 it hashes a usual text twice (RFC 2104): the objects of `createHmac` take Node longer than that. */
export const createHmacOf = (algorithm: Algorithm, encoding: Encoding, key: Uint8Array): Hmac => {
  const whole = createSecretKey(key)
  const plain: Hmac = (before, body) => createHmac(algorithm, whole).update(before).update(body).digest(encoding)
  if (algorithm !== "sha256") return plain
  const short = key.length > block ? hash("sha256", key, "buffer") : key
  const inner = Buffer.alloc(block + room)
  const outer = Buffer.alloc(block + digest)
  for (let at = 0; at < block; at++) {
    inner[at] = 0x36 ^ (short[at] ?? 0)
    outer[at] = 0x5c ^ (short[at] ?? 0)
  }
  return (before, body) => {
    // A code unit takes three bytes at most.
    if (before.length * 3 + body.length > room) return plain(before, body)
    const start = block + inner.write(before, block)
    inner.set(body, start)
    outer.write(hash("sha256", inner.subarray(0, start + body.length), "hex"), block, "hex")
    return hash("sha256", outer, encoding)
  }
}
