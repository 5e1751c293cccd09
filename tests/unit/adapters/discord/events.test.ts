import {expect, test} from "vitest"
import {emojiPath} from "../../../../server/adapters/discord/acts/acts.ts"
import {commandsOf} from "../../../../server/adapters/discord/acts/commands.ts"
import {Places} from "../../../../server/adapters/discord/api/places.ts"
import {readEvent} from "../../../../server/adapters/discord/gateway/events.ts"
import {accountKey, readCursor, toCursor} from "../../../../server/adapters/discord/gateway/session.ts"
import {readInteraction} from "../../../../server/adapters/discord/interactions/read.ts"
import {h} from "../../../../shared/sdk/content/elements.ts"

const session = {id: "s1", since: Date.parse("2026-01-01T00:00:00Z")}

const read = (name: string, data: Readonly<Record<string, unknown>>, places = new Places()) =>
  readEvent({name, sequence: 7, data, at: 0}, {places, me: "999", session})

/** The id that Discord's documentation explains (Reference, "Snowflakes"), and its time. */
const id = "175928847299117063"
const time = 1_462_015_105_796
const message = {id, channel_id: "600", guild_id: "500", content: "hi", author: {id: "42", username: "ann"}}

test("a message of a server has its channel, its server, its time and its author", () => {
  const places = new Places()
  read("READY", {guilds: [{id: "500"}]}, places)
  read("GUILD_CREATE", {id: "500", name: "Club", channels: [{id: "600", name: "general", type: 0}]}, places)
  const [event] = read("MESSAGE_CREATE", {...message, member: {nick: "Ann", roles: ["700", "admin"]}}, places)
  expect(event).toMatchObject({
    id,
    type: "message-created",
    timestamp: time,
    channel: {id: "600", type: 0, name: "general"},
    guild: {id: "500", name: "Club"},
    user: {id: "42", name: "ann", nick: "Ann", roles: ["700"]},
    message: {id, content: "hi"},
  })
})

test("a message without a server belongs to a direct channel", () => {
  const {guild_id: _, ...direct} = message
  expect(read("MESSAGE_CREATE", direct)[0]?.channel).toEqual({id: "600", type: 1})
})

test.each<readonly [string, string, Readonly<Record<string, unknown>>]>([
  ["its own message", "MESSAGE_CREATE", {...message, author: {id: "999", username: "bot"}}],
  ["a message of Discord's own", "MESSAGE_CREATE", {...message, type: 7}],
  ["a message without an author", "MESSAGE_CREATE", {id, channel_id: "600"}],
  ["a preview that Discord adds", "MESSAGE_UPDATE", {...message, edited_timestamp: null}],
  ["its own reaction", "MESSAGE_REACTION_ADD", {user_id: "999", message_id: id, emoji: {name: "👍"}}],
  ["itself as a member", "GUILD_MEMBER_ADD", {guild_id: "500", user: {id: "999"}}],
  ["a server with an outage", "GUILD_DELETE", {id: "500", unavailable: true}],
  ["an unknown event", "PRESENCE_UPDATE", {}],
  ["an event without a known name", "constructor", {}],
  ["wrong types", "MESSAGE_DELETE_BULK", {ids: "1"}],
])("leaves out %s", (_, name, data) => expect(read(name, data)).toEqual([]))

test("each edit has its own id, so that a second one is stored too", () => {
  const edit = (edited_timestamp: string) => read("MESSAGE_UPDATE", {...message, edited_timestamp})[0]
  const first = edit("2026-02-01T00:00:00.000000+00:00")
  expect(first).toMatchObject({type: "message-updated", id: `${id}:edited:${Date.parse("2026-02-01T00:00:00Z")}`})
  expect(edit("2026-02-01T00:00:01.000000+00:00")?.id).not.toBe(first?.id)
})

test("deletions, reactions, votes and members become events", () => {
  expect(read("MESSAGE_DELETE_BULK", {ids: ["1", "2"], channel_id: "600"}).map(event => event.id)).toEqual([
    "1:deleted",
    "2:deleted",
  ])
  const reaction = {user_id: "42", message_id: id, channel_id: "600", emoji: {id: "9", name: "smile"}}
  expect(read("MESSAGE_REACTION_REMOVE", reaction)[0]).toMatchObject({
    id: "s1:7",
    type: "reaction-removed",
    user: {id: "42"},
    message: {id},
    emoji: {id: "smile:9", name: "smile"},
  })
  const vote = {user_id: "42", message_id: id, channel_id: "600", answer_id: 1}
  expect(read("MESSAGE_POLL_VOTE_ADD", vote)[0]).toMatchObject({
    type: "internal",
    user: {id: "42"},
    raw: {type: "MESSAGE_POLL_VOTE_ADD", data: vote},
  })
  expect(read("GUILD_MEMBER_REMOVE", {guild_id: "500", user: {id: "42", username: "ann"}})[0]).toMatchObject({
    type: "guild-member-removed",
    guild: {id: "500"},
    user: {id: "42", name: "ann"},
  })
})

test("a server is new when the bot has joined it in this session", () => {
  expect(read("GUILD_CREATE", {id: "7", name: "New", joined_at: "2026-02-01T00:00:00Z"})).toHaveLength(1)
  expect(read("GUILD_CREATE", {id: "8", name: "Old", joined_at: "2025-02-01T00:00:00Z"})).toEqual([])
})

const cursorOf = (account: string) =>
  toCursor({
    id: "s1",
    sequence: 7,
    url: "wss://gateway.discord.gg",
    since: 1,
    user: {id: "999"},
    application: "999",
    account,
  })

test("a cursor belongs to its account", () => {
  const key = accountKey("token", 1)
  expect(readCursor(cursorOf(key), key)).toMatchObject({id: "s1", sequence: 7, user: {id: "999"}})
  expect(readCursor(cursorOf(key), accountKey("token", 2))).toBeUndefined()
  expect(readCursor(cursorOf(key), accountKey("other", 1))).toBeUndefined()
  expect(cursorOf(key)).not.toContain("token")
})

test.each([
  undefined,
  "",
  "{",
  "[]",
  '{"account": "k"}',
  cursorOf("k").replace("wss://gateway.discord.gg", "ws://evil.example"),
])("an invalid cursor starts a new session (%#)", cursor => expect(readCursor(cursor, "k")).toBeUndefined())

const interaction = {id, token: "t", application_id: "999", channel_id: "600", guild_id: "500", locale: "de"}
const user = {member: {user: {id: "42", username: "ann"}}}

test("a command is the message that calls it, with the user's language", () => {
  const data = {
    ...interaction,
    ...user,
    type: 2,
    data: {name: "note", options: [{type: 1, name: "add", options: [{type: 3, name: "text", value: "milk <@42>"}]}]},
  }
  const found = readInteraction(data, {places: new Places(), form: () => undefined})
  expect(found).toMatchObject({answer: {type: 5}, isThinking: true})
  expect(found?.events[0]).toMatchObject({
    id,
    type: "message-created",
    user: {id: "42", locale: "de"},
    message: {content: '/note add milk <at id="42"/>'},
  })
  expect(JSON.stringify(found?.events[0]?.raw)).not.toContain('"t"')
})

test("a press is answered without an effect, and a chosen option is a press", () => {
  const press = (data: object) =>
    readInteraction({...interaction, ...user, type: 3, data}, {places: new Places(), form: () => undefined})
  expect(press({custom_id: "b1", component_type: 2})).toMatchObject({
    answer: {type: 6},
    events: [{id, type: "interaction/button", button: {id: "b1"}}],
  })
  expect(
    press({custom_id: "svc-select-0", values: ["o1", "o2"]})?.events.map(({id: each, button}) => [each, button]),
  ).toEqual([
    [id, {id: "o1"}],
    [`${id}:2`, {id: "o2"}],
  ])
})

test("a form opens, and its submission is a press", () => {
  const form = h(
    "form",
    {id: "f1", label: "Join"},
    h("field", {name: "name", label: "Name", type: "text", required: true}),
  )
  const reading = {places: new Places(), form: (each: string) => (each === "f1" ? form : undefined)}
  const opened = readInteraction({...interaction, ...user, type: 3, data: {custom_id: "f1"}}, reading)
  expect(opened).toMatchObject({events: [], answer: {type: 9, data: {custom_id: "f1"}}})
  const filled = {custom_id: "f1", components: [{type: 18, component: {type: 4, custom_id: "name", value: "Ann"}}]}
  const submitted = readInteraction({...interaction, ...user, type: 5, data: filled}, reading)
  expect(submitted?.events[0]).toMatchObject({button: {id: "f1"}, form: {values: {name: "Ann"}}})
})

test.each([{}, {type: 2}, {...interaction, type: 99}, {...interaction, token: 5, type: 3}])(
  "an invalid interaction is ignored (%#)",
  data => expect(readInteraction(data, {places: new Places(), form: () => undefined})).toBeUndefined(),
)

test("commands of two words are subcommands if the first word is no command", () => {
  const summary = (name: string) => ({name, description: `does ${name}`})
  const listed = commandsOf(["help", "note", "note add", "team add", "team drop", "Not Listed", "a b c"].map(summary))
  expect(listed.map(({name, options}) => [name, options.map(each => each.name)])).toEqual([
    ["help", ["text"]],
    ["note", ["text"]],
    ["team", ["add", "drop"]],
    ["a", ["text"]],
  ])
})

test.each([
  ["👍", "%F0%9F%91%8D"],
  ["smile:99", "smile%3A99"],
  ["<:smile:99>", "smile%3A99"],
  ["<a:wave:98>", "wave%3A98"],
])("the emoji %s is %s in a path", (emoji, path) => expect(emojiPath(emoji)).toBe(path))

test.each(["", "../../1", "a b", "👍/@me?x=", "x".repeat(41)])("%j is not an emoji", emoji => {
  expect(() => emojiPath(emoji)).toThrow(/\bemoji\b/)
})
