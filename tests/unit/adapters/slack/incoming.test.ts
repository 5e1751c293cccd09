import {describe, expect, test} from "vitest"
import type {Payload} from "../../../../server/adapters/slack/api/payload.ts"
import {readEvents} from "../../../../server/adapters/slack/incoming/events.ts"
import {readCommand, readInteraction} from "../../../../server/adapters/slack/incoming/interactions.ts"
import {People} from "../../../../server/adapters/slack/incoming/people.ts"
import {Threads} from "../../../../server/adapters/slack/incoming/threads.ts"

const reading = () => ({me: {user: "U0BOT", bot: "B0BOT"}, threads: new Threads()})
const wrap = (event: Payload): Payload => ({type: "event_callback", event_id: "Ev1", event})
const read = (event: Payload, with_ = reading()) => readEvents(wrap(event), with_)

const said = {type: "message", channel: "C0ROOM", user: "U0ANN", text: "hi", ts: "1700000000.000100"}

describe("an event of Slack", () => {
  test("about a message has the same id as in the history, in a channel or in private", () => {
    expect(read(said)).toMatchObject([
      {
        id: "message/C0ROOM/1700000000.000100",
        type: "message-created",
        timestamp: 1_700_000_000_000,
        channel: {id: "C0ROOM", type: 0},
        guild: {id: "C0ROOM"},
        user: {id: "U0ANN"},
        message: {id: "1700000000.000100", content: "hi"},
      },
    ])
    expect(read({...said, channel: "D0ANN"})).toMatchObject([{channel: {id: "D0ANN", type: 1}}])
    expect(read({...said, channel: "D0ANN"})[0]).not.toHaveProperty("guild")
    expect(read({...said, type: "app_mention"})[0]?.id).toBe(read(said)[0]?.id)
  })

  test("in a thread belongs to the thread's own channel, with its reactions and its deletion", () => {
    const with_ = reading()
    const reply = {...said, ts: "1700000001.000200", thread_ts: said.ts}
    expect(read({...said, thread_ts: said.ts}, with_)).toMatchObject([{channel: {id: "C0ROOM"}}])
    expect(read(reply, with_)).toMatchObject([
      {channel: {id: `C0ROOM:${said.ts}`}, message: {content: `<quote id="${said.ts}"/>hi`}},
    ])
    const item = {type: "message", channel: "C0ROOM", ts: reply.ts}
    const reaction = {type: "reaction_added", user: "U0ANN", reaction: "+1", item, event_ts: "1700000002.000000"}
    expect(read(reaction, with_)).toMatchObject([
      {
        id: "event/Ev1",
        type: "reaction-added",
        emoji: {id: "👍"},
        channel: {id: `C0ROOM:${said.ts}`},
        message: {id: reply.ts, content: "👍"},
      },
    ])
    const gone = {type: "message", subtype: "message_deleted", channel: "C0ROOM", deleted_ts: reply.ts}
    expect(read(gone, with_)).toMatchObject([
      {type: "message-deleted", channel: {id: `C0ROOM:${said.ts}`}, message: {id: reply.ts}},
    ])
  })

  test("about a change is an edit only when a user edited, not when Slack unfolded a link", () => {
    const changed = (message: Payload, previous_message: Payload = said) =>
      read({type: "message", subtype: "message_changed", channel: "C0ROOM", message, previous_message})
    const edited = {...said, text: "ho", edited: {user: "U0ANN", ts: "1700000005.000000"}}
    expect(changed(edited)).toMatchObject([
      {id: "event/Ev1", type: "message-updated", timestamp: 1_700_000_005_000, message: {id: said.ts, content: "ho"}},
    ])
    expect(changed({...said, attachments: [{}]})).toEqual([])
    expect(changed({...edited, attachments: [{}]}, edited)).toEqual([])
    expect(changed({subtype: "tombstone", ts: said.ts})).toMatchObject([
      {type: "message-deleted", message: {id: said.ts}},
    ])
  })

  test("about members covers those of a conversation and the bot itself", () => {
    const joined = {type: "member_joined_channel", user: "U0ANN", channel: "C0ROOM", event_ts: "1700000000.000000"}
    expect(read(joined)).toMatchObject([{type: "guild-member-added", guild: {id: "C0ROOM"}, user: {id: "U0ANN"}}])
    expect(read({...joined, user: "U0BOT"})).toMatchObject([{type: "guild-added"}])
    expect(read({...joined, type: "member_left_channel"})).toMatchObject([{type: "guild-member-removed"}])
  })

  test.each<[string, unknown]>([
    ["the bot's own message", {...said, user: "U0BOT"}],
    ["a message that the app has posted", {...said, user: undefined, bot_id: "B0BOT"}],
    [
      "the bot's own reaction",
      {type: "reaction_added", user: "U0BOT", reaction: "x", item: {channel: "C0ROOM", ts: said.ts}},
    ],
    ["somebody joining, as a message", {...said, subtype: "channel_join"}],
    ["an unknown type", {type: "emoji_changed"}],
    ["no type", {}],
    ["wrong types", {type: "message", channel: 1, user: {}, ts: [], text: 5}],
    ["an invalid time", {...said, ts: "now"}],
    ["null", null],
    ["a list", []],
  ])("is ignored: %s", (_, event) => expect(readEvents({event_id: "Ev1", event}, reading())).toEqual([]))

  test("of another bot says so, with the name that it shows", () => {
    expect(read({...said, user: undefined, bot_id: "B0OTHER", username: "CI", subtype: "bot_message"})).toMatchObject([
      {user: {id: "B0OTHER", name: "CI", is_bot: true}},
    ])
  })
})

const press = (action: Payload, more: Payload = {}): Payload => ({
  type: "block_actions",
  user: {id: "U0ANN", username: "ann"},
  channel: {id: "C0ROOM", name: "room"},
  message: {ts: said.ts, text: "Which?"},
  actions: [{action_ts: "1700000003.000000", ...action}],
  ...more,
})

describe("a press", () => {
  test("of a button or menu has the id that was sent", () => {
    expect(readInteraction(press({action_id: "svc-button-0", value: "abc"}))).toMatchObject([
      {type: "interaction/button", button: {id: "abc"}, user: {id: "U0ANN", name: "ann"}, message: {id: said.ts}},
    ])
    const chosen = {action_id: "svc-select-1", selected_option: {value: "o2"}}
    expect(readInteraction(press(chosen))).toMatchObject([{button: {id: "o2"}}])
  })

  test("of a form has its own values, and no other form's", () => {
    const values = {
      a: {"svc-field-2-name": {type: "plain_text_input", value: "Ann"}},
      b: {"svc-field-2-ok": {type: "static_select", selected_option: {value: "yes"}}},
      c: {"svc-field-2-age": {type: "plain_text_input", value: null}},
      d: {"svc-field-3-name": {value: "other"}},
    }
    expect(readInteraction(press({action_id: "svc-form-2", value: "f"}, {state: {values}}))).toMatchObject([
      {button: {id: "f"}, form: {values: {name: "Ann", ok: "yes", age: ""}}},
    ])
  })

  test.each<[string, Payload]>([
    ["an action that is not svc's", press({action_id: "other", value: "abc"})],
    ["a menu without a choice", press({action_id: "svc-select-0", selected_option: null})],
    ["another interaction", {...press({action_id: "svc-button-0", value: "a"}), type: "view_submission"}],
    ["no message", {...press({action_id: "svc-button-0", value: "a"}), message: undefined}],
    ["wrong types", {type: "block_actions", user: 1, actions: "none"}],
  ])("is ignored: %s", (_, body) => expect(readInteraction(body)).toEqual([]))
})

test("a slash command is a message with its text", () => {
  const body = {
    command: "/deploy",
    text: "now &amp; <@U0BOB>",
    user_id: "U0ANN",
    user_name: "ann",
    channel_id: "C0ROOM",
    trigger_id: "1.2.3",
  }
  expect(readCommand(body, 5)).toMatchObject([
    {
      id: "command/1.2.3",
      type: "message-created",
      timestamp: 5,
      message: {content: '/deploy now &amp; <at id="U0BOB"/>'},
      user: {id: "U0ANN", name: "ann"},
    },
  ])
  expect(readCommand({command: "/deploy"})).toEqual([])
})

test("owners and administrators of the bot's own workspace have roles", async () => {
  const users: Readonly<Record<string, object>> = {
    U0ANN: {team_id: "T1", is_owner: true, is_admin: true},
    U0BOB: {team_id: "T1"},
    U0EVE: {team_id: "T2", is_admin: true},
  }
  const people = new People(async (_, {user}) => ({user: users[String(user)]}), new AbortController().signal, "T1")
  const roles = Object.keys(users).map(async id => (await people.complete({id})).roles)
  expect(await Promise.all(roles)).toEqual([["owner", "admin"], undefined, undefined])
})
