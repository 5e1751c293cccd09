import {rmSync} from "node:fs"
import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import {onBun, pluginWith, reload, startHost, svc, until} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {metricsOf} from "../../support/metrics/metrics.ts"
import {
  env,
  expectNoBarriers,
  expectNoSidewaysScroll,
  goTo,
  openConsole,
  token,
  untilHeadingFocused,
} from "./console.ts"

const config = 'http: {port: 0, token: "${HTTP_TOKEN}", demoToken: "${DEMO_TOKEN}"}\nplugins: {sandbox: {}, team: {}}\n'
const file = "data/schedule-jobs.json"

/** Fails for the job `nightly`, and waits while the project has the file `hold`. */
const team = pluginWith(`
    plugin.job("digest", async run => {
      while (existsSync(join(plugin.project, "hold")) && !run.signal.aborted) await sleep(10)
      if (run.job === "nightly") throw new Error("the archive is not there")
    })`)

const clock = pluginWith(`
    const due = plugin.timer("due", () => {})
    plugin.command("later <ms:integer>", async ({args, session}) => {
      await session.setTimer(due, {in: args.ms}, undefined, {key: "later"})
      return "set"
    })`)

const digest = {plugin: "team", job: "digest"}
const jobs = [
  {
    id: "standup",
    label: "Every working day",
    schedule: {cron: "0 9 * * *"},
    timezone: "America/New_York",
    target: {endpoint: "sandbox", channel: "#team", text: "Stand-up in five minutes"},
    missed: "once",
    jitter: "5m",
  },
  {id: "nightly", schedule: {cron: "30 2 * * *"}, timezone: "Europe/Berlin", target: digest, overlap: "queue"},
  // Comes due in the days around the clock change that the calendar shows, and not during the test.
  {id: "slow", schedule: {cron: "*/10 * 25-31 3 *"}, timezone: "UTC", target: digest},
  {
    id: "plants",
    schedule: {at: "2090-01-01T09:00"},
    timezone: "UTC",
    enabled: false,
    target: {item: {title: "Water the plants"}},
  },
]

const start = () =>
  startHost({config, env, plugins: {team}, files: {[file]: JSON.stringify({version: 1, jobs}, undefined, 2)}})

/** Returns the last Sunday of March of the next year, on which the clocks of Europe go forward. */
const nextSpring = (): string => {
  const last = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 2, 31))
  last.setUTCDate(31 - last.getUTCDay())
  return last.toISOString().slice(0, 10)
}

describeWithChromium("the jobs in the console", () => {
  test("timers are listed, filtered and deleted; svc doctor and the metrics name one that cannot fire", async () => {
    const host = await startHost({config: config.replace("team: {}", "clock: {}"), env, plugins: {clock}})
    await host.say("/later 3600000")
    const {page} = await openConsole(await startChromium(), host, {token, at: "jobs"})
    await page.locator("[data-timer=waiting]").getByText("key later").waitFor()
    await page.getByRole("button", {name: /^Delete timer/}).click()
    await page.getByRole("alertdialog").getByRole("button", {name: "Delete", exact: true}).click()
    await page.getByText("No pending timers.").waitFor()

    await host.say("/later 1500")
    host.project.write("plugins/clock.ts", pluginWith(""))
    await reload(host)
    await page.locator("[data-timer=failed]").getByText("handler_unknown").waitFor()
    expect((await metricsOf(host)).value("svc_timers", {state: "failed"})).toBe(1)
    const {stdout} = await svc(onBun, host.project, ["doctor", "--json"], {env})
    const {findings} = JSON.parse(stdout) as {findings: readonly {check: string; detail: string}[]}
    expect(findings.find(({check}) => check === "timers")?.detail).toMatch(/\bclock\/due\b.*: handler_unknown/)
    await expectNoBarriers(page, "timers")
  })

  test("a job says what it will do before a run; overview and event link to failures", async () => {
    const host = await start()
    const {page} = await openConsole(await startChromium(), host, {token, at: "jobs/nightly"})
    const question = page.getByRole("alertdialog")
    const act = async (name: string, label: string) => {
      await page.getByRole("button", {name, exact: true}).click()
      await question.getByRole("button", {name: label, exact: true}).click()
      await question.waitFor({state: "hidden"})
    }
    await page.getByText("data/schedule-jobs.json", {exact: true}).waitFor()
    await page.getByText(en.jobs.missed.skip).waitFor()
    await page.getByText(en.jobs.overlap.queue).waitFor()
    await page.getByRole("button", {name: "Run now: nightly"}).click()
    await question.getByText(/\bcannot undo\b/).waitFor()
    await question.getByRole("button", {name: "Run now"}).click()
    await page.locator('[data-notice="failed"] [data-notice-event="job.failed"]').waitFor()
    await page.locator('[data-run="failed"]').getByText("the archive is not there").waitFor()

    await goTo(page, "")
    await page.locator('[data-verdict="bad"]').getByText("nightly (error)").waitFor()
    await page.getByRole("link", {name: `${en.attention.show}: ${en.attention.jobsFailed(1)}`}).click()
    await page.locator("[data-job]").first().getByText("failed").waitFor()
    expect(await page.locator("[data-job]").first().getAttribute("data-job")).toBe("nightly")
    await goTo(page, "events")
    await page.locator('[data-event="job.failed"]').getByRole("link", {name: /^Run /}).first().click()
    await page.locator('[data-shown-run="failed"]').waitFor()
    await page.getByText("manual", {exact: true}).waitFor()

    await goTo(page, "jobs/standup")
    await page.getByRole("button", {name: "Run now: standup"}).click()
    await question.getByText(en.jobs.runSays.message("Stand-up in five minutes", "#team", "sandbox")).waitFor()
    await question.getByRole("button", {name: "Run now"}).click()
    await page.locator('[data-notice="done"] [data-notice-event="job.succeeded"]').waitFor()
    await act("Pause standup", "Pause")
    await page.locator('[data-job="standup"]').getByText("paused").waitFor()
    await page.locator('[data-coming="standup"]').first().waitFor({state: "detached"})
    expect(JSON.parse(host.project.read(file)).jobs).toContainEqual({...jobs[0], enabled: false})
    await act("Resume standup", "Resume")
    await page.locator('[data-coming="standup"]').first().waitFor()
    await goTo(page, "jobs/plants")
    await act("Remove plants", "Remove")
    await page.getByText(/\bno job plants\b/).waitFor()
  })

  test("a run is cancelled, and a rejected job file is reported with the place of its error", async () => {
    const host = await start()
    host.project.write("hold", "")
    const {page} = await openConsole(await startChromium(), host, {token, at: "jobs"})
    const {id} = await host.post("/api/jobs/:id/run", {id: "slow"})
    await page.locator('[data-run="running"]').waitFor()
    await page.getByRole("button", {name: `Cancel run ${id}`}).click()
    await page.getByRole("alertdialog").getByRole("button", {name: "Cancel", exact: true}).last().click()
    await page.locator('[data-run="cancelled"]').getByText("requested").waitFor()
    await page.locator('[data-notice="done"] [data-notice-event="job.cancelled"]').waitFor()
    rmSync(host.project.path("hold"))
    host.project.write(file, host.project.read(file).replace("Europe/Berlin", "Europe/Berln"))
    await page.locator("[data-refused]").getByText("jobs[1].timezone").waitFor()
    expect(await page.locator("[data-job]").count()).toBe(4)
    await expectNoBarriers(page, "a refused file")
  })

  test("the calendar shows clock changes and both timezones, and is accessible at 360 pixels", async () => {
    const host = await start()
    const browser = await startChromium()
    const spring = nextSpring()
    const before = (days: number) => `${spring.slice(0, 8)}${Number(spring.slice(8)) - days}`
    const from = before(3)
    for (const colorScheme of ["light", "dark"] as const) {
      const where = {token, at: "jobs", colorScheme, timezoneId: "America/New_York"}
      const {page} = await openConsole(browser, host, where)
      await page.locator("[data-day]").nth(6).waitFor()
      await page.getByLabel("From").fill(from)
      // In the browser's timezone it is still the evening before.
      await page.locator(`[data-day="${before(1)}"] [data-change="Europe/Berlin"]`).waitFor()
      await page.locator(`[data-day="${spring}"]`).locator('[data-coming="standup"]').getByText("09:00").waitFor()
      await expectNoBarriers(page, `jobs, ${colorScheme}`)
      await page.setViewportSize({width: 360, height: 740})
      await expectNoSidewaysScroll(page, `jobs, ${colorScheme}`)
      await goTo(page, "jobs/nightly")
      await page.getByText("Next times").waitFor()
      await expectNoSidewaysScroll(page, `a job, ${colorScheme}`)
      await expectNoBarriers(page, `a job, ${colorScheme}`)
    }
    const {page} = await openConsole(browser, host, {token: env.DEMO_TOKEN, at: "jobs", timezoneId: "Europe/Berlin"})
    await page.getByLabel("From").fill(from)
    const day = page.locator(`[data-day="${spring}"]`)
    await day.getByText(en.jobs.forward("Europe/Berlin", "02:00", "03:00")).waitFor()
    await day.getByText("23 hours long").waitFor()
    await day.locator('[data-coming="nightly"]').getByText("03:00").waitFor()
    await day.locator('[data-coming="nightly"]').getByText(en.jobs.changes).waitFor()
    await day.locator('[data-coming="standup"]').getByText("15:00").waitFor()
    await day.locator('[data-coming="standup"]').getByText("09:00 -04:00 America/New_York").waitFor()
    await day.locator('[data-coming="slow"]').getByText("and more").waitFor()
    await expectNoBarriers(page, "a change of clocks")
    expect((await host.get("/api/calendar")).days).toHaveLength(7)

    await page.locator('[data-job="standup"] a').focus()
    await page.keyboard.press("Enter")
    await untilHeadingFocused(page, "h2", "standup")
    expect(await page.getByRole("main").getByRole("button").allTextContents()).toEqual(["Next seven days"])
    expect(await page.locator("main").textContent()).not.toContain("Stand-up in five")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await until("the focus to return", () =>
      page.evaluate(() => document.activeElement?.closest('[data-job="standup"]') !== null),
    )
  })
})
