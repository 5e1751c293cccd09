import {expect, test} from "vitest"
import {collectRegistrations} from "../../../server/generation/instances/registrations.ts"
import {pluginPath} from "../../../shared/ids.ts"

const listeningFor = (...types: readonly string[]) => {
  const path = pluginPath("stars")
  const {declaring, notes} = collectRegistrations(path)
  // A plugin in JavaScript may name any event.
  for (const type of types) declaring.on(type as "internal", () => {})
  return notes(() => "")
}

test("an event that Satori does not have is reported once, with a suggestion", () => {
  expect(listeningFor("mesage-created", "mesage-created", "weather")).toEqual([
    expect.stringMatching(/^root\/stars .*"mesage-created".*"message-created"/),
    expect.stringMatching(/^root\/stars .*"weather"[^"]*$/),
  ])
})

test("Satori's events, and an adapter's events with a slash, are not reported", () => {
  expect(listeningFor("message-created", "internal", "interaction/button", "forge/pushed")).toEqual([])
})
