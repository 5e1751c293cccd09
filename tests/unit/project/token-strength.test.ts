import {randomBytes} from "node:crypto"
import {expect, test} from "vitest"
import {estimatedBits, wantedBits, weaknessOf} from "../../../server/project/token-strength.ts"
import {placeholderToken} from "../../../shared/config/config.ts"

test.each([
  placeholderToken,
  "changemechangeme",
  "my-secret-token-1",
  "Password12345678",
  "ADMIN_TOKEN_2026!",
  "0123456789abcdef0123456789abcdef",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjkl",
  "12345678901234567890",
  "00000000000000000000",
  "abababababababab",
])("%s is a word or sequence that production refuses", token => {
  expect(weaknessOf(token)).toBe("consists of common words and sequences, which attackers try first")
})

test("fifteen characters are refused, sixteen are accepted, and generated tokens always are", () => {
  expect(weaknessOf("k3jf9-zq1xv7mp2")).toBe("has fewer than 16 characters")
  expect(weaknessOf("k3jf9-zq1xv7mp2r")).toBeUndefined()
  expect(weaknessOf("a-token-of-thirty-two-characters")).toBeUndefined()
  expect(weaknessOf("7a91a0a3348a2a56190a8837a4512a09")).toBeUndefined()
  for (let round = 0; round < 2000; round++) {
    const bytes = randomBytes(32)
    for (const token of [bytes.toString("hex"), bytes.toString("base64url"), bytes.subarray(0, 16).toString("hex")]) {
      expect(weaknessOf(token)).toBeUndefined()
      expect(estimatedBits(token)).toBeGreaterThanOrEqual(wantedBits)
    }
  }
})

test("the estimate uses the length, the distinct characters, and a repeated part once", () => {
  expect(estimatedBits("0123456789abcdef".repeat(4))).toBe(64)
  expect(estimatedBits("8f3a".repeat(16))).toBe(16)
  expect(estimatedBits("9".repeat(20))).toBe(3)
  expect(estimatedBits("k3jf9zq1xv7mp2rs")).toBe(82)
  expect(estimatedBits("k3jf-9zq1-xv7m-p2rs")).toBe(98)
  expect(estimatedBits("")).toBe(0)
})
