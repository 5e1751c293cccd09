import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {pluginWith, startHost, until, usuallyOn, wirePlugin} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {expectNoBarriers, expectNoSidewaysScroll, goTo, openConsole, untilHeadingFocused} from "./console.ts"

const env = {
  HTTP_TOKEN: "the-full-token-of-the-console",
  DEMO_TOKEN: "the-demo-token-of-the-console",
  KEY: "a-key-that-nobody-may-see",
}

/** Settings of each kind, and a command that throws after its handler has ended, at a known line. */
const risky = pluginWith(
  `
    plugin.command("risk", {description: "Throw later"}, () => {
      setTimeout(() => { throw new Error("it went wrong") }, 1)
      return "ok"
    })
    plugin.job("digest", {description: "Sums it up"}, () => {})
    plugin.middleware((_, next) => next())`,
  `description: "Takes risks",
  config: Type.Object({
    key: Type.Secret({description: "Of the service"}),
    mode: Type.Enum(["calm", "wild"]),
    often: Type.Optional(Type.Integer({default: 3})),
    tone: Type.Object({loud: Type.Boolean()}),
  })`,
)
const thrownAt = `plugins/risky.ts:${risky.split("\n").findIndex(line => line.includes("it went wrong")) + 1}:`

const config = `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}
plugins:
  sandbox: {}
  risky:
    config: {key: "\${KEY}", mode: wild, tone: {loud: true}}
  wire:
    endpoints: [${Array.from({length: 120}, (_, n) => `{id: room-${n}}`).join(", ")}]
`
const broken = pluginWith('throw new Error("not like this")')
const plugins = {risky, wire: wirePlugin}

describeWithChromium("the plugins in the console", () => {
  test("are a graph; one that throws shows the place of its error and can be disabled", async () => {
    const host = await startHost({runtime: usuallyOn("node22"), config, env, plugins})
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at: "plugins"})
    const wire = page.locator('[data-plugin="wire"]')
    await wire.getByText("108 more endpoints").click()
    await wire.getByRole("link", {name: "wire~room-119 online"}).waitFor()
    expect(await wire.getByRole("listitem").count()).toBe(1 + 120)
    await page.locator('[data-plugin="risky"]').getByText("1 command, 1 middleware, 1 job").waitFor()

    await page.getByRole("link", {name: "risky", exact: true}).press("Enter")
    await untilHeadingFocused(page, "h2", "risky")
    await page.getByRole("link", {name: "Close"}).press("Enter")
    await until("the graph to show it again", () =>
      page.evaluate(() => document.activeElement?.closest("[data-plugin]")?.getAttribute("data-plugin") === "risky"),
    )
    await page.keyboard.press("Enter")
    const settings = (path: string) => page.locator(`[data-setting="${path}"]`)
    await settings("key").getByText("svc.config.yml:5:14").waitFor()
    expect(await page.getByLabel("key (required)").inputValue()).toBe("set, never shown")
    expect(await page.getByLabel("mode (required)").inputValue()).toBe("wild")
    expect(await page.getByLabel("often").inputValue()).toBe("3")
    await settings("often").getByText("default", {exact: true}).waitFor()
    expect(await page.getByLabel("tone.loud (required)").isChecked()).toBe(true)
    expect(await page.getByLabel("tone.loud (required)").isEditable()).toBe(false)
    expect(await page.content()).not.toContain(env.KEY)
    await page.locator('[data-capability="root/risky/command/risk"]').getByText("Throw later").waitFor()
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({colorScheme})
      await expectNoBarriers(page, `a plugin, ${colorScheme}`)
    }

    for (let times = 0; times < 3; times++) {
      await until("the plugin to answer", async () => (await host.say("/risk"))[0] === "ok")
      await page.locator("[data-past]", {hasText: thrownAt}).nth(times).waitFor()
    }
    await page.locator("[data-plugin-error]", {hasText: "it went wrong"}).getByText(thrownAt).waitFor()
    await goTo(page, "")
    await page.getByRole("link", {name: "Show: The plugin risky is quarantined"}).click()
    await page.locator('[data-plugin="risky"]').getByText("quarantined").waitFor()
    await page.getByRole("link", {name: "risky", exact: true}).click()

    const act = async (name: string) => {
      await page.getByRole("button", {name, exact: true}).press("Enter")
      const yes = page.getByRole("alertdialog").getByRole("button").last()
      await yes.waitFor()
      await until("its button to have the focus", async () => {
        await page.keyboard.press("Tab")
        return yes.evaluate(button => button === document.activeElement)
      })
      await page.keyboard.press("Enter")
    }
    await act("Try risky again")
    await page.locator('[data-plugin="risky"]').getByText("active").waitFor()
    await act("Disable risky")
    await page.getByText("plugins.risky.enabled is false").waitFor()
    await page.getByText("Generation 3 is pinned").waitFor()
    await act("Enable risky")
    await page.locator('[data-plugin="risky"]').getByText("active").waitFor()
    await page.getByText("is pinned").waitFor({state: "detached"})
    host.project.write("plugins/wire.ts", broken)
    await page
      .getByRole("status")
      .getByText(/wire\.ts:9:\d+ plugins\.wire: not like this/)
      .waitFor()
    await page.setViewportSize({width: 360, height: 740})
    await expectNoSidewaysScroll(page, "a plugin")
  })

  test("are shown to a demo token without settings and without actions", async () => {
    const host = await startHost({config, env, plugins})
    host.project.write("plugins/wire.ts", broken)
    const {page} = await openConsole(await startChromium(), host, {token: env.DEMO_TOKEN, at: "plugins/risky"})
    await page.getByRole("status").getByText("plugin_invalid").waitFor()
    await page.getByLabel("mode (required)").waitFor()
    expect(await page.getByLabel("mode (required)").inputValue()).toBe(en.hidden)
    expect(await page.getByRole("button").allTextContents()).toEqual(["Go to …", "Sign out"])
    await goTo(page, "plugins/nobody")
    await page.getByText("has no plugin").waitFor()
    await expectNoBarriers(page, "a plugin that does not exist")
  })

  test("the overview names a plugin that keeps failing, with error and place, and can disable it", async () => {
    const moody = pluginWith(`plugin.command("bad", async () => { await sleep(20); throw new Error("in a bad mood") })`)
    const line = moody.split("\n").findIndex(each => each.includes("bad mood")) + 1
    const host = await startHost({
      runtime: usuallyOn("node24"),
      config: `http: {port: 0, token: "\${HTTP_TOKEN}"}\nmessages: {failure: ""}\nplugins: {sandbox: {}, moody: {}}\n`,
      env,
      plugins: {moody},
    })
    for (let count = 0; count < 3; count++) await host.say("/bad")
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN})
    await page.getByRole("heading", {name: en.attention.failing("moody", 3, 3)}).waitFor()
    await expectNoBarriers(page, "a plugin that keeps failing")
    await page.getByRole("link", {name: /Show: The plugin moody keeps failing/}).click()
    await untilHeadingFocused(page, "h2", "moody")
    const last = page.locator("[data-last-failure]")
    await last.getByText("in a bad mood").waitFor()
    expect(await last.textContent()).toContain(`plugins/moody.ts:${line}:`)
    expect(await page.getByText(/root\/moody\/command\/bad: \d+\.\d ms on average/).count()).toBe(1)
    expect(await page.getByText("3 of 3 attempts failed").count()).toBe(2)
    await page.getByRole("img", {name: en.plugins.handlers.sparkline("3")}).waitFor()
    await expectNoBarriers(page, "the failures of a plugin")
    await page.getByRole("link", {name: "Inbox event 3"}).waitFor()
    await goTo(page, "")
    await page.getByRole("button", {name: "Disable moody"}).click()
    await host.say("/bad")
    await page.getByText(en.attention.failing("moody", 4, 4)).waitFor()
    await page.getByRole("alertdialog").getByRole("button", {name: "Disable"}).click()
    await page.getByRole("heading", {name: /moody keeps failing/}).waitFor({state: "detached"})
    expect(await host.get("/api/plugins/:plugin", {plugin: "moody"})).toMatchObject({state: "disabled"})
  })
})
