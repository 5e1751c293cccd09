import {expect, test} from "vitest"
import {findUnknownEvents} from "../../../server/generation/checks/unknown-events.ts"
import {collectRegistrations} from "../../../server/plugins/registrations.ts"
import {pluginPath} from "../../../shared/ids.ts"

const listeningFor = (...types: readonly string[]) => {
  const path = pluginPath("stars")
  const {declaring, close} = collectRegistrations(path)
  // A plugin in JavaScript may name any event.
  for (const type of types) declaring.on(type as "internal", () => {})
  return {path, registrations: close()}
}

test("an event that Satori does not have is reported once, with a suggestion", () => {
  expect(findUnknownEvents([listeningFor("mesage-created", "mesage-created", "weather")])).toEqual([
    expect.stringMatching(/^root\/stars .*"mesage-created".*"message-created"/),
    expect.stringMatching(/^root\/stars .*"weather"[^"]*$/),
  ])
})

test("Satori's events, and an adapter's events with a slash, are not reported", () => {
  expect(
    findUnknownEvents([listeningFor("message-created", "internal", "interaction/button", "forge/pushed")]),
  ).toEqual([])
})
