import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {hour, storePast} from "../../support/console/past.ts"
import {bunOr, pluginWith, startHost, until, usuallyOn} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, live, openConsole} from "./console.ts"

const config = 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {sandbox: {}}\n'

const hostWithPast = async () => {
  const first = await startHost({config, env})
  await first.stop()
  await storePast(first.project.path(".svc/data.sqlite"), {endpoint: "irc~libera"})
  return startHost({runtime: usuallyOn("node24"), project: first.project, env})
}

test.each(bunOr("node24"))("what a run did is stored at its end and shown by the next one, on $name", async runtime => {
  const moody = pluginWith(`plugin.command("bad", () => { throw new Error("in a bad mood") })`)
  const first = await startHost({runtime, config: config.replace("{}}", "{}, moody: {}}"), env, plugins: {moody}})
  await first.say("hello")
  for (let count = 0; count < 3; count++) await first.say("/bad")
  await first.stop()
  const second = await startHost({runtime, project: first.project, env})
  const {handlers} = await until("the attempts of the first run", async () => {
    const plugin = await second.get("/api/plugins/:plugin", {plugin: "moody"})
    return plugin.handlers?.hour.ended === 3 && plugin
  })
  expect(handlers).toMatchObject({hour: {failed: 3}, day: {failed: 3}, lastFailure: {seq: 4}, slowest: null})
  const from = new Date(Date.now() - hour).toISOString()
  const view = await second.get("/api/metrics/history", {from})
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0)
  expect(sum(view.received)).toBe(4)
  expect(sum(view.starts)).toBe(2)
  expect(view.newestStarts).toHaveLength(2)
  expect(sum(view.ran)).toBeGreaterThan(0)
  expect(view.endpoints.map(({name}) => name)).toEqual(["sandbox"])
  expect(view.memory.some(value => (value ?? 0) > 10_000_000)).toBe(true)
  for (const query of [
    "from=yesterday",
    "from=2100-01-01T00:00:00Z",
    "to=2020-01-01T00:00:00Z&from=2020-01-02T00:00:00Z",
  ])
    expect((await second.fetch(`/api/metrics/history?${query}`)).status, query).toBe(400)
})

describeWithChromium("the past in the console", () => {
  test("a day of metrics shows axes, uptime and holes, and zooms into a part", async () => {
    const {page} = await openConsole(await startChromium(), await hostWithPast(), {
      token: env.HTTP_TOKEN,
      at: "metrics",
    })
    for (const title of ["Messages per minute", "Failures", en.metrics.handlers, en.metrics.database])
      await page.getByRole("heading", {name: title}).waitFor()
    await page.getByRole("img", {name: /^Messages over time: [1-9][\d,]+ received, [1-9][\d,]+ sent$/}).waitFor()
    await expectNoBarriers(page, "the metrics")
    await page.locator('[data-uptime="irc~libera"]').getByText("99.96 %").waitFor()
    expect(await page.getByText("Host running").locator("..").textContent()).toMatch(/99\.[23]\d %/)

    await page.getByRole("link", {name: "1 hour"}).click()
    await page.getByRole("img", {name: "Failures over time: 3 of handlers, 0 messages not sent"}).waitFor()
    const chart = page.getByRole("img", {name: /^Messages over time/}).first()
    const box = await chart.boundingBox()
    if (box === null) throw new Error("the chart is not there")
    await page.mouse.move(box.x + box.width * 0.3, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, {steps: 5})
    await page.mouse.up()
    await page.waitForFunction(() => /^#\/metrics\/2.*\/2/.test(decodeURIComponent(location.hash)))
    await page.getByRole("link", {name: "Zoom out"}).click()
    await page.getByRole("link", {name: "7 days"}).click()
    await page.getByText("1 h", {exact: true}).waitFor()

    await page.setViewportSize({width: 360, height: 740})
    await expectNoSidewaysScroll(page, "the metrics")
    await expectNoBarriers(page, "the metrics on a phone")
  })

  test("the overview lists what happened while nobody looked, until it is marked as seen", async () => {
    const {page} = await openConsole(await startChromium(), await hostWithPast(), {token: env.HTTP_TOKEN})
    await page.getByRole("heading", {name: "Messages"}).waitFor()
    const missed = page.getByRole("region", {name: en.missed.title})
    expect(await missed.count()).toBe(0)
    await page.evaluate(ago => {
      for (const key of Object.keys(localStorage))
        if (key.startsWith("svc.seen.")) localStorage.setItem(key, String(Date.now() - ago))
    }, 2 * hour)
    await page.reload()
    await live(page)
    await missed.getByText("3 handlers failed.").waitFor()
    await missed.getByText(new RegExp(`^${en.missed.down("\\d+ min")}`)).waitFor()
    await expectNoBarriers(page, "the list of missed events")
    await page.reload()
    await missed.getByRole("button", {name: "Seen"}).click()
    expect(await missed.count()).toBe(0)
    await page.reload()
    await live(page)
    await page.getByRole("heading", {name: "Messages"}).waitFor()
    expect(await missed.count()).toBe(0)
  })
})
