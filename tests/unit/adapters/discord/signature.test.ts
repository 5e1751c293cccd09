import {generateKeyPairSync, sign} from "node:crypto"
import {describe, expect, test} from "vitest"
import {isSignedBy, readPublicKey, requireSigned} from "../../../../server/adapters/discord/interactions/signature.ts"

/** RFC 8032, section 7.1: public key, message, signature. */
const vectors = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
  [
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  ],
] as const

describe("Ed25519, with the vectors of RFC 8032,", () => {
  test.each(vectors)("accepts the signature of %s", (key, message, signature) => {
    expect(isSignedBy(readPublicKey(key), Buffer.from(message, "hex"), signature)).toBe(true)
  })

  test.each(vectors)("refuses another message of %s", (key, message, signature) => {
    expect(isSignedBy(readPublicKey(key), Buffer.from(`${message}00`, "hex"), signature)).toBe(false)
  })

  test("refuses the signature of another key, and an invalid one", () => {
    const key = readPublicKey(vectors[1][0])
    for (const signature of [vectors[2][2], "", "00", vectors[1][2].slice(2), `${vectors[1][2]}00`, "zz".repeat(64)])
      expect(isSignedBy(key, Buffer.from("72", "hex"), signature)).toBe(false)
  })
})

describe("a request of Discord", () => {
  const {privateKey, publicKey} = generateKeyPairSync("ed25519")
  const key = readPublicKey(Buffer.from(String(publicKey.export({format: "jwk"}).x), "base64url").toString("hex"))
  const now = 1_700_000_000_000
  const body = Buffer.from('{"type": 1}')
  const headersOf = (timestamp: string, signed = body) =>
    new Headers({
      "x-signature-timestamp": timestamp,
      "x-signature-ed25519": sign(null, Buffer.concat([Buffer.from(timestamp), signed]), privateKey).toString("hex"),
    })
  const seconds = (offset: number) => String(now / 1000 + offset)

  test("is accepted within five minutes of its time", () => {
    for (const offset of [0, 299, -299]) requireSigned(key, headersOf(seconds(offset)), body, now)
  })

  test.each([
    ["has no signature", new Headers(), /are missing/],
    ["is too old", headersOf(seconds(-301)), /five minutes old/],
    ["is too new", headersOf(seconds(301)), /five minutes ahead/],
    ["has another body", headersOf(seconds(0), Buffer.from('{"type": 2}')), /does not match this body/],
    ["has an invalid time", headersOf("soon"), /x-signature-timestamp/],
    ["has a time with more digits", headersOf("1700000000.5"), /x-signature-timestamp/],
  ])("that %s is refused", (_, headers, why) => expect(() => requireSigned(key, headers, body, now)).toThrow(why))
})
