import {describe, expect, test} from "vitest"
import {
  accountAt,
  startTelegramHost,
  telegramConfig,
  token,
  untilTelegram,
} from "../../../support/adapters/telegram-host.ts"
import {bunOr, freePort, svc, textsBy, until} from "../../../support/host/host.ts"
import {startTelegram} from "../../../support/platforms/fakes.ts"

describe.each(bunOr("node22"))("on $name", runtime => {
  test("a webhook is verified, answered once its update is stored, survives kill -9, and is deleted for polling", async () => {
    const fake = await startTelegram({token})
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/hooks/telegram/telegram~main`
    const account = accountAt(fake, {webhook: url})
    let host = await startTelegramHost([account], {own: true, runtime, http: {port}, args: ["--no-watch"]})
    await untilTelegram(host, "online")
    expect(fake.updates.webhook).toBe(url)
    const {project} = host
    const check = await svc(runtime, project, ["adapter", "check", "telegram~main"])
    expect(check.stdout).toContain(`webhook: updates go to ${url}`)

    const post = (secret: string, body: string, method = "POST") =>
      fetch(url, {method, headers: {"x-telegram-bot-api-secret-token": secret}, ...(method === "POST" ? {body} : {})})
    const forged = JSON.stringify({update_id: 1, message: {message_id: 1, date: 1, text: "forged"}})
    for (const secret of ["", "x", "é".repeat(20)]) {
      const answer = await post(encodeURIComponent(secret), forged)
      expect({status: answer.status, body: await answer.text()}).toMatchObject({
        status: 403,
        body: expect.not.stringContaining(token),
      })
    }
    expect((await post("", "", "GET")).status).toBe(405)

    const said = Array.from({length: 12}, (_, n) => `text ${n + 1}`)
    for (const text of said.slice(0, 6)) fake.say({text})
    await until("some updates to be stored", async () => (await textsBy(host)).length >= 2)
    await host.stop("SIGKILL")
    for (const text of said.slice(6)) fake.say({text})
    host = await startTelegramHost([], {own: true, runtime, project, args: ["--no-watch"]})
    await until("all updates to be accepted", () => fake.waiting().length === 0)
    fake.repeat()
    await until("the repeated update to be accepted", () => fake.waiting().length === 0)
    expect(await textsBy(host)).toEqual(said)
    expect(new Set(fake.updates.answers)).toContain(200)

    project.write("svc.config.yml", telegramConfig([accountAt(fake)], {port}))
    await host.post("/api/system/reload")
    await untilTelegram(host, "online")
    expect(fake.updates.webhook).toBe("")
    fake.say({text: "ping"})
    await until("pong", () => fake.sent().some(({text}) => text === "pong"))
    expect((await post("x", forged)).status).toBe(404)
  })
})

test("updates wait for the Host while ingress is paused, and an invalid body is rejected", async () => {
  const fake = await startTelegram({token})
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/hooks/telegram/telegram~main`
  const host = await startTelegramHost([accountAt(fake, {webhook: url})], {http: {port}})
  await untilTelegram(host, "online")
  await host.post("/api/ingress/pause")
  fake.say({text: "later"})
  await until("the Host to refuse Telegram's update", () => fake.updates.answers.includes(503))
  expect(await textsBy(host)).toEqual([])
  await host.post("/api/ingress/resume")
  await until("the update to be accepted", () => fake.waiting().length === 0)
  expect(await textsBy(host)).toEqual(["later"])
  expect(fake.updates.answers.at(-1)).toBe(200)
})
