import {expect, test} from "vitest"
import {createVerifier} from "../../../server/http/auth.ts"
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
