import {rmSync} from "node:fs"
import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {pluginWith, shared, startHost, type TestHost, until, usuallyOn} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, goTo, openConsole} from "./console.ts"

/** Answers twice, but fails while the project has the file `broken`. */
const moody = pluginWith(`
    plugin.command("ask", async ({session}) => {
      if (existsSync(join(plugin.project, "broken"))) throw new Error("the oracle is asleep")
      await session.send("first answer")
      return "second answer"
    })`)

const moodyHost = async (): Promise<TestHost> => {
  const host = await startHost({
    runtime: usuallyOn("node22"),
    config: 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {sandbox: {}, moody: {}}\n',
    env,
    plugins: {moody},
  })
  await host.say("/ask", {user: "ann", channel: "of-ann"})
  return host
}

describeWithChromium("the console's notices and links", () => {
  const host = shared(moodyHost)

  test("an inbox event shows its answers with text, channel and state, and links to each", async () => {
    const {page} = await openConsole(await startChromium(), host(), {token: env.HTTP_TOKEN, at: "inbox/1"})
    const answers = page.getByRole("list", {name: "Answers"}).getByRole("listitem")
    await until("two answers", async () => (await answers.count()) === 2)
    for (const [index, text] of ["first answer", "second answer"].entries()) {
      const said = await answers.nth(index).textContent()
      expect(said).toContain(text)
      expect(said).toContain("of-ann")
      expect(said).toContain("sent")
    }
    await answers.first().getByRole("link").click()
    await page.waitForFunction(() => location.hash.startsWith("#/outbox/"))
  })

  test("the chat marks a message whose handler failed, and a retry clears the mark", async () => {
    host().project.write("broken", "")
    const {page} = await openConsole(await startChromium(), host(), {token: env.HTTP_TOKEN, at: "chat"})
    const field = page.getByLabel(en.chat.say)
    await field.fill("/ask")
    await field.press("Enter")
    const failed = page.locator('[data-said="failed"]')
    await failed.getByText("the oracle is asleep").waitFor()
    await expectNoBarriers(page, "a chat with a failure")
    expect(await failed.getByRole("link").getAttribute("href")).toMatch(/^#\/inbox\/\d+$/)
    rmSync(host().project.path("broken"))
    await failed.getByRole("button", {name: "Retry"}).click()
    await page.locator('[data-said="bot"]', {hasText: "second answer"}).waitFor()
    await until("no failure", async () => (await failed.count()) === 0)
  })

  test("a rejected message stays in the chat with its reason, and a retry sends it once", async () => {
    const {page} = await openConsole(await startChromium(), host(), {token: env.HTTP_TOKEN, at: "chat", direct: true})
    const isPost = (request: {method(): string}) => request.method() === "POST"
    let isCut = true
    await page.route("**/api/plugins/sandbox/messages", route =>
      isCut && isPost(route.request()) ? route.abort() : route.continue(),
    )
    const field = page.getByLabel(en.chat.say)
    await field.fill("is anybody there?")
    await field.press("Enter")
    const refused = page.locator('[data-said="refused"]')
    await refused.getByText(en.chat.refused).waitFor()
    isCut = false
    await refused.getByRole("button", {name: "Retry"}).click()
    const isStored = async () => {
      const {items} = await host().plugin<{items: {text: string}[]}>("/api/plugins/sandbox/messages?channel=console")
      return items.filter(({text}) => text === "is anybody there?").length === 1
    }
    await until("the Host to have the message once", isStored)
    await until("no refusal", async () => (await refused.count()) === 0)
    const shown = page.locator('[data-said="user"]', {hasText: "anybody"})
    await until("the chat to show it once", async () => (await shown.count()) === 1)
  })

  test("a notice links to its result, stays under the pointer, and disappears after a while", async () => {
    const {page} = await openConsole(await startChromium(), host(), {token: env.HTTP_TOKEN, at: "endpoints/sandbox"})
    await page.clock.install()
    const send = async (channel: string) => {
      await page.getByRole("button", {name: "Send a message"}).click()
      await page.getByLabel("Channel").fill(channel)
      await page.getByLabel("Text").fill("hello")
      await page.getByRole("alertdialog").getByRole("button", {name: "Send a message"}).click()
    }
    await send("of-ann")
    const notice = page.locator('[data-notice="done"]')
    await notice.waitFor()
    await notice.hover()
    await page.clock.fastForward(60_000)
    expect(await notice.count()).toBe(1)
    await page.getByRole("heading", {level: 1}).hover()
    await page.clock.fastForward(20_000)
    await until("the notice to be gone", async () => (await notice.count()) === 0)
    await send("of-bob")
    await notice.getByRole("link", {name: "Show", exact: true}).click()
    await page.waitForFunction(() => location.hash.startsWith("#/outbox/"))
    // A focused notice stays, too.
    await page.clock.fastForward(60_000)
    expect(await notice.count()).toBe(1)
    await notice.getByRole("button", {name: "Dismiss"}).click()
    await until("the notice to be gone", async () => (await notice.count()) === 0)
  })

  test("the address contains the filters of a list, and a count links to exactly its items", async () => {
    const {page} = await openConsole(await startChromium(), host(), {
      token: env.HTTP_TOKEN,
      at: "endpoints?state=failed",
    })
    expect(await page.getByRole("combobox", {name: "State"}).inputValue()).toBe("failed")
    expect(await page.locator("[data-endpoint]").count()).toBe(0)
    await page.getByRole("combobox", {name: "State"}).selectOption("")
    await page.locator("[data-endpoint=sandbox]").waitFor()
    expect(await page.evaluate(() => location.hash)).toBe("#/endpoints")

    await goTo(page, "plugins?state=disabled")
    await page.getByRole("combobox", {name: "State"}).waitFor()
    expect(await page.locator("[data-plugin]").count()).toBe(0)

    await goTo(page, "events?type=generation&text=started")
    await page.locator('[data-event^="generation."]').first().waitFor()
    expect(await page.locator('[data-event^="message."]').count()).toBe(0)
    await page.getByRole("tab", {name: "Logs"}).click()
    await page.getByRole("searchbox").fill("no such line")
    await page.waitForFunction(() => location.hash === "#/events?show=logs&text=no+such+line")
    await page
      .getByText("No matching records")
      .or(page.getByText("nothing", {exact: false}))
      .first()
      .waitFor()

    await goTo(page, "")
    await page.locator("[data-count=received]").getByRole("link").click()
    await page.waitForFunction(() => location.hash.startsWith("#/inbox?from="))
    const {items} = await host().get("/api/inbox", {limit: 100})
    await until(
      "the list to have all received events",
      async () => (await page.locator("[data-seq]").count()) === items.length,
    )
  })
})
