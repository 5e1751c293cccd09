import {describe, expect, test} from "vitest"
import {createBot} from "../../../../server/adapters/telegram/api/bot.ts"
import {acting} from "../../../../server/adapters/telegram/api/failures.ts"
import {Places} from "../../../../server/adapters/telegram/api/place.ts"
import {download, open, react, remove, setCommands} from "../../../../server/adapters/telegram/outgoing/acts.ts"
import {callMethod} from "../../../../server/adapters/telegram/outgoing/members.ts"
import {Secret} from "../../../../shared/sdk/sdk.ts"
import {errorOf} from "../../../support/host/problems.ts"
import {startTelegram} from "../../../support/platforms/fakes.ts"

const token = "999:AAsecret-part"
const {signal} = new AbortController()
const here = {chat_id: 42}

const start = async (apiRoot?: string) => {
  const fake = await startTelegram({token})
  const load = async <L>(): Promise<L> => (await import("grammy")) as L
  const bot = await createBot({token: new Secret(token), apiRoot: apiRoot ?? fake.url}, {load})
  return {fake, bot}
}

/** Resolves to the error that an act throws, which never contains the token. */
const failure = async (act: () => Promise<unknown>): Promise<Error & {reason?: string}> => {
  const error = (await errorOf(acting(act))) as Error
  expect(JSON.stringify([error.message, error.stack, error.cause, error])).not.toContain("AAsecret-part")
  return error
}

describe("members", () => {
  const call = async (method: string, params: object) => {
    const {fake, bot} = await start()
    const act = () => callMethod(bot, new Places(), method, {guild_id: "-1001", user_id: "7", ...params}, signal)
    return {fake, act}
  }

  test.each([
    ["a minute", 60_000, 60],
    ["less than Telegram counts", 1000, 35],
    ["more than it counts", 1e12, 366 * 24 * 3600],
  ])("are muted for %s", async (_, duration, seconds) => {
    const {fake, act} = await call("guild.member.mute", {duration})
    await act()
    const [asked] = fake.calls("restrictChatMember")
    expect(asked).toMatchObject({chat_id: -1001, user_id: 7, permissions: {can_send_messages: false}})
    const wanted = Math.floor(Date.now() / 1000) + seconds
    expect(Math.abs(Number(asked?.until_date) - wanted)).toBeLessThan(5)
  })

  test("may speak again after a duration of 0", async () => {
    const {fake, act} = await call("guild.member.mute", {duration: 0})
    await act()
    const [asked] = fake.calls("restrictChatMember")
    expect(asked).toMatchObject({permissions: {can_send_messages: true, can_send_photos: true}})
    expect(asked).not.toHaveProperty("until_date")
  })

  test.each([
    [false, 1],
    [true, 0],
  ])("are removed; permanently: %s", async (permanent, times) => {
    const {fake, act} = await call("guild.member.kick", {permanent})
    await act()
    expect(fake.calls("banChatMember")).toEqual([{chat_id: -1001, user_id: 7}])
    expect(fake.calls("unbanChatMember")).toHaveLength(times)
  })

  test.each([
    ["guild.member.mute", {duration: -1}, /duration/],
    ["guild.member.mute", {duration: "long"}, /duration/],
    ["guild.member.kick", {user_id: "@ada"}, /user_id/],
    ["guild.member.kick", {guild_id: undefined}, /guild_id/],
    ["toString", {}, /a method that it supports/],
  ])("are not changed by %s with %j", async (method, params, message) => {
    const {act} = await call(method, params)
    expect(await failure(async () => act())).toMatchObject({
      reason: "request_invalid",
      message: expect.stringMatching(message),
    })
  })
})

describe("acts", () => {
  test("a reaction is sent in Telegram's form", async () => {
    const {fake, bot} = await start()
    await react(bot, {id: "a", channel: "42", message: "5", emoji: "❤️"}, here, signal)
    await react(bot, {id: "b", channel: "42", message: "5", emoji: "custom:12"}, here, signal)
    expect(fake.calls("setMessageReaction").map(({reaction}) => reaction)).toEqual([
      [{type: "emoji", emoji: "❤"}],
      [{type: "custom_emoji", custom_emoji_id: "12"}],
    ])
  })

  test("only commands that Telegram can list are listed, with shortened descriptions", async () => {
    const {fake, bot} = await start()
    const commands = ["help", "note add", "Übersicht", "a".repeat(33), "count"].map(name => ({
      name,
      description: "x".repeat(300),
    }))
    await setCommands(bot, commands, signal)
    expect(fake.calls("setMyCommands")[0]?.commands).toEqual([
      {command: "help", description: "x".repeat(256)},
      {command: "count", description: "x".repeat(256)},
    ])
  })

  test("a file from another source is left to the Host", async () => {
    const {bot} = await start()
    const srcs = ["https://a.example/cat.png", "telegram:document/../../getMe", "telegram:passport/1", undefined]
    for (const src of srcs)
      expect(
        await download(bot, {element: {type: "img", attrs: {}, children: []}, ...(src && {src})}, signal),
      ).toBeUndefined()
  })
})

describe("a failure", () => {
  const file = {element: {type: "file", attrs: {}, children: []}, src: "telegram:document/gone"}

  test.each<[string, (scene: Awaited<ReturnType<typeof start>>) => Promise<unknown>, string, RegExp]>([
    [
      "a reaction that Telegram lacks",
      ({bot}) => react(bot, {id: "a", channel: "42", message: "5", emoji: "🫥"}, here, signal),
      "request_refused",
      /REACTION_INVALID/,
    ],
    ["an unknown user", ({bot}) => open(bot, "404", signal), "request_refused", /chat not found/],
    ["a user that is not a number", ({bot}) => open(bot, "@ada", signal), "target_invalid", /not a Telegram user/],
    [
      "a message that is not a number",
      ({bot}) => remove(bot, "abc", here, signal),
      "message_invalid",
      /not a Telegram message/,
    ],
    ["a file that no longer exists", ({bot}) => download(bot, file, signal), "request_refused", /invalid file_id/],
    [
      "a method that the server lacks",
      ({bot, fake}) => {
        fake.requests.order("sendGame", {status: 404, body: {description: "Not Found: method not found"}})
        return bot.api.sendGame({chat_id: 1, game_short_name: "x"})
      },
      "request_refused",
      /method not found/,
    ],
  ])("%s", async (_, act, reason, message) => {
    const scene = await start()
    expect(await failure(async () => act(scene))).toMatchObject({reason, message: expect.stringMatching(message)})
  })

  test("an unreachable server is reported without its address, which contains the token", async () => {
    const {bot} = await start("http://127.0.0.1:9")
    expect((await failure(() => bot.api.getMe())).message).toMatch(/\bgetMe: /)
    expect((await failure(() => bot.download("documents/x", signal))).message).toMatch(/^Telegram .*\bfile\b/)
  })
})
