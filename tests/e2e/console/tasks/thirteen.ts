import {join} from "node:path"
import type {Page} from "playwright-core"
import {expect, test} from "vitest"
import {en} from "../../../../server/console/web/texts/en.ts"
import {makeFolder, until} from "../../../support/database/databases.ts"
import {printed} from "../../../support/host/command-line.ts"
import type {TestRuntime} from "../../../support/host/runtimes.ts"
import {shared} from "../../../support/host/shared.ts"
import {startChromium} from "../../../support/machine/chromium.ts"
import {env, expectNoSidewaysScroll, live, openConsole} from "../console.ts"
import {BadDay, orders} from "./bad-day.ts"
import {Operator} from "./operator.ts"

interface Surface {
  readonly runtime: TestRuntime
  readonly width: number
  readonly height: number
}

/** The most steps that a task may take: on a desk, where the menu is always visible, and on a phone. */
type Limits = readonly [desk: number, phone: number]

/**
 * An operator's tasks on a bad day, one after the other, with the console only, on one Host and in one tab. The test
 * restarts a killed Host, as a supervisor does.
 */
export const thirteenTasks = ({runtime, width, height}: Surface): void => {
  const isPhone = width < 600
  const scene = shared(async () => {
    const day = await BadDay.make(runtime)
    const touch = isPhone ? {hasTouch: true, isMobile: true} : {}
    const tab = await openConsole(await startChromium(), day.host, {
      token: env.HTTP_TOKEN,
      viewport: {width, height},
      direct: true,
      acceptDownloads: true,
      timezoneId: "UTC",
      ...touch,
    })
    return {day, operator: new Operator(tab.page, isPhone)}
  })

  const task = (
    name: string,
    [desk, phone]: Limits,
    does: (operator: Operator, day: BadDay, page: Page) => Promise<void>,
  ) =>
    test(name, async () => {
      const {day, operator} = scene()
      await operator.begin()
      await does(operator, day, operator.page)
      await expectNoSidewaysScroll(operator.page, name)
      expect(operator.steps).toBeLessThanOrEqual(isPhone ? phone : desk)
    })

  task("says why a message was not answered", [4, 5], async (operator, _, page) => {
    await operator.goTo("Inbox")
    await operator.button("Filters")
    await operator.search(page.getByRole("searchbox", {name: "Text"}), "order 7 cups")
    await operator.click(page.locator("[data-seq]").filter({hasText: "order 7 cups"}))
    await operator.reads("the stock does not answer: order 7 cups of tea")
    await operator.reads("root/shop/handler/message-created.orders")
    await operator.reads("No answers.")
    const trail = page.getByRole("list", {name: "What happened"})
    await trail.getByText("message.failed", {exact: true}).waitFor()
    expect(await trail.locator("strong").allTextContents()).toEqual([
      "received",
      "attempt 1 starts",
      "log error",
      "message.failed",
    ])
  })

  task(
    "retries all failed messages; a Host killed halfway does the rest after its restart",
    [7, 8],
    async (operator, day, page) => {
      await operator.goTo("Inbox")
      await operator.choose(page.getByRole("combobox", {name: "State", exact: true}), "failed")
      await operator.button("Filters")
      await operator.search(page.getByRole("searchbox", {name: "Plugin"}), "shop")
      await until("the list to have only the orders", async () => (await page.locator("[data-seq]").count()) === orders)
      day.mend()
      await operator.button(en.messages.bulk.actions.retry)
      await operator.question.getByText(`${orders} events`, {exact: true}).waitFor()
      await operator.confirm(en.messages.bulk.actions.retry)
      await until("all failed orders to be retried", async () => (await page.locator("[data-seq]").count()) === 0)
      await day.kill()
      await operator.reads(/No answer since/)
      day.letGo()
      await day.startAgain()
      await live(page)
      await operator.choose(page.getByRole("combobox", {name: "State", exact: true}), "handled")
      const teas = page.locator("[data-seq]").filter({hasText: "cups of tea"})
      await until("all orders to be answered", async () => (await teas.count()) === orders)
    },
  )

  task("disables a misbehaving plugin, and enables it again", [6, 7], async (operator, day, page) => {
    await day.spoil()
    await operator.reads(/\badvert .*: \d+ of \d+ attempts\b/)
    await operator.reads("there is no advert today")
    await operator.button("Disable advert")
    await operator.question.getByText(String(en.plugins.disableSays[0])).waitFor()
    await operator.confirm("Disable")
    await operator.isTold("Disable advert", "generation.committed")
    await page.getByRole("heading", {name: /advert keeps failing/}).waitFor({state: "detached"})
    await operator.goTo("Plugins")
    await page.locator('[data-plugin="advert"]').getByText("disabled").waitFor()
    await operator.link("advert")
    await operator.button("Enable advert")
    await operator.confirm("Enable")
    await page.locator('[data-plugin="advert"]').getByText("active").waitFor()
  })

  task(
    "rolls back with notice of what returns, although the Host is killed during the question",
    [7, 8],
    async (operator, day, page) => {
      await operator.goTo("Generations")
      await operator.button(en.generations.rollBackTo(1))
      const says = operator.question
      for (const text of [
        "Disables advert.",
        "A rollback does not restore code. The code of shop has changed since generation 1, and the current code stays in use.",
        "Messages and data stay as they are.",
      ])
        await operator.reads(text, says)
      await operator.reads("greeting: hello", says)
      await day.kill()
      await operator.confirm("Roll back")
      await page.locator('[data-notice="failed"]').getByText("does not answer").waitFor()
      await operator.reads(/No answer since/)
      await day.startAgain()
      await live(page)
      await operator.button(en.generations.rollBackTo(1))
      await operator.confirm("Roll back")
      await operator.isTold(en.generations.rollBackTo(1), "generation.committed")
      await operator.reads("Generation 1 is pinned")
      await operator.button("Unpin")
      await operator.confirm("Unpin")
      await operator.isTold("Unpin", "generation.committed")
      await page.getByText("Generation 1 is pinned").waitFor({state: "detached"})
    },
  )

  task(
    "makes, verifies and downloads a checkpoint, after the Host was killed while it made one",
    [9, 10],
    async (operator, day, page) => {
      // A test cannot operate the browser's own file picker.
      await page.evaluate("delete window.showSaveFilePicker")
      await operator.goTo("Operations")
      const asked = page.waitForResponse(
        response => response.url().endsWith("/api/checkpoints") && response.request().method() === "POST",
      )
      await operator.button("Make a checkpoint")
      await operator.confirm("Make a checkpoint")
      await asked
      await day.kill()
      await day.startAgain()
      await live(page)
      await page.locator('[data-notice="running"]').waitFor({state: "detached"})
      await operator.button("Make a checkpoint")
      await operator.confirm("Make a checkpoint")
      await operator.isTold("Make a checkpoint", "checkpoint.verified")
      const newest = page.locator('[data-checkpoint="verified"]').first()
      await operator.click(newest.getByRole("button", {name: /^Verify/}))
      await operator.confirm("Verify")
      await operator.isTold("Verify", "checkpoint.verified")
      const archive = page.waitForEvent("download")
      await operator.click(newest.getByRole("button", {name: /^Download [0-9]{8}-/}))
      await operator.confirm("Download")
      const file = join(makeFolder(), "bot.tar")
      await (await archive).saveAs(file)
      await operator.isTold("Download")
      expect(await printed(day.project, ["checkpoint", "verify", file], runtime)).toContain("can be restored")
    },
  )

  task("restarts the Host, and the page waits for it", [3, 4], async (operator, day, page) => {
    const before = day.host.runtimeId
    await operator.goTo("Operations")
    await operator.button("Restart the Host")
    await operator.question.getByText(String(en.operations.restartSays[1])).waitFor()
    await operator.confirm("Restart the Host")
    expect((await day.host.process.finished).code).toBe(51)
    await operator.reads(/No answer since/)
    await day.startAgain()
    await live(page)
    await operator.isTold("Restart the Host", "host.started")
    expect(day.host.runtimeId).not.toBe(before)
  })

  task("says what runs and what changed", [2, 3], async (operator, day, page) => {
    await operator.reads("scratch-bot")
    await operator.reads(day.host.runtimeId)
    await operator.reads(/^svc \d+\.\d+\.\d+$/)
    await operator.goTo("Generations")
    await operator.link("Changes of generation 2")
    await operator.reads("Enables advert.")
    await operator.reads("The code of shop has changed.")
    expect(await page.locator("[data-diff]").textContent()).toMatch(
      /-.*greeting: hello[\s\S]*\+.*greeting: good morning[\s\S]*\+ {2}advert/,
    )
  })

  task("says what was lost", [4, 5], async (operator, day, page) => {
    await page.evaluate(at => {
      for (const key of Object.keys(localStorage))
        if (key.startsWith("svc.seen.")) localStorage.setItem(key, String(at))
    }, day.lookedAt)
    await page.reload()
    const missed = page.getByRole("region", {name: en.missed.title})
    await operator.reads(/handlers? failed/, missed)
    await operator.reads(new RegExp(`^${en.missed.down("\\d+ min")}`), missed)
    await operator.click(missed.getByRole("link", {name: /^away: 1 interval\b/}))
    await operator.reads(en.endpoints.histories.none)
    await operator.reads(/: connection_lost|to now: /)
    await operator.goTo("Overview")
    await operator.link(/^Show: 1 message may not have been delivered/)
    await operator.click(page.locator("[data-message]"))
    await operator.reads("the mailbox is full")
  })

  task("pauses ingress, and resumes it", [5, 6], async (operator, _, page) => {
    await operator.goTo("Operations")
    await operator.button("Pause ingress")
    await operator.question.getByText(String(en.operations.pauseSays[1])).waitFor()
    await operator.confirm("Pause ingress")
    await operator.isTold("Pause ingress", "ingress.paused")
    await page.locator('[data-ingress="paused"]').waitFor()
    await operator.button("Resume ingress")
    await operator.confirm("Resume ingress")
    await operator.isTold("Resume ingress", "ingress.resumed")
    await page.locator('[data-ingress="open"]').waitFor()
  })

  task("finds the log line of an error in a killed run, and its message", [5, 6], async (operator, _, page) => {
    await operator.goTo("Events and logs")
    await operator.click(page.getByRole("tab", {name: "Logs"}))
    const runs = page.getByRole("combobox", {name: "Run", exact: true})
    // The last option is the oldest run; the first two are the current one.
    await runs.locator("option").nth(2).waitFor({state: "attached"})
    await operator.choose(runs, {index: (await runs.locator("option").count()) - 1})
    await operator.choose(page.getByRole("combobox", {name: "Minimum level"}), "error")
    const line = page.getByRole("listitem").filter({hasText: "order 5 cups"})
    await operator.click(line.getByRole("link", {name: /^event \d+$/}))
    await operator.reads("order 5 cups of tea")
    await operator.reads("root/shop/handler/message-created.orders")
  })

  task("edits a job, and sees its next time", [5, 6], async (operator, day, page) => {
    await operator.goTo("Jobs")
    await operator.click(page.locator('[data-job="lunch"]').getByRole("link", {name: "lunch", exact: true}))
    await operator.link("Edit")
    const form = page.locator("[data-job-form]")
    await operator.write(form.getByLabel("Cron pattern", {exact: true}), "15 13 * * 1-5")
    await form.locator("[data-coming-times]").getByText("13:15").first().waitFor()
    await operator.click(form.getByRole("button", {name: "Save", exact: true}))
    await operator.reads("cron 15 13 * * 1-5")
    await page.locator('[data-coming="lunch"]').getByText("13:15").first().waitFor()
    expect(JSON.parse(day.project.read("data/schedule-jobs.json")).jobs[1].schedule).toEqual({cron: "15 13 * * 1-5"})
  })

  task("changes a setting after a preview of the file's changes", [6, 7], async (operator, day, page) => {
    await operator.goTo("Plugins")
    await operator.link("team")
    await operator.link("Change the settings")
    const form = page.getByRole("form", {name: "Settings of team"})
    await operator.write(form.getByLabel("greeting (required)"), "good evening")
    await operator.click(form.getByRole("button", {name: "Preview"}))
    const apply = page.getByRole("button", {name: "Apply", exact: true})
    await apply.waitFor()
    expect(await page.locator("[data-diff]").textContent()).toMatch(/-.*good morning[\s\S]*\+.*good evening/)
    await operator.click(apply)
    await page.locator("[data-config-applied]").waitFor()
    expect(day.project.read("svc.config.yml")).toMatch(/# Whom the bot greets\.\n.*greeting: good evening/)
    expect(await day.host.say("/greet")).toEqual(["good evening"])
  })

  task("shows a day of metrics, and zooms into the worst part", [4, 5], async (operator, _, page) => {
    await operator.goTo("Metrics")
    await page.getByRole("link", {name: "24 hours"}).and(page.locator("[aria-current=true]")).waitFor()
    await page.getByRole("img", {name: /^Messages over time: [1-9][\d,]+ received, [1-9][\d,]+ sent$/}).waitFor()
    expect(await page.getByText("Host running").locator("..").textContent()).toMatch(/9[89]\.\d\d %/)
    await page.locator('[data-uptime="away"]').getByText(/\d %/).first().waitFor()
    await operator.link("1 hour")
    await page.getByRole("img", {name: /^Failures over time: \d+ of handlers, \d+ messages not sent$/}).waitFor()
    await operator.link("Zoom in")
    await operator.link("Earlier")
    await page.getByRole("img", {name: /^Failures over time: [1-9]\d* of handlers/}).waitFor()
  })
}
