import {expect, test} from "vitest"
import {findOwn} from "../../../server/outbox/rows.ts"
import type {Session} from "../../../shared/sdk/session/session.ts"
import {localDatabase, open} from "../../support/database/databases.ts"
import {firstAttempt} from "../../support/messages/attempt.ts"
import {dispatchTo, hearerOf, messageOf, tableOf} from "../../support/messages/dispatching.ts"

const channels = ["c", "user:ann"]

test("the bot's own message is found by a platform id in its conversation, with the content of its newest edit", async () => {
  const database = await open(await localDatabase())
  const store = (id: string, kind: string, channel: string, platform: readonly string[], content: unknown) =>
    database.write([
      {
        sql: `INSERT INTO outbox (id, kind, endpoint, channel, content, created_at, state, platform_ids)
          VALUES (?, ?, 'line', ?, ?, 0, 'sent', ?)`,
        args: [id, kind, channel, JSON.stringify(content), JSON.stringify(platform)],
      },
    ])
  const find = (platform: string) => findOwn(database, {endpoint: "line", channels, platform})
  await store("menu", "message", "c", ["1", "2"], ["old"])
  await store("edit", "edit", "c", ["1", "2"], {message: {outbox: "menu"}, content: ["new"]})
  await store("other", "message", "elsewhere", ["3"], ["no"])
  await store("direct", "message", "user:ann", ['4"5'], ["hi"])
  expect(await find("2")).toEqual({id: "menu", content: ["new"]})
  expect(await find("3")).toBeUndefined()
  expect(await find('4"5')).toEqual({id: "direct", content: ["hi"]})
  expect(await find("5")).toBeUndefined()
  expect(await findOwn(database, {endpoint: "other", channels, platform: "1"})).toBeUndefined()
})

const login = {platform: "line", user: {id: "bot"}}
const photo = '<img src="https://example.org/a.png" title="a.png"/>'

test.each<[string, string, object, unknown]>([
  ["nothing", "hi", {}, undefined],
  [
    "another user's message as the platform tells it",
    `<quote id="7"><author id="eve" name="Eve"/>Lunch? ${photo}</quote>yes`,
    {},
    {id: "7", outbox: undefined, user: {id: "eve", name: "Eve"}, text: "Lunch? ", files: ["a.png"]},
  ],
  ["an id alone", '<quote id="7"/>yes', {}, {id: "7", outbox: undefined, user: undefined, text: "", files: []}],
  [
    "the bot's message, from the outbox",
    '<quote id="7"/>yes',
    {own: async () => ({id: "menu", content: ["Roles"]})},
    {id: "7", outbox: "menu", user: {id: "bot"}, text: "Roles", files: []},
  ],
])("a message quotes %s", async (_, content, attempt, expected) => {
  let found: unknown = "not asked"
  const dispatch = dispatchTo(
    tableOf({
      handlers: [
        hearerOf(async (session: Session) => {
          const quoted = await session.quoted()
          const {elements: _, ...rest} = quoted ?? {}
          found = quoted && {...rest, files: quoted.files.map(({name}) => name)}
        }),
      ],
    }),
  )
  const stored = {endpoint: "line", event: {...messageOf(content), login}}
  await dispatch.run(stored, hearerOf(() => {}).id, {...firstAttempt, ...attempt})
  expect(found).toEqual(expected)
})
