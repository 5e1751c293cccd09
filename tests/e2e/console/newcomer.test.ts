import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {pluginWith, startHost, usuallyOn} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, openConsole} from "./console.ts"

const config = (mood: string) => `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
  host:
    config: {mood: ${mood}}
messages: {failure: ""}
`

/** Answers, or throws in a bad mood. */
const host = pluginWith(
  `
    plugin.on("message-created", {name: "answer"}, async session => {
      if (config.mood === "bad") throw new Error("in a bad mood")
      await session.send("welcome")
    })`,
  `config: Type.Object({mood: Type.String({description: "How it feels"})})`,
)

describeWithChromium("a newcomer to the project", () => {
  test("finds why a message was not answered, rolls back, and makes and verifies a checkpoint", async () => {
    const project = {config: config("good"), env, plugins: {host}, args: ["--no-watch"]}
    const running = await startHost({runtime: usuallyOn("node24"), ...project})
    running.project.write("svc.config.yml", config("bad"))
    await running.post("/api/system/reload")
    const {page} = await openConsole(await startChromium(), running, {token: env.HTTP_TOKEN})
    // From here on, the test uses only what the pages show.
    const menu = (name: string) => page.getByRole("navigation").getByRole("link", {name, exact: true}).click()
    const link = (name: string | RegExp) => page.getByRole("main").getByRole("link", {name}).click()
    const act = async (name: string | RegExp, yes: string) => {
      await page.getByRole("main").getByRole("button", {name, exact: true}).click()
      await page.getByRole("alertdialog").getByRole("button", {name: yes, exact: true}).click()
    }
    const done = (event: string) => page.getByText(`Event ${event}`).first()

    await menu("Chat")
    await page.getByLabel(en.chat.say).fill("hello?")
    await page.getByRole("button", {name: "Send"}).click()
    await page.getByText("hello?").first().waitFor()

    await link("What happened")
    await page.getByText("No answers.").waitFor()

    await menu("Overview")
    await link(new RegExp(`^${en.attention.show}: ${en.attention.inboxAside(1)}`))
    await link(/hello\?/)
    await page.getByText("in a bad mood").first().waitFor()
    await link("Show its events")
    const failed = page.getByRole("listitem").filter({hasText: "in a bad mood"})
    await failed.getByText("failed on").waitFor()
    await failed.getByRole("link", {name: "inbox event 1"}).click()
    await link("Plugin host")
    expect(await page.getByLabel("mood (required)").inputValue()).toBe("bad")
    await page.getByText("svc.config.yml:5:14").waitFor()

    await menu("Generations")
    await link("Changes of generation 2")
    await page.getByText("config: {mood: good}").waitFor()
    await act(en.generations.rollBackTo(1), "Roll back")
    await done("generation.committed").waitFor()
    await menu("Inbox")
    await link(/hello\?/)
    await act("Retry", "Retry")
    await done("message.handled").waitFor()
    await menu("Chat")
    await page.getByText("welcome").first().waitFor()

    await menu("Operations")
    await act("Make a checkpoint", "Make a checkpoint")
    await done("checkpoint.verified").waitFor({timeout: 60_000})
    await act(/^Verify /, "Verify")
    await page.locator("[data-notice=done]", {hasText: "Verify"}).waitFor({timeout: 60_000})
    await page.getByRole("button", {name: en.operations.ask}).click()
    await page.locator("[data-answer]").nth(4).waitFor()
    expect(await page.locator('[data-answer="yes"]').count()).toBe(5)
  })
})
