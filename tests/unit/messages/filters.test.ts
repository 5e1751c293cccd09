import {expect, test} from "vitest"
import {collectRegistrations} from "../../../server/generation/instances/registrations.ts"
import {parsePattern} from "../../../server/messages/arguments/pattern.ts"
import type {Command} from "../../../server/messages/command/command.ts"
import {summariesOf} from "../../../server/messages/command-lists.ts"
import {FilterIndex} from "../../../server/messages/filters.ts"
import type {EventFilter} from "../../../shared/sdk/session/handler.ts"
import {firstAttempt} from "../../support/messages/attempt.ts"
import {dispatchTo, hearerOf, messageOf, runnerOf, tableOf} from "../../support/messages/dispatching.ts"

const filters: Readonly<Record<string, EventFilter>> = {
  team: {channel: "team"},
  rooms: {channel: ["team", "ops"], user: "ann"},
  people: {user: ["ann", "bob"], platform: "sandbox"},
  all: {},
  home: {endpoint: "home"},
  everything: {channel: "ops", user: "bob", endpoint: "home", platform: "sandbox"},
}

const wantingOf = (channel: string, user: string, endpoint = "away"): readonly string[] => {
  const handlers = Object.entries(filters).map(([id, filter]) => hearerOf(() => id, {id, filter}))
  return dispatchTo(tableOf({handlers})).match(
    messageOf("hi", {channel: {id: channel, type: 0}, user: {id: user}}),
    undefined,
    endpoint,
  )
}

test("a handler gets the events that match each key of its filter, in the order of declaration", () => {
  expect(wantingOf("team", "ann")).toEqual(["team", "rooms", "people", "all"])
  expect(wantingOf("team", "eve")).toEqual(["team", "all"])
  expect(wantingOf("ops", "bob")).toEqual(["people", "all"])
  expect(wantingOf("ops", "bob", "home")).toEqual(["people", "all", "home", "everything"])
  expect(wantingOf("constructor", "__proto__")).toEqual(["all"])
})

test("a payload's own type selects its handlers", () => {
  const on = (id: string, type?: string | readonly string[]) =>
    hearerOf(() => id, {id, type: "forge/github", ...(type === undefined ? {} : {filter: {type}})})
  const dispatch = dispatchTo(tableOf({handlers: [on("push", "push"), on("both", ["push", "issues"]), on("all")]}))
  const wanting = (_type: string) => dispatch.match(messageOf("", {type: "forge/github", _type}))
  expect([wanting("push"), wanting("issues"), wanting("star")]).toEqual([
    ["push", "both", "all"],
    ["both", "all"],
    ["all"],
  ])
})

test("an event without a user or channel matches no filter for one", () => {
  const index = new FilterIndex(Object.entries(filters).map(([id, filter]) => ({id, filter})))
  const {user: _, channel: __, ...nobody} = messageOf("hi")
  expect(index.of(nobody, "home").map(({id}) => id)).toEqual(["all", "home"])
})

test("hears compares the text of messages that pass its filter only", () => {
  let matched = 0
  const pattern = {test: () => ++matched > 0, match: () => undefined}
  const hears = Array.from({length: 50}, (_, index) => {
    return {...runnerOf(`hears/${index}`), definition: {}, filter: {channel: `c${index}`}, pattern, handle: () => ""}
  })
  const event = messageOf("hi", {channel: {id: "c7", type: 0}})
  expect(dispatchTo(tableOf({hears})).match(event)).toEqual(["hears/7"])
  expect(matched).toBe(1)
})

test("a command with a filter exists for the events that pass it", async () => {
  const command = (words: string, definition: Command["definition"]) => {
    const id = `root/bot/command/${words.replace(" ", ".")}`
    const declared = {...parsePattern(`${words} [rest:text]`), id, owner: "root/bot", aliases: [], definition} as const
    return {command: {...declared, handle: () => words}, runner: runnerOf(id)}
  }
  let table = tableOf({commands: [command("item", {}), command("item add", {channel: "team", endpoint: "home"})]})
  const dispatch = dispatchTo(table, {current: () => table})
  const said = (text: string, channel: string) => messageOf(text, {channel: {id: channel, type: 1}})
  const say = async (text: string, channel: string, endpoint = "home") => {
    const event = said(text, channel)
    const [id = ""] = dispatch.match(event, undefined, endpoint)
    const outcome = await dispatch.run({endpoint, event}, id, firstAttempt)
    return outcome.is === "handled" ? outcome.sends.map(({content}) => content).join() : outcome.is
  }
  expect(await say("/item add milk", "team")).toBe("item add")
  expect(await say("/item add milk", "ops")).toBe("item")
  expect(await say("/item add milk", "team", "away")).toBe("item")
  expect(await say("/help", "team")).toContain("/item add ")
  expect(await say("/help", "ops")).not.toContain("/item add ")
  expect(summariesOf(table.router.commands).map(({name}) => name)).toEqual(["help", "item"])
  const event = said("/item add milk", "team")
  const [id = ""] = dispatch.match(event, undefined, "home")
  table = tableOf({commands: [command("item", {}), command("item add", {channel: "ops"})]})
  expect(await dispatch.run({endpoint: "home", event}, id, firstAttempt)).toMatchObject({
    sends: [{content: ["item add"]}],
  })
})

test("a declaration with an unknown key or an empty filter is refused", () => {
  const {declaring} = collectRegistrations("root/bot")
  const on = (definition: object) => () => declaring.on("message-created", definition, () => "")
  const hears = (definition: object) => () => declaring.hears("a", definition, () => "")
  const command = (definition: object) => () => declaring.command("a", definition, () => "")
  for (const declare of [on, hears, command]) {
    expect(declare({chanel: "team"})).toThrow(/\): .* chanel .*"channel"/)
    for (const wrong of [[], "", 1, ["team", ""], ["team", 1], null])
      expect(declare({user: wrong}), String(wrong)).toThrow(/\): user /)
    expect(declare({channel: ["team", "ops"], user: "ann", endpoint: undefined})).not.toThrow()
  }
  expect(on({permission: "trusted"})).toThrow(/ permission/)
})
