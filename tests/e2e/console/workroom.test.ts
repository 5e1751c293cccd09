import type {Page} from "playwright-core"
import {expect, test} from "vitest"
import {en} from "../../../server/console/web/texts/en.ts"
import type {ItemCommand} from "../../../shared/api/item-rules.ts"
import {startHost, type TestHost, until} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, goTo, openConsole, token} from "./console.ts"

const config = 'http: {port: 0, token: "${HTTP_TOKEN}", demoToken: "${DEMO_TOKEN}"}\nplugins: {sandbox: {}}\n'

const add = (host: TestHost, title: string, more = {}) => host.post("/api/workroom/items", {body: {title, ...more}})
const give = (host: TestHost, command: ItemCommand, expectedRevision: number, more = {}, id = 1) =>
  host.post(`/api/workroom/items/:id/${command}`, {id, body: {expectedRevision, ...more}})

/** Adds an item in each state of the board, and one more that is blocked and overdue. */
const fillBoard = async (host: TestHost) => {
  const ada = {assignee: "user:ada"}
  for (const title of ["late", "blocked", "open", "active", "in review", "done", "cancelled"])
    await add(host, title, {
      priority: title === "open" ? "urgent" : "normal",
      labels: ["ops"],
      description: "a-long-word".repeat(30),
    })
  for (const id of [1, 2, 4, 5, 6]) await give(host, "claim", 1, ada, id)
  await give(host, "block", 2, {reason: "parts", owner: "user:grace", deadline: "2030-01-01T00:00:00Z"}, 2)
  await give(host, "block", 2, {reason: "a decision", deadline: "2020-01-01T00:00:00Z"}, 1)
  for (const id of [5, 6]) await give(host, "review", 2, {}, id)
  await give(host, "accept", 3, {}, 6)
  await give(host, "cancel", 1, {reason: "not needed"}, 7)
}

/** Opens the question of a command, fills it in, and confirms it. */
const act = async (page: Page, label: string, fields: Readonly<Record<string, string>> = {}) => {
  await page.getByRole("main").getByRole("button", {name: label, exact: true}).click()
  const question = page.getByRole("alertdialog")
  for (const [name, text] of Object.entries(fields)) await question.getByLabel(name).fill(text)
  await question.getByRole("button", {name: label.replace(/:.*/, ""), exact: true}).click()
  await question.waitFor({state: "hidden"})
  await page.locator('[data-notice="done"] [data-notice-event]').waitFor()
  await page.locator('[data-notice="done"]').getByRole("button", {name: "Dismiss"}).click()
}
const inState = (page: Page, state: string, title: string) =>
  page.locator(`[data-column="${state}"]`).getByRole("link", {name: title}).waitFor()

describeWithChromium("the workroom in the console", () => {
  test("an item goes through every command, and its timeline names the actor of each", async () => {
    const host = await startHost({config, env})
    const {page} = await openConsole(await startChromium(), host, {token, at: "workroom"})
    await page.getByText(en.workroom.empty).waitFor()
    await page.getByLabel("You act as").fill("ada")
    await act(page, "Add an item", {Title: "Renew the certificate", Labels: "ops, web", Assignee: "agent:triage"})
    await page.getByRole("link", {name: "Renew the certificate"}).click()
    await act(page, "Claim: item 1")
    await inState(page, "active", "Renew the certificate")
    await act(page, "Hand over: item 1", {Assignee: "user:grace"})
    await page.getByText("assigned it to user:grace").waitFor()
    await act(page, "Block: item 1", {
      "Waiting for": "the authority's answer",
      [en.workroom.fields.owner]: "grace",
      Deadline: "2020-01-02T03:04",
    })
    await inState(page, "blocked", "Renew the certificate")
    await page.locator('[data-item="1"] [data-overdue]').waitFor()
    await page.locator('[data-record="overdue"]').waitFor()

    await goTo(page, "")
    await page.getByRole("link", {name: `${en.attention.show}: ${en.attention.overdue(1)}`}).click()
    await page.locator('[data-item="1"]').click()
    await act(page, "Unblock: item 1")
    await act(page, "Comment: item 1", {Comment: "it has come"})
    await page.getByText("it has come").waitFor()
    await act(page, "Submit for review: item 1")
    await act(page, "Reject: item 1")
    await page.getByText("assigned it to user:grace").nth(1).waitFor()
    await act(page, "Submit for review: item 1")
    await act(page, "Accept: item 1")
    await inState(page, "done", "Renew the certificate")
    await page.locator('[data-record="accept"]').waitFor()
    expect(await page.getByRole("main").getByRole("button", {name: ": item 1"}).allTextContents()).toEqual(["Comment"])
    const records = await page
      .locator("[data-record]")
      .evaluateAll(all => all.map(each => each.getAttribute("data-record")))
    expect(records.reverse()).toEqual(
      "add claim claim block overdue unblock comment review claim review accept".split(" "),
    )
    expect(await host.get("/api/workroom/items/:id", {id: 1})).toMatchObject({
      revision: 11,
      createdBy: "user:ada",
      labels: ["ops", "web"],
      comments: [{actor: "user:ada", text: "it has come"}],
    })
  })

  test("a command for an outdated revision is rejected with an explanation, and its input is kept", async () => {
    const host = await startHost({config, env})
    await add(host, "contested")
    await give(host, "claim", 1, {assignee: "user:ada"})
    const {page} = await openConsole(await startChromium(), host, {token, at: "workroom/1"})
    await page.getByRole("button", {name: "Block: item 1"}).click()
    const question = page.getByRole("alertdialog")
    await question.getByLabel("Waiting for").fill("what I have written")
    await give(host, "review", 2, {actor: "user:grace"})
    await question
      .getByRole("alert")
      .getByText(/\bat revision 3\b/)
      .waitFor()
    await expectNoBarriers(page, "a lost revision")
    await question.getByRole("button", {name: "Block"}).click()
    await page.locator('[data-notice="failed"]').getByText("it is now In review at revision 3").waitFor()
    await page.getByText(en.workroom.told.review).waitFor()
    expect(await host.get("/api/workroom/items/:id", {id: 1})).toMatchObject({state: "review", revision: 3})
    await act(page, "Reject: item 1")
    await page.getByRole("button", {name: "Block: item 1"}).click()
    expect(await question.getByLabel("Waiting for").inputValue()).toBe("what I have written")
  })

  test("the board shows blocked items first, updates live, and works with search and keyboard alone", async () => {
    const host = await startHost({config, env})
    await fillBoard(host)
    const {page} = await openConsole(await startChromium(), host, {token, at: "workroom"})
    await page.locator("[data-overdue]").waitFor()
    const titles = (column: string) => page.locator(`[data-column="${column}"] a strong`).allTextContents()
    expect(await page.locator("[data-column]").first().getAttribute("data-column")).toBe("blocked")
    expect(await titles("blocked")).toEqual(["late", "blocked"])
    await add(host, "came while it was looked at")
    await inState(page, "open", "came while it was looked at")
    expect(await titles("open")).toEqual(["open", "came while it was looked at"])
    await page.getByLabel("Label").fill("ops")
    await page.getByText("came while it was looked at").waitFor({state: "hidden"})
    await page.getByLabel("Contains").fill("nothing like it")
    await page.getByText(en.workroom.noneFits).waitFor()
    await page.getByLabel("Contains").fill("")
    await page.locator('[data-item="1"]').waitFor()

    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-item"))
    await page.getByRole("button", {name: "Add an item"}).focus()
    await page.keyboard.press("Tab")
    expect(await focused()).toBe("1")
    const way = {ArrowDown: "2", ArrowRight: "3", ArrowLeft: "1", ArrowUp: "1"}
    for (const [key, item] of Object.entries(way)) {
      await page.keyboard.press(key)
      expect([key, await focused()]).toEqual([key, item])
    }
    await page.keyboard.press("Enter")
    await until("the item's heading to have the focus", () =>
      page.evaluate(() => document.activeElement?.closest("[data-detail]") !== null),
    )
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await until("the focus to return", async () => (await focused()) === "1")
  })

  test("board and item are accessible at 360 pixels, and a demo token sees no texts or actions", async () => {
    const host = await startHost({config, env})
    await fillBoard(host)
    const browser = await startChromium()
    for (const colorScheme of ["light", "dark"] as const) {
      const {page} = await openConsole(browser, host, {token, colorScheme, at: "workroom/1"})
      await page.locator('[data-record="block"]').waitFor()
      await page.locator('[data-item="7"]').waitFor()
      await expectNoBarriers(page, `an item, ${colorScheme}`)
      await page.setViewportSize({width: 360, height: 740})
      await expectNoSidewaysScroll(page, `an item, ${colorScheme}`)
      await goTo(page, "workroom")
      await page.locator("[data-detail]").waitFor({state: "hidden"})
      await expectNoSidewaysScroll(page, `the board, ${colorScheme}`)
      const lefts = await page
        .locator("[data-column]")
        .evaluateAll(columns => columns.map(column => column.getBoundingClientRect().left))
      expect(new Set(lefts).size).toBe(1)
      await expectNoBarriers(page, `a narrow board, ${colorScheme}`)
    }
    const {page} = await openConsole(browser, host, {token: env.DEMO_TOKEN, at: "workroom/1"})
    await page.getByText(en.workroom.timelineDemo).waitFor()
    await page.locator('[data-item="1"] [data-overdue]').waitFor()
    expect(await page.getByRole("button").allTextContents()).toEqual(["Go to …", "Sign out"])
    expect(await page.locator("main").textContent()).not.toMatch(/ada|grace|parts|decision|late/)
    await expectNoBarriers(page, "the workroom for a demo token")
  })
})
