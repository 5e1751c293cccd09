import {describe, expect, test} from "vitest"
import {
  accountAt,
  secretPart,
  startTelegramHost,
  telegramConfig,
  token,
  untilTelegram,
} from "../../../support/adapters/telegram-host.ts"
import {bunAnd, bunOr, makeProject, svc, textsBy, until} from "../../../support/host/host.ts"
import {startTelegram} from "../../../support/platforms/fakes.ts"

const answer = (code: number) => ({status: code, body: {description: `No: ${code}`}})

const always = {times: Number.POSITIVE_INFINITY}

test.each(bunAnd("node24"))("a bot that Telegram refuses once is online again by itself, on $name", async runtime => {
  const fake = await startTelegram({token})
  const host = await startTelegramHost([accountAt(fake)], {runtime})
  for (const [round, code] of [409, 404, 403, 400].entries()) {
    await host.post("/api/endpoints/:name/reconnect", {name: "telegram~main"})
    await untilTelegram(host, "online")
    fake.requests.order("getUpdates", answer(code))
    fake.cut()
    fake.say({text: "ping"})
    await until(`pong after ${code}`, () => fake.sent().filter(({text}) => text === "pong").length > round)
  }
})

const others = {OTHER_TOKEN: "999:AAanother-token"}

describe.each(bunOr("node24"))("a bot of Telegram that has trouble, on $name", runtime => {
  test("fails on a wrong token with a hint, and leaves other accounts running", async () => {
    const fake = await startTelegram({token})
    const wrong = accountAt(fake, {id: "wrong", token: "${OTHER_TOKEN}"})
    const host = await startTelegramHost([accountAt(fake), wrong], {runtime, env: others})
    expect(await untilTelegram(host, "failed", "wrong")).toMatchObject({
      reason: "credentials",
      error: expect.stringMatching(/: Unauthorized$/),
      remediation: expect.stringContaining("@BotFather"),
    })
    await untilTelegram(host, "online")
    fake.say({text: "ping"})
    await until("pong", () => fake.sent().some(({text}) => text === "pong"))
    expect(host.process.output()).not.toContain(secretPart)
  })

  test("waits with a hint while another program polls, and connects at once when an operator says so", async () => {
    const fake = await startTelegram({token})
    const host = await startTelegramHost([accountAt(fake)], {runtime})
    await untilTelegram(host, "online")
    fake.requests.order("getUpdates", answer(409), always)
    await fetch(`${fake.url}/bot${token}/getUpdates`)
    fake.cut()
    const waiting = await until("a pause of a minute", async () => {
      const view = await untilTelegram(host, "reconnecting")
      return Date.parse(view.retryAt ?? "") - Date.parse(view.since) >= 60_000 && view
    })
    expect(waiting).toMatchObject({
      reason: "conflict",
      remediation: expect.stringMatching(/\bother program\b.*\btoken\b/),
    })
    fake.requests.clear()
    await host.post("/api/endpoints/:name/reconnect", {name: "telegram~main"})
    fake.say({text: "ping"})
    await until("pong", () => fake.sent().some(({text}) => text === "pong"))
    expect(host.process.output()).not.toContain(secretPart)
  })

  test("stays up on malformed updates, and receives the updates after them", async () => {
    const fake = await startTelegram({token})
    const host = await startTelegramHost([accountAt(fake)], {runtime})
    await untilTelegram(host, "online")
    const chat = {id: 42, type: "private", first_name: "Ann"}
    const message = {message_id: 5, date: 1_700_000_000, chat, from: {id: 42, is_bot: false, first_name: "Ann"}}
    fake.push({message: 5})
    fake.push({message: {...message, chat: null, text: "x"}})
    fake.push({message: {...message, text: "x", date: "yesterday"}})
    fake.push({message: {...message, text: 5}})
    fake.push({message: {...message, text: "x", entities: [null, {type: "bold", offset: "a", length: {}}]}})
    fake.push({message: {...message, text: "x", from: "nobody"}})
    fake.push({message: {...message, text: "\0nul \ud800 half", message_id: 6}})
    fake.push({callback_query: {id: "1", from: null, data: "x", message}})
    fake.push({message_reaction: {chat, message_id: 5, date: 1, old_reaction: 4, new_reaction: []}})
    fake.push({message: {...message, text: "long ".repeat(200_000), message_id: 7}})
    fake.say({text: "ping"})
    await until("pong", () => fake.sent().some(({text}) => text === "pong"))
    await until("all updates to be confirmed", () => fake.waiting().length === 0)

    for (const method of ["getMe", "getUpdates"])
      for (const text of [
        "",
        "{",
        "null",
        '{"ok": true}',
        '{"ok": true, "result": [{}]}',
        "<html>Bad Gateway</html>",
      ]) {
        fake.requests.order(method, {status: 200, body: text}, always)
        await host.post("/api/endpoints/:name/reconnect", {name: "telegram~main"})
        const {error} = await untilTelegram(host, "reconnecting")
        expect(error).toMatch(/^Telegram\b.*\b(not|without|list)\b|\bBot API$/)
        fake.requests.clear()
      }
    await host.post("/api/endpoints/:name/reconnect", {name: "telegram~main"})
    fake.say({text: "ping", user: "43"})
    await until("the second pong", () => fake.sent().some(({chat, text}) => chat === "43" && text === "pong"))
    expect(host.process.output()).not.toContain(secretPart)
  })

  test("leaves messages with Telegram while ingress is paused, and receives them in order afterwards", async () => {
    const fake = await startTelegram({token})
    const host = await startTelegramHost([accountAt(fake)], {runtime})
    await untilTelegram(host, "online")
    await host.post("/api/ingress/pause")
    const polls = fake.arrivals()
    fake.say({text: "one"}, {text: "two"})
    await until("the bot to stop polling", () => fake.open() === 0)
    expect(await textsBy(host)).toEqual([])
    await host.post("/api/ingress/resume")
    await until("both messages to be stored", async () => (await textsBy(host)).length === 2)
    expect(await textsBy(host)).toEqual(["one", "two"])
    await until("both updates to be confirmed", () => fake.waiting().length === 0)
    expect(fake.arrivals() - polls).toBeLessThan(4)
  })

  test("svc adapter check reports what Telegram knows about the bot, and what to do", async () => {
    const fake = await startTelegram({token})
    const accounts = [accountAt(fake), accountAt(fake, {id: "wrong", token: "${OTHER_TOKEN}"})]
    const host = await startTelegramHost([...accounts, accountAt(fake, {id: "away", apiRoot: "http://127.0.0.1:9"})], {
      runtime,
      env: others,
    })
    await untilTelegram(host, "online")
    const check = async (id: string) => {
      const {code, stdout} = await svc(runtime, host.project, ["adapter", "check", `telegram~${id}`])
      return {code, stdout}
    }
    expect(await check("main")).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /credentials: the bot is @test_bot\n(.*\n)*.*privacy mode: on: (.*\n)*.*polling: no webhook/,
      ),
    })
    expect(await check("wrong")).toEqual({
      code: 1,
      stdout: expect.stringMatching(/credentials: Unauthorized\n +do: .*\/token of @BotFather/),
    })
    const away = await check("away")
    expect(away).toEqual({code: 1, stdout: expect.stringMatching(/platform: .*\bgetMe\b/)})
    expect(away.stdout).not.toContain(secretPart)
    expect((await untilTelegram(host, "online")).state).toBe("online")
  })

  test("fails if its library does not load, with the command that installs the right version", async () => {
    const fake = await startTelegram({token})
    const project = makeProject({
      config: telegramConfig([accountAt(fake)]),
      plugins: {words: 'import {definePlugin} from "svc-runtime"; export default definePlugin({setup() {}})'},
      files: {
        "node_modules/grammy/package.json": JSON.stringify({name: "grammy", version: "0.0.1", main: "main.js"}),
        "node_modules/grammy/main.js": "throw new Error('it is broken')",
      },
    })
    expect(await untilTelegram(await startTelegramHost([], {runtime, project}), "failed")).toMatchObject({
      reason: "library_missing",
      remediation: expect.stringContaining("grammy@1.46.0"),
    })
  })
})
