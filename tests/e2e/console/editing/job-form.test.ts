import type {Locator, Page} from "playwright-core"
import {expect, test} from "vitest"
import {en} from "../../../../server/console/web/texts/en.ts"
import {freePort, pluginWith, startHost, type TestHost, until} from "../../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../../support/machine/chromium.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, goTo, live, openConsole, token} from "../console.ts"

const file = "data/schedule-jobs.json"
const widths = [360, 1440]

/** A job with a default, a job that needs data, and a timer that needs data. */
const team = pluginWith(`
    plugin.job("nightly", {schedule: {cron: "30 2 * * *", timezone: "Europe/Berlin"}}, () => {})
    plugin.job("digest", {description: "What happened", data: Type.Object({room: Type.String()})}, () => {})
    plugin.timer("remind", {data: Type.Object({text: Type.String()})}, () => {})`)

const start = async (own = false) => {
  const port = await freePort()
  const config = `http: {port: ${port}, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}\nplugins: {sandbox: {}, team: {}}\n`
  return startHost({config, env, plugins: {team}, own})
}

const jobIn = (host: TestHost, id: string): unknown =>
  (JSON.parse(host.project.read(file)).jobs as {id: string}[]).find(job => job.id === id)

const fieldOf = (page: Page, label: string) => page.locator("[data-job-form]").getByLabel(label, {exact: true})

const errorAt = (page: Page, label: string) =>
  page
    .locator("[data-job-form] .field")
    .filter({has: page.getByLabel(label, {exact: true})})
    .locator("[data-error]")

const untilTimes = (box: Locator, count: number) =>
  until(`the box to show ${count} next times`, async () => (await box.locator("[data-next]").count()) === count)

const expectFit = async (page: Page, where: string) => {
  for (const width of widths) {
    await page.setViewportSize({width, height: 900})
    await expectNoSidewaysScroll(page, `${where}, ${width}`)
    await expectNoBarriers(page, `${where}, ${width}`)
  }
}

describeWithChromium("the form of a job in the console", () => {
  test("adds, edits, duplicates and deletes a job, with its next times and its errors while typing", async () => {
    const host = await start()
    const {page} = await openConsole(await startChromium(), host, {
      token,
      at: "jobs",
      timezoneId: "America/New_York",
      viewport: {width: 360, height: 900},
    })
    await page.getByRole("link", {name: "Add a job"}).click()
    const times = page.locator("[data-coming-times]")
    await untilTimes(times, 5)
    await fieldOf(page, "Timezone").fill("Europe/Berlin")
    await times.getByText("local time in Europe/Berlin").waitFor()
    await times.getByText("here, in America/New_York").waitFor()
    await fieldOf(page, "Cron pattern").fill("30 2 31 1-4 *")
    await times
      .locator('[data-change="Europe/Berlin"]')
      .first()
      .getByText(en.jobs.forward("Europe/Berlin", "02:00", "03:00"))
      .waitFor()

    await fieldOf(page, "Cron pattern").fill("0 61 * * *")
    await errorAt(page, "Cron pattern").getByText('hour "61" at column 3: expected 0 to 23').waitFor()
    expect(await page.locator("[data-job-form] mark").textContent()).toBe("61")
    await fieldOf(page, "Cron pattern").fill("0 9 * * MON-FRI")
    await fieldOf(page, "Timezone").fill("Europe/Berln")
    await errorAt(page, "Timezone").getByText("Europe/Berlin").waitFor()
    await page.getByRole("button", {name: "Add", exact: true}).click()
    await page.getByRole("alert").getByText("Not saved").waitFor()
    await errorAt(page, "Name").waitFor()
    await expectFit(page, "a form that is not right")
    await fieldOf(page, "Timezone").fill("Europe/Berlin")
    await fieldOf(page, "Name").fill("standup")
    await fieldOf(page, "Endpoint").fill("sandbox")
    await fieldOf(page, "Channel").fill("#team")
    await fieldOf(page, "Message").fill("Stand-up!")
    await fieldOf(page, en.scheduling.fields.jitter).fill("5m")
    await untilTimes(times, 5)
    await expectFit(page, "a form that is right")
    await page.getByRole("button", {name: "Add", exact: true}).click()
    await page.locator('[data-job="standup"]').waitFor()
    const standup = {
      id: "standup",
      schedule: {cron: "0 9 * * MON-FRI"},
      timezone: "Europe/Berlin",
      target: {endpoint: "sandbox", channel: "#team", text: "Stand-up!"},
      jitter: "5m",
    }
    expect(jobIn(host, "standup")).toEqual(standup)

    await page.getByRole("link", {name: "Edit", exact: true}).click()
    await fieldOf(page, "When").selectOption("every")
    await fieldOf(page, "Every").fill("90")
    await errorAt(page, "Every")
      .getByText(/ m, h /)
      .waitFor()
    await fieldOf(page, "Every").fill("90m")
    await fieldOf(page, en.scheduling.fields.jitter).fill("")
    await page.getByRole("button", {name: "Save", exact: true}).click()
    await page.getByRole("link", {name: "Duplicate", exact: true}).waitFor()
    const {jitter: _, ...plain} = standup
    expect(jobIn(host, "standup")).toEqual({...plain, enabled: true, schedule: {every: "90m"}})

    await page.getByRole("link", {name: "Duplicate", exact: true}).click()
    await fieldOf(page, "Name").fill("digest")
    await fieldOf(page, "What it does").selectOption("plugin")
    await fieldOf(page, "Plugin and job").selectOption("team/digest")
    await fieldOf(page, "Data, as JSON").fill('{"room": ')
    await errorAt(page, "Data, as JSON")
      .getByText(/\bJSON: /)
      .waitFor()
    await fieldOf(page, "Data, as JSON").fill('{"room": 7}')
    await errorAt(page, "Data, as JSON").getByText("data.room: expected text").waitFor()
    await fieldOf(page, "Data, as JSON").fill('{"room": "#team"}')
    await page.getByRole("button", {name: "Add", exact: true}).click()
    await page.locator('[data-job="digest"]').waitFor()
    expect(jobIn(host, "digest")).toMatchObject({target: {plugin: "team", job: "digest", data: {room: "#team"}}})

    await page.getByRole("button", {name: "Remove digest"}).click()
    await page.getByRole("alertdialog").getByText(en.scheduling.lost.schedule("every 90m", "Europe/Berlin")).waitFor()
    await page.getByRole("alertdialog").getByRole("button", {name: "Remove", exact: true}).click()
    await page.getByText(/\bno job digest\b/).waitFor()

    await goTo(page, "jobs/team.nightly")
    await page.getByText(en.scheduling.fromPlugin("team", "cron 30 2 * * *", "Europe/Berlin")).waitFor()

    await page.getByRole("link", {name: "Add a timer"}).click()
    const timer = page.locator("[data-timer-form]")
    await timer.getByLabel("Plugin and timer").selectOption("team/remind")
    await timer.getByLabel("In", {exact: true}).fill("2h")
    await timer.getByLabel("Data, as JSON").fill('{"text": 7}')
    await timer.locator("[data-error]").getByText("text: expected text").waitFor()
    await timer.getByLabel("Data, as JSON").fill('{"text": "tea"}')
    await untilTimes(timer, 1)
    await expectFit(page, "the form of a timer")
    await timer.getByRole("button", {name: "Add", exact: true}).click()
    await page
      .locator("[data-timer=waiting]")
      .getByRole("link", {name: /^Edit timer/})
      .click()
    await timer.getByLabel("When", {exact: true}).selectOption("every")
    await timer.getByLabel("Every", {exact: true}).fill("90m")
    await untilTimes(timer, 5)
    await timer.getByRole("button", {name: "Save", exact: true}).click()
    await page.locator("[data-timer=waiting]").getByText('repeats: {"every":5400000}').waitFor()
    await page.getByRole("button", {name: /^Delete timer/}).click()
    await page.getByRole("alertdialog").getByText("team/remind will not fire").waitFor()
    await page.getByRole("alertdialog").getByRole("button", {name: "Delete", exact: true}).click()
    await page.getByText("No pending timers.").waitFor()
  })

  test("keeps the input when someone else saves first, when the Host is killed, and across a reload", async () => {
    const host = await start(true)
    const target = {endpoint: "sandbox", channel: "#team", text: "one"}
    await host.post("/api/jobs", {body: {id: "tea", schedule: {cron: "0 9 * * *"}, timezone: "UTC", target}})
    const {page} = await openConsole(await startChromium(), host, {
      token,
      at: "jobs/tea?do=edit",
      viewport: {width: 1440, height: 900},
      direct: true,
    })
    await fieldOf(page, "Message").fill("mine")
    await host.post("/api/jobs/:id/edit", {id: "tea", body: {target: {...target, text: "theirs"}}})
    await page.getByRole("button", {name: "Save", exact: true}).click()
    const conflict = page.locator("[data-conflict]")
    await conflict.getByText(en.scheduling.conflict.title).waitFor()
    await conflict.getByText("theirs", {exact: true}).waitFor()
    await expectFit(page, "a conflict")
    expect(jobIn(host, "tea")).toMatchObject({target: {text: "theirs"}})
    expect(await fieldOf(page, "Message").inputValue()).toBe("mine")
    await conflict.getByRole("button", {name: en.scheduling.conflict.keep}).click()
    await page.locator("[data-job-form]").waitFor({state: "detached"})
    expect(jobIn(host, "tea")).toMatchObject({target: {text: "mine"}})

    await goTo(page, "jobs/tea?do=edit")
    await fieldOf(page, "Message").fill("typed before the kill")
    await host.stop("SIGKILL")
    await page.getByRole("button", {name: "Save", exact: true}).click()
    await page.getByRole("alert").getByText(en.scheduling.kept).first().waitFor()
    expect(await fieldOf(page, "Message").inputValue()).toBe("typed before the kill")
    const second = await startHost({project: host.project, env})
    await live(page)
    await page.reload()
    await live(page)
    await page.getByText(en.scheduling.back).waitFor()
    expect(await fieldOf(page, "Message").inputValue()).toBe("typed before the kill")
    await expectFit(page, "a form that is back")
    await page.getByRole("button", {name: "Save", exact: true}).click()
    await page.locator("[data-job-form]").waitFor({state: "detached"})
    const {target: said} = await second.get("/api/jobs/:id", {id: "tea"})
    expect(said.text).toBe("typed before the kill")
  })
})
