import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {startHost, type TestHost, until, usuallyOn} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {sendTo} from "../../support/messages/messages.ts"
import {door} from "../../support/plugins/door-plugin.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, openConsole} from "./console.ts"

const {backlog, bulk} = en.messages

const seqsOf = async (host: TestHost, state: string) =>
  (await host.get("/api/inbox", {state})).items.map(({seq}) => seq)

describeWithChromium("a backlog in the console", () => {
  test.each([
    {width: 1440, height: 900},
    {width: 360, height: 740},
  ])("is cut after a question with its number, at $width pixels", async viewport => {
    const host = await startHost({
      runtime: usuallyOn("node24"),
      config: 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {sandbox: {}, door: {}}\n',
      env,
      plugins: {door},
    })
    const say = (text: string, hours: number) =>
      host.plugin("/api/plugins/door/say", {text: `/open ${text}`, age: hours * 3_600_000})
    for (const [n, hours] of [20, 20, 2, 0].entries()) await say(String(n), hours)
    await sendTo(host, "door", "a", "one")
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at: "inbox", viewport})
    const bar = page.locator("[data-backlog]")
    await bar.getByText(backlog.waiting("3 events", "20 h")).waitFor()
    await expectNoBarriers(page, "a backlog")
    await expectNoSidewaysScroll(page, "a backlog")
    const press = async (label: string, count: string) => {
      await bar.getByRole("button", {name: label, exact: true}).click()
      const question = page.getByRole("alertdialog")
      await question.getByText(count, {exact: true}).waitFor()
      await question.getByRole("button", {name: label, exact: true}).click()
    }
    const cut = async (label: string, count: string) => {
      await press(label, count)
      await page.locator('[data-notice="done"]').getByText(bulk.done(count)).first().waitFor()
    }
    await cut(backlog.recent, "2 events")
    expect(await seqsOf(host, "discarded")).toEqual([3, 2])
    expect([await seqsOf(host, "pending"), await seqsOf(host, "running")]).toEqual([[4], [1]])
    // What still waits is not old.
    await until("no bar", async () => (await bar.count()) === 0)
    await say("4", 1)
    await page.reload()
    await bar.getByText(backlog.waiting("2 events", "1 h")).waitFor()
    await cut(backlog.hold, "2 events")
    expect(await seqsOf(host, "held")).toEqual([5, 4])
    // Held ones are a backlog too, but cannot be held again.
    await bar.getByRole("button", {name: backlog.hold, exact: true}).waitFor({state: "detached"})
    await press(backlog.handle, "2 events")
    // It is done only once its handlers have ended.
    await until("both to wait", async () => (await seqsOf(host, "pending")).join() === "5,4")
    // A message that has waited for seconds is no backlog.
    await page.goto(`${page.url().split("#")[0]}#/outbox`)
    await page.locator("[data-message]").first().waitFor()
    expect(await bar.count()).toBe(0)
  })
})
