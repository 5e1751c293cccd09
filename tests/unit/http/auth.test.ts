import {expect, test} from "vitest"
import {createVerifier} from "../../../server/http/requests/auth.ts"
import {createSignatureLimit} from "../../../server/http/requests/signature-limit.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Call} from "../../../shared/route.ts"
import {Secret} from "../../../shared/secret.ts"

const until = "2026-12-01T18:00:00Z"
const end = Date.parse(until)

const rotating = () => {
  let now = end - 1
  const verify = createVerifier(
    {
      token: new Secret("the-new-token"),
      previousToken: {token: new Secret("the-old-token"), until},
      demoToken: new Secret("the-demo-token"),
    },
    () => now,
  )
  const scopes = () =>
    ["the-new-token", "the-old-token", "the-demo-token", "none"].map(each => verify(`Bearer ${each}`))
  return {
    scopes,
    at: (time: number) => {
      now = time
      return scopes()
    },
  }
}

test("the previous token has the full scope until it expires", () => {
  const {at} = rotating()
  expect(at(end - 1)).toEqual(["full", "full", "demo", undefined])
  expect(at(end)).toEqual(["full", undefined, "demo", undefined])
  expect(at(end + 1)).toEqual(["full", undefined, "demo", undefined])
})

test("an expired token stays expired when the clock is set back", () => {
  const {at} = rotating()
  expect(at(end)[1]).toBeUndefined()
  expect(at(end - 86_400_000)).toEqual(["full", undefined, "demo", undefined])
})

test.each([
  ["the-token", "demo"],
  ["a-demo-token-of-more-than-a-block", "x"],
  ["schlüssel", "ключ"],
])("only the whole token %s or %s opens the door", (full, demo) => {
  const verify = createVerifier({token: new Secret(full), demoToken: new Secret(demo)})
  for (const [token, scope] of [
    [full, "full"],
    [demo, "demo"],
  ] as const) {
    expect(verify(`Bearer ${token}`)).toBe(scope)
    const others = [`${token}x`, `${token}\0`, `x${token}`, token.slice(0, -1), `${token.slice(0, -1)}\0`, `${token}é`]
    for (const other of ["", "\0", token.repeat(9), token.toUpperCase(), ...others])
      expect(verify(`Bearer ${other}`), other).toBeUndefined()
    expect(verify(`Bearer ${token}`)).toBe(scope)
  }
  expect(createVerifier({token: undefined, demoToken: undefined})("Bearer ")).toBeUndefined()
})

test("wrong signatures are counted by hook, although a gateway gives all partners one address", async () => {
  const handle = createSignatureLimit(() => "192.0.2.1")<Pick<Call, "params">>(() => {
    throw new Problem("signature_invalid", "no")
  })
  const failing = async (endpoint: string, code: string) =>
    expect(async () => handle(new Request("http://a"), {params: {plugin: "shop", endpoint}})).rejects.toMatchObject({
      code,
    })
  for (let n = 0; n < 10; n++) await failing("one", "signature_invalid")
  await failing("one", "too_many_failures")
  await failing("two", "signature_invalid")
})
