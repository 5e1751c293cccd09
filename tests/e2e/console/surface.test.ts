import type {Page} from "playwright-core"
import {expect, test} from "vitest"
import {pluginWith, shared, startHost, type TestHost, usuallyOn, wirePlugin} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, goTo, openConsole} from "./console.ts"

/** Returns a name of the greatest length, without a place to break it. */
const long = (name: string) => `${name}_${"of_which_everybody_has_to_see_the_end".repeat(2)}`.slice(0, 60)

const [wire, games, account, agent, job] = ["wire", "games", "account", "agent", "job"].map(long) as [
  string,
  string,
  string,
  string,
  string,
]

const config = `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
  ${games}: {}
  ${wire}: {endpoints: [{id: ${account}}, {id: other}]}
agents:
  ${agent}: {provider: openai, model: none, enabled: false}
status:
  title: ${long("title")}
  labels: [{label: The bot}, {label: ${long("label")}, plugin: ${games}}]
`

const longHost = async (): Promise<TestHost> => {
  const host = await startHost({
    runtime: usuallyOn("node24"),
    config,
    env,
    plugins: {
      [wire]: wirePlugin,
      [games]: pluginWith(`
        plugin.command("play", () => "${long("answer")}")
        plugin.command("${long("lose").slice(0, 40)}", () => { throw new Error("${long("error")}") })`),
    },
  })
  const [user, channel] = [long("user"), long("channel")]
  await host.say("/play", {user, channel})
  await host.say(`/${long("lose").slice(0, 40)}`, {user, channel})
  await host.post("/api/workroom/items", {body: {title: long("title"), labels: [long("label").slice(0, 40)]}})
  await host.post("/api/workroom/items/:id/claim", {id: 1, body: {expectedRevision: 1, assignee: `user:${user}`}})
  const target = {endpoint: "sandbox", channel, text: long("text")}
  await host.post("/api/jobs", {body: {id: job, schedule: {cron: "30 7 * * *"}, timezone: "Europe/Berlin", target}})
  await host.post("/api/jobs/:id/run", {id: job})
  return host
}

const pages = [
  "",
  "metrics",
  "events",
  "endpoints",
  `endpoints/${wire}`,
  `endpoints/wire~${account}`,
  "inbox",
  "inbox/2",
  "outbox",
  "workroom",
  "workroom/1",
  "jobs",
  `jobs/${job}`,
  "agents",
  `agents/${agent}`,
  "plugins",
  `plugins/${games}`,
  "generations",
  "operations",
  "chat",
]

/** Returns the texts that are cut off and have no title with the full text. */
const cutWithoutTitle = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("main *, aside *")]
      .filter(element => {
        const {overflowX, textOverflow} = getComputedStyle(element)
        const isCut = overflowX === "hidden" && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1
        return isCut && !(textOverflow === "ellipsis" && element.closest("[title], a[href]") !== null)
      })
      .map(({outerHTML}) => outerHTML.slice(0, 200)),
  )

describeWithChromium("the surface of the console", () => {
  const host = shared(longHost)

  test("shows long names on each page at 360 pixels without sideways scroll", async () => {
    const {page} = await openConsole(await startChromium(), host(), {
      token: env.HTTP_TOKEN,
      viewport: {width: 360, height: 740},
      colorScheme: "dark",
    })
    for (const at of pages) {
      await goTo(page, at)
      await page.locator("h1").waitFor()
      await page.waitForFunction(() => document.querySelector("main [aria-busy=true]") === null)
      await expectNoSidewaysScroll(page, at || "overview")
      expect(await cutWithoutTitle(page), at).toEqual([])
      if (at === "inbox/2" || at === "endpoints") await expectNoBarriers(page, at)
    }
    await goTo(page, "endpoints")
    const name = page.locator(`[data-endpoint="wire~${account}"] a.ellipsis`)
    expect(await name.getAttribute("title")).toBe(`wire~${account}`)
    expect(await name.evaluate(link => link.scrollWidth > link.clientWidth)).toBe(true)
  })

  test("shows placeholders for a late answer, which moves nothing when it arrives", async () => {
    const {page} = await openConsole(await startChromium(), host(), {token: env.HTTP_TOKEN, direct: true})
    const release = Promise.withResolvers<void>()
    await page.route("**/api/inbox?**", async route => {
      await release.promise
      await route.continue()
    })
    await goTo(page, "inbox")
    const skeleton = page.locator('[data-skeleton="shown"]')
    await skeleton.waitFor()
    const list = page.locator('[aria-label="Inbox"][aria-busy]')
    expect(await list.getAttribute("aria-busy")).toBe("true")
    expect(
      await skeleton
        .locator(".line")
        .first()
        .evaluate(line => getComputedStyle(line).animationName),
    ).toBe("none")
    await expectNoBarriers(page, "an inbox that loads slowly")
    const before = await list.boundingBox()
    release.resolve()
    await page.locator("[data-seq]").first().waitFor()
    expect(await skeleton.count()).toBe(0)
    expect(await list.boundingBox()).toEqual(before)
    expect(await list.getAttribute("aria-busy")).toBe("false")
  })

  test("shows the full time on hover", async () => {
    const {page} = await openConsole(await startChromium(), host(), {token: env.HTTP_TOKEN, at: "inbox/1"})
    await page.locator("[data-answer]").waitFor()
    const times = await page
      .locator("main time")
      .evaluateAll(all => all.map(time => [time.getAttribute("title"), time.getAttribute("datetime")]))
    expect(times.length).toBeGreaterThan(3)
    for (const [title, at] of times) {
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT/)
      expect(title).toMatch(/\d{4}.*\d\d:\d\d:\d\d/)
    }
  })

  test("has a public status page that needs no script, at 360 pixels and in the dark", async () => {
    const context = await (await startChromium()).newContext({
      viewport: {width: 360, height: 740},
      colorScheme: "dark",
      locale: "de-DE",
    })
    const page = await context.newPage()
    const refusals: string[] = []
    page.on("console", message => refusals.push(message.text()))
    await page.goto(`${host().url}/status/`)
    expect(await page.locator("h1").textContent()).toBe(long("title"))
    expect(await page.locator("html").getAttribute("lang")).toBe("de")
    expect(await page.locator(".overall").textContent()).toBe("Alles läuft")
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(20, 23, 26)")
    await expectNoSidewaysScroll(page, "the status page")
    await expectNoBarriers(page, "the status page")
    expect(await context.cookies()).toEqual([])
    expect(refusals).toEqual([])
    await context.close()
  })
})
