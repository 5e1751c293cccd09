import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {pluginWith, startHost, story, usuallyOn} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, openConsole} from "./console.ts"

const config = (plugins: string) => `http: {port: 0, token: "\${HTTP_TOKEN}"}\nplugins: ${plugins}\n`

const greeter = pluginWith(`
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => "hello " + args.name)`)

describeWithChromium("the chat in the console", () => {
  test("shows the commands of the bot and its answers", story, async () => {
    const host = await startHost({
      runtime: usuallyOn("node22"),
      config: config("{sandbox: {}, greeter: {}}"),
      env,
      plugins: {greeter},
    })
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at: "chat"})
    await page.getByRole("button", {name: "/greet"}).click()
    const field = page.getByLabel(en.chat.say)
    expect(await field.inputValue()).toBe("/greet ")
    await field.fill("/greet Ada")
    await field.press("Enter")
    await page.locator('[data-said="bot"]', {hasText: "hello Ada"}).waitFor()
    await expectNoBarriers(page, "chat")
  })

  test("says how to add the sandbox to a project without one", async () => {
    const host = await startHost({config: config("{}"), env})
    // The OpenAPI document lacks the routes of a plugin that is not enabled, so Prism would reject them.
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at: "chat", direct: true})
    await page.getByText(en.chat.missing).waitFor()
  })
})
