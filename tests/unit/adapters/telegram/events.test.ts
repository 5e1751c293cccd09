import type {Update} from "grammy/types"
import {describe, expect, test} from "vitest"
import {readUpdate} from "../../../../server/adapters/telegram/incoming/events.ts"

const me = {id: 999, username: "test_bot"}
const ada = {id: 7, is_bot: false, first_name: "Ada", last_name: "L.", username: "ada", language_code: "de"}
const group = {id: -1001, type: "supergroup", title: "Team"}
const direct = {id: 7, type: "private", first_name: "Ada"}
const time = 1_700_000_000

const read = (fields: object) => readUpdate({update_id: 5, ...fields} as Update, me)
const message = (fields: object) => ({message_id: 3, date: time, chat: group, from: ada, ...fields})
const contentOf = (fields: object) => read({message: message(fields)})[0]?.message?.content

describe("messages", () => {
  test("of a group have a guild, a channel, a user and a payload", () => {
    const said = message({text: "hello"})
    expect(read({message: said})).toEqual([
      {
        id: "5",
        type: "message-created",
        timestamp: time * 1000,
        guild: {id: "-1001", name: "Team"},
        channel: {id: "-1001", type: 0, name: "Team"},
        user: {id: "7", name: "ada", nick: "Ada L.", is_bot: false, locale: "de"},
        message: {id: "3", content: "hello", created_at: time * 1000},
        raw: {type: "message", data: said},
      },
    ])
  })

  test("of a private chat are in a direct channel without a guild", () => {
    const [event] = read({message: message({chat: direct, text: "hi"})})
    expect(event).toMatchObject({channel: {id: "7", type: 1}})
    expect(event).not.toHaveProperty("guild")
  })

  test("of a forum topic have their own channel; a thread of answers has none", () => {
    const inTopic = message({text: "x", is_topic_message: true, message_thread_id: 50})
    expect(read({message: inTopic})[0]?.channel?.id).toBe("-1001:50")
    expect(read({message: message({text: "x", message_thread_id: 50})})[0]?.channel?.id).toBe("-1001")
  })

  test("quote the answered message with its author, but not the start of a topic", () => {
    const answered = message({message_id: 2, text: "so?"})
    expect(contentOf({text: "yes", reply_to_message: answered})).toBe(
      '<quote id="2"><author id="7" name="Ada L."/>so?</quote>yes',
    )
    const begin = message({message_id: 50, forum_topic_created: {name: "x", icon_color: 1}})
    expect(contentOf({text: "x", is_topic_message: true, message_thread_id: 50, reply_to_message: begin})).toBe("x")
  })

  test("of a channel are posted by the channel, and an edit has the time of the edit", () => {
    const channel = {id: -1002, type: "channel", title: "News"}
    const [post] = read({channel_post: {message_id: 1, date: time, chat: channel, sender_chat: channel, text: "x"}})
    expect(post).toMatchObject({type: "message-created", user: {id: "-1002", name: "News"}, guild: {id: "-1002"}})
    const automatic = message({message_id: 2, text: "news", sender_chat: channel, is_automatic_forward: true})
    expect(read({message: automatic})[0]?.user).toMatchObject({id: "-1002", roles: ["linked_channel"]})
    expect(contentOf({text: "yes", reply_to_message: automatic})).toBe(
      '<quote id="2"><author id="-1002" name="News"/>news</quote>yes',
    )
    const [edit] = read({edited_message: message({text: "y", edit_date: time + 60})})
    expect(edit).toMatchObject({
      type: "message-updated",
      timestamp: (time + 60) * 1000,
      message: {id: "3", content: "y"},
    })
  })

  test.each<[string, object, string]>([
    [
      "the largest size of a photo, with its caption",
      {
        photo: [{file_id: "small"}, {file_id: "large", file_size: 9}],
        caption: "us",
        caption_entities: [{type: "bold", offset: 0, length: 2}],
      },
      '<img src="telegram:photo/large" title="photo.jpg" type="image/jpeg" size="9"/><b>us</b>',
    ],
    [
      "a document",
      {document: {file_id: "d", file_name: 'a".pdf', mime_type: "application/pdf", file_size: 3}},
      '<file src="telegram:document/d" title="a&quot;.pdf" type="application/pdf" size="3"/>',
    ],
    [
      "a picture as a document",
      {document: {file_id: "d", file_name: "a.png", mime_type: "image/png"}},
      '<img src="telegram:document/d" title="a.png" type="image/png"/>',
    ],
    [
      "an animation, which is a document too",
      {animation: {file_id: "a", mime_type: "video/mp4"}, document: {file_id: "d"}},
      '<video src="telegram:animation/a" title="animation.mp4" type="video/mp4"/>',
    ],
    [
      "a voice message",
      {voice: {file_id: "v", mime_type: "audio/ogg"}},
      '<audio src="telegram:voice/v" title="voice.ogg" type="audio/ogg"/>',
    ],
    [
      "music",
      {audio: {file_id: "m", file_name: "x.mp3"}},
      '<audio src="telegram:audio/m" title="x.mp3" type="audio/mpeg"/>',
    ],
    [
      "a sticker",
      {sticker: {file_id: "s", is_animated: false, is_video: false}},
      '<img src="telegram:sticker/s" title="sticker.webp" type="image/webp"/>',
    ],
    [
      "a moving sticker",
      {sticker: {file_id: "s", is_animated: true, is_video: false}},
      '<file src="telegram:sticker/s" title="sticker.tgs" type="application/x-tgsticker"/>',
    ],
    ["a place", {location: {latitude: 48.2, longitude: 16.4}}, "48.2, 16.4"],
    ["a contact", {contact: {first_name: "Ada", phone_number: "+43"}}, "Ada +43"],
    ["a poll", {poll: {question: "Tea?", options: [{text: "Yes"}, {text: "No"}]}}, "Tea?\n- Yes\n- No"],
    ["a throw", {dice: {emoji: "🎲", value: 4}}, "🎲 4"],
  ])("show %s", (_, fields, content) => expect(contentOf(fields)).toBe(content))

  test.each<[string, object]>([
    ["a new title", {message: message({new_chat_title: "x"})}],
    ["its own message", {message: message({from: {...ada, id: 999}, text: "x"})}],
    ["an update of a future kind", {shiny_thing: {a: 1}}],
    ["a press of a game", {callback_query: {id: "1", from: ada, game_short_name: "x"}}],
    [
      "a user that blocks the bot",
      {
        my_chat_member: {
          chat: direct,
          from: ada,
          date: time,
          old_chat_member: {status: "member", user: me},
          new_chat_member: {status: "kicked", user: me},
        },
      },
    ],
  ])("%s is ignored", (_, fields) => expect(read(fields)).toEqual([]))
})

describe("events beside messages", () => {
  test("name button, message and user of a press", () => {
    const press = {id: "77", from: ada, data: "1:yes", message: message({})}
    expect(read({callback_query: press})).toMatchObject([
      {
        id: "5",
        type: "interaction/button",
        button: {id: "1:yes"},
        user: {id: "7"},
        channel: {id: "-1001"},
        message: {id: "3"},
      },
    ])
  })

  test.each([
    ["of a person", {user: ada}, "7"],
    ["of a group", {voter_chat: group}, "-1001"],
    ["of nobody who is named", {}, undefined],
  ])("of a vote %s keep Telegram's own answer", (_, voter, id) => {
    const answer = {poll_id: "9", option_ids: [1], ...voter}
    const [event] = read({poll_answer: answer})
    expect(event).toMatchObject({type: "internal", raw: {type: "poll_answer", data: answer}})
    expect(event?.user?.id).toBe(id)
  })

  test("of changed reactions are one per reaction, with stable ids", () => {
    const emoji = (text: string) => ({type: "emoji", emoji: text})
    const reaction = {
      chat: group,
      message_id: 3,
      user: ada,
      date: time,
      old_reaction: [emoji("👍"), emoji("❤")],
      new_reaction: [emoji("❤"), {type: "custom_emoji", custom_emoji_id: "12"}],
    }
    expect(read({message_reaction: reaction})).toMatchObject([
      {id: "5", type: "reaction-removed", emoji: {id: "👍"}, message: {id: "3"}, user: {id: "7"}},
      {id: "5.2", type: "reaction-added", emoji: {id: "custom:12"}, channel: {id: "-1001"}},
    ])
  })

  const change = (user: object, before: object, after: object) => ({
    chat: group,
    from: ada,
    date: time,
    old_chat_member: {user, ...before},
    new_chat_member: {user, ...after},
  })
  test.each<[string, object, string]>([
    ["comes", {chat_member: change(ada, {status: "left"}, {status: "member"})}, "guild-member-added"],
    ["goes", {chat_member: change(ada, {status: "member"}, {status: "left"})}, "guild-member-removed"],
    ["is banned", {chat_member: change(ada, {status: "member"}, {status: "kicked"})}, "guild-member-removed"],
    [
      "is muted",
      {chat_member: change(ada, {status: "member"}, {status: "restricted", is_member: true})},
      "guild-member-updated",
    ],
    ["is promoted", {chat_member: change(ada, {status: "member"}, {status: "administrator"})}, "guild-member-updated"],
    ["the bot comes", {my_chat_member: change(me, {status: "left"}, {status: "member"})}, "guild-added"],
    ["the bot goes", {my_chat_member: change(me, {status: "member"}, {status: "kicked"})}, "guild-removed"],
  ])("%s", (_, fields, type) => {
    expect(read(fields)).toMatchObject([{type, guild: {id: "-1001"}, timestamp: time * 1000}])
  })
})
