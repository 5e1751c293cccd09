import {expect, test} from "vitest"
import {createAnnounce} from "../../../server/messages/command-lists.ts"
import type {CommandSummary, Sender} from "../../../shared/sdk/adapter/sender.ts"
import {log, until} from "../../support/database/databases.ts"
import {command} from "../../support/messages/commands.ts"

const connection = (fails = 0) => {
  const told: (readonly CommandSummary[])[] = []
  let left = fails
  const sender: Sender = {
    send: async () => ({ids: []}),
    commands: async commands => {
      told.push(commands)
      if (left-- > 0) throw new Error("not now")
    },
  }
  return {sender, told}
}

const spec = {name: "line", features: ["commands"], log} as const

test("a platform gets the public commands once per connection, and again when they change", () => {
  let commands = [
    command("roll [sides:integer]", {description: "Roll"}),
    command("note add <text>"),
    command("x", {hidden: true}),
  ]
  const announce = createAnnounce(() => [...commands, command("ban", {permission: "admin"})])
  const [one, two] = [connection(), connection()]
  announce({spec, sender: one.sender})
  announce({spec, sender: one.sender})
  announce({spec, sender: two.sender})
  const first = [
    {name: "roll", description: "Roll"},
    {name: "note add", description: "note add"},
  ]
  expect([one.told, two.told]).toEqual([[first], [first]])
  commands = commands.slice(1)
  announce({spec, sender: one.sender})
  expect(one.told).toEqual([first, first.slice(1)])
})

test("an endpoint that is offline or lacks the feature gets none; a failed call is repeated", async () => {
  const announce = createAnnounce(() => [command("roll")])
  const failing = connection(1)
  announce({spec, sender: undefined})
  announce({spec: {...spec, features: []}, sender: failing.sender})
  expect(failing.told.length).toBe(0)
  announce({spec, sender: failing.sender})
  await until("the second attempt", () => {
    announce({spec, sender: failing.sender})
    return failing.told.length === 2
  })
})
