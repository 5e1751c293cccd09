import {rmSync} from "node:fs"
import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {pluginWith, startHost, type TestHost, until, usuallyOn} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, openConsole, untilHeadingFocused} from "./console.ts"

/** Fails while the project has the file `broken`. */
const moody = pluginWith(`
    plugin.command("ask", {description: "Answers, or fails"}, () => {
      if (existsSync(join(plugin.project, "broken"))) throw new Error("broken")
      return "an answer"
    })`)

const moodyHost = async (): Promise<TestHost> => {
  const host = await startHost({
    runtime: usuallyOn("node24"),
    config: 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {sandbox: {}, moody: {}}\n',
    env,
    plugins: {moody},
    files: {broken: ""},
  })
  for (const user of ["ann", "bob", "ann"]) await host.say("ask", {user, channel: `of-${user}`})
  return host
}

describeWithChromium("finding in the console", () => {
  test.each([
    {width: 1440, height: 900},
    {width: 360, height: 740},
  ])("all failed messages of one user are found, counted and retried at $width pixels", async viewport => {
    const host = await moodyHost()
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at: "inbox", viewport})
    await page.getByRole("combobox", {name: "State", exact: true}).selectOption("failed")
    await until("three events", async () => (await page.locator("[data-seq]").count()) === 3)
    await page.getByRole("button", {name: "Filters"}).click()
    await page.getByRole("searchbox", {name: "User"}).fill("ann")
    await page.getByRole("searchbox", {name: "User"}).press("Enter")
    await until("two events", async () => (await page.locator("[data-seq]").count()) === 2)
    expect(await page.evaluate(() => location.hash)).toBe("#/inbox?state=failed&user=ann")
    await expectNoBarriers(page, "a filtered list")
    await expectNoSidewaysScroll(page, "a filtered list")

    rmSync(host.project.path("broken"))
    await page.getByRole("button", {name: en.messages.bulk.actions.retry}).click()
    const question = page.getByRole("alertdialog")
    await question.getByText("2 events", {exact: true}).waitFor()
    await question.getByRole("button", {name: en.messages.bulk.actions.retry}).click()
    await page.locator('[data-notice="done"]').getByText("Done for 2 events.").waitFor()
    await until("no failed event of ann", async () => (await page.locator("[data-seq]").count()) === 0)
    expect((await host.get("/api/inbox", {state: "failed"})).items.map(({seq}) => seq)).toEqual([2])

    // The address contains the filters, so that a user can share it.
    await page.getByRole("link", {name: "Clear filters"}).click()
    await until("three events", async () => (await page.locator("[data-seq]").count()) === 3)
  })

  test("Ctrl-K goes to anything by its name or number, and Escape closes the item", async () => {
    const host = await moodyHost()
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN})
    const jump = async (to: string) => {
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox", {name: "Go to"}).fill(to)
    }
    await jump("moo")
    await page.getByRole("option", {name: /^moody/}).waitFor()
    await expectNoBarriers(page, "the jump")
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => location.hash === "#/plugins/moody")
    await jump("2")
    await page.getByRole("option", {name: en.jump.kinds.event}).waitFor()
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => location.hash === "#/inbox/2")
    await untilHeadingFocused(page, "h1", "Inbox")
    await page.keyboard.press("Escape")
    await page.waitForFunction(() => location.hash === "#/inbox")
    await jump("nothing of that name")
    await page.getByText("No matches.").waitFor()
    await page.keyboard.press("Escape")
    await until("the jump to close", async () => (await page.getByRole("dialog").count()) === 0)
  })
})
