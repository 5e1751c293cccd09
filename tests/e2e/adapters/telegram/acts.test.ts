import {describe, expect, test} from "vitest"
import type {Shown} from "../../../../server/testing/platforms/telegram/chats.ts"
import {accountAt, startTelegramHost, token, untilTelegram} from "../../../support/adapters/telegram-host.ts"
import {bunOr, eventsOf, messageIn, sendTo, shared, until} from "../../../support/host/host.ts"
import {startTelegram} from "../../../support/platforms/fakes.ts"
import {askSatori} from "../../../support/satori/satori.ts"

const ada = {id: 7, is_bot: false, first_name: "Ada", username: "ada"}
const group = {id: -1001, type: "supergroup", title: "Team"}
const date = () => Math.floor(Date.now() / 1000)

describe.each(bunOr("node22"))("a bot of Telegram on $name", runtime => {
  const scene = shared(async () => {
    const fake = await startTelegram({token})
    const host = await startTelegramHost([accountAt(fake)], {runtime})
    await untilTelegram(host, "online")
    return {fake, host}
  })
  /** The bot's answers to a text in a chat. Each test uses a separate chat. */
  const answers = async (chat: string, text: string, count = 1): Promise<readonly Shown[]> => {
    const {fake} = scene()
    const inChat = () => fake.sent().filter(each => each.chat === chat)
    fake.say({text, user: chat})
    return until(`${count} answers to ${text}`, () => inChat().length >= count && inChat())
  }
  /** Sends a text; resolves once the message is in this state. */
  const untilEnded = async (channel: string, text: string, state: string) =>
    messageIn(scene().host, await sendTo(scene().host, "telegram~main", channel, text), state)

  test("answers with a reply to the message, and sends formatting as entities", async () => {
    const [reply] = await answers("10", "reply")
    const said = (await eventsOf(scene().host)).find(({message}) => message?.content === "reply")
    expect(reply).toMatchObject({text: "as you say", answers: Number(said?.message?.id)})
  })

  test("finds a received message for a Satori application by its channel and number", async () => {
    const {host, fake} = scene()
    fake.push({message: {message_id: 1000, date: date(), chat: {...group, id: -1002}, from: ada, text: "in the group"}})
    await answers("18", "ping")
    const login = {"satori-platform": "telegram", "satori-user-id": "999"}
    const ask = async (channel_id: string) => {
      const answer = await askSatori(host, "message.get", {channel_id, message_id: "1000"}, login)
      return {status: answer.status, body: await answer.json()}
    }
    expect(await ask("-1002")).toMatchObject({
      status: 200,
      body: {id: "1000", content: "in the group", user: {id: "7"}},
    })
    expect(await ask("18")).toMatchObject({status: 404})
  })

  test("shows buttons, delivers a press to the handler and answers it", async () => {
    const {fake} = scene()
    const [menu] = await answers("11", "menu")
    expect(menu?.keyboard).toMatchObject([[{text: "Red"}, {text: "Blue"}]])
    const before = fake.calls("answerCallbackQuery").length
    fake.press("Blue", {message: menu?.id})
    await until("the handler's answer", () => fake.sent().some(({text}) => text === "11 takes blue"))
    await until("the press to be answered", () => fake.calls("answerCallbackQuery").length === before + 1)
  })

  test("sends pictures as one album with the text below the first", async () => {
    const shown = await answers("12", "album", 3)
    expect(shown.map(({text, files: [file]}) => [text, file?.kind, file?.name, file?.bytes.length])).toEqual([
      ["all of them", "photo", "picture-1.png", 2000],
      ["", "photo", "picture-2.png", 2000],
      ["", "photo", "picture-3.png", 2000],
    ])
    expect(new Set(shown.map(({album}) => album)).size).toBe(1)
    expect(shown[0]?.entities).toEqual([{type: "bold", offset: 0, length: 3}])
  })

  test("sends files one by one if there are buttons, and puts the buttons below the last", async () => {
    const shown = await answers("13", "picture and menu", 2)
    expect(shown.map(({text, album, keyboard}) => ({text, album, buttons: keyboard.length}))).toEqual([
      {text: "Which?", album: undefined, buttons: 0},
      {text: "", album: undefined, buttons: 1},
    ])
  })

  test("resumes a message after the part that was sent when Telegram asks it to wait", async () => {
    const {fake} = scene()
    fake.slowDown(1000, 2)
    expect((await answers("14", "long album", 4)).map(({text, files: [file]}) => file?.name ?? text.length)).toEqual([
      "picture-1.png",
      "picture-2.png",
      "report.pdf",
      "word ".repeat(400).length,
    ])
  })

  test.each([
    ["15", "edit", "final text", undefined],
    ["16", "edit caption", "final", "picture-1.png"],
    ["17", "edit picture", "final", "picture-2.png"],
  ])("edits its messages: %s %s", async (chat, text, expected, file) => {
    await answers(chat, text)
    const changed = await until("the edit", () =>
      scene()
        .fake.sent()
        .find(each => each.chat === chat && each.edits > 0),
    )
    expect({text: changed.text, file: changed.files[0]?.name}).toEqual({text: expected, file})
  })

  test("reads a file that a user sends, and sends it back by its id", async () => {
    const {fake} = scene()
    fake.sayFile({name: "plan.pdf", type: "application/pdf", bytes: Buffer.alloc(5000, 3)})
    const shown = await until("the answer", () => fake.sent().find(({text}) => text === "plan.pdf: 5000"))
    expect(shown.files).toMatchObject([{kind: "document", name: expect.stringMatching(/^file-\d+$/)}])
  })

  test("handles edits, reactions, members and topics", async () => {
    const {fake, host} = scene()
    const message = {message_id: 900, date: date(), chat: group, from: ada}
    fake.push({message: {...message, text: "ping", is_topic_message: true, message_thread_id: 50}})
    fake.push({edited_message: {...message, text: "corrected", edit_date: date()}})
    const emoji = {type: "emoji", emoji: "🎉"}
    const reaction = {chat: group, message_id: 900, user: ada, date: date(), old_reaction: [], new_reaction: [emoji]}
    fake.push({message_reaction: reaction})
    const member = {chat: group, from: ada, date: date()}
    const [before, after] = [
      {user: ada, status: "left"},
      {user: ada, status: "member"},
    ]
    fake.push({chat_member: {...member, old_chat_member: before, new_chat_member: after}})
    const pong = await until("the answer in the topic", () => fake.sent().find(({topic}) => topic === 50))
    expect(pong).toMatchObject({chat: "-1001", text: "pong"})
    await until("the answer to the reaction", () => fake.sent().some(({text}) => text === "thanks for 🎉"))
    const events = await until("the member", async () => {
      const found = (await eventsOf(host)).filter(({guild}) => guild?.id === "-1001")
      return found.length === 4 && found
    })
    expect(events).toMatchObject([
      {type: "message-created", channel: {id: "-1001:50"}, guild: {id: "-1001", name: "Team"}},
      {type: "message-updated", message: {id: "900", content: "corrected"}},
      {type: "reaction-added", message: {id: "900"}, emoji: {id: "🎉"}, user: {id: "7"}},
      {type: "guild-member-added", user: {id: "7"}},
    ])
  })

  test("fails a message without a retry if the user has blocked the bot", async () => {
    const blocked = {status: 403, body: {description: "Forbidden: bot was blocked by the user"}}
    scene().fake.requests.order("sendMessage", blocked)
    const row = await untilEnded("66", "hello", "failed")
    expect(row).toMatchObject({attempt: 1, error: expect.stringContaining("Forbidden")})
  })

  test("fails a message to an unknown chat, with a hint", async () => {
    expect((await untilEnded("nobody", "hello", "failed")).error).toContain('"nobody"')
  })

  test("sends a message under the new id when its group has become a supergroup", async () => {
    const {fake} = scene()
    const moved = {description: "Bad Request: group chat was upgraded", parameters: {migrate_to_chat_id: -100500}}
    fake.requests.order("sendMessage", {status: 400, body: moved})
    await untilEnded("-500", "still here", "sent")
    expect(fake.sent().find(({text}) => text === "still here")?.chat).toBe("-100500")
  })
})
