import type {Page} from "playwright-core"
import {expect, test} from "vitest"
import {shared, startHost, until, usuallyOn, usualRuntime} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {env, expectNoBarriers, expectNoSidewaysScroll, goTo, live, openConsole, token} from "./console.ts"
import {BadDay} from "./tasks/bad-day.ts"

/** Items of lists, and pages with filters in the address. */
const details = `inbox/4 inbox?state=failed&plugin=shop&text=tea plugins/advert endpoints/away jobs/digest workroom/1
  generations/1/2 metrics/1h nothing`.split(/\s+/)

const pagesOf = (page: Page): Promise<readonly string[]> =>
  page
    .locator("nav#pages a")
    .evaluateAll(links => links.map(link => (link.getAttribute("href") ?? "").replace("#/", "")))

/** Opens a page and waits until all of it is loaded, or until `shows` is true. */
const visit = async (page: Page, path: string, shows?: (page: Page) => Promise<boolean>): Promise<void> => {
  await goTo(page, path)
  const isLoaded = async () => (await page.getByText("Loading", {exact: true}).count()) === 0
  await until(`${path} to load`, () => (shows ?? isLoaded)(page))
}

/** Opens each question of a page once, checks it, and cancels it. */
const lookAtQuestions = async (page: Page, path: string): Promise<number> => {
  const buttons = page.locator("main [data-alert-dialog-trigger]:enabled")
  const labels = new Set(await buttons.allTextContents())
  for (const label of labels) {
    await buttons.filter({hasText: label}).first().click()
    const question = page.getByRole("alertdialog")
    await question.waitFor()
    await expectNoBarriers(page, `${path}: ${label}`, {within: "[role=alertdialog]"})
    await page.keyboard.press("Escape")
    await question.waitFor({state: "detached"})
  }
  return labels.size
}

describeWithChromium("the console is accessible", () => {
  const bad = shared(async () => {
    const day = await BadDay.make(usualRuntime)
    await day.host.post("/api/workroom/items", {body: {title: "Renew the certificate"}})
    return day
  })

  test("on a bad day: every page, detail and question, light and dark, at 360 pixels", async () => {
    const {page} = await openConsole(await startChromium(), bad().host, {token})
    let questions = 0
    const paths = [...(await pagesOf(page)), ...details]
    expect(paths.length).toBeGreaterThan(20)
    await page.locator("summary", {hasText: "?"}).first().click()
    expect(await page.locator("details[open] code").textContent()).toBe("svc docs readiness database")
    await expectNoBarriers(page, "an explanation")
    for (const path of paths) {
      await visit(page, path)
      await page.emulateMedia({colorScheme: "light"})
      await expectNoBarriers(page, path)
      await page.emulateMedia({colorScheme: "dark"})
      await expectNoBarriers(page, `${path}, dark`, {colours: true})
      questions += await lookAtQuestions(page, path)
      await page.setViewportSize({width: 360, height: 740})
      await expectNoSidewaysScroll(page, path)
      await page.setViewportSize({width: 1280, height: 900})
    }
    expect(questions).toBeGreaterThan(20)
  })

  test("on empty pages, on loading pages, and on pages that fail to load", async () => {
    const empty = await startHost({
      runtime: usuallyOn("node22"),
      config: `http: {port: 0, token: "\${HTTP_TOKEN}"}\n`,
      env,
    })
    const {page} = await openConsole(await startChromium(), empty, {token, colorScheme: "dark", direct: true})
    const paths = await pagesOf(page)
    const isAsked = (url: URL) => url.pathname.startsWith("/api/") && url.pathname !== "/api/events"
    for (const path of paths) {
      await visit(page, path)
      await expectNoBarriers(page, `${path}, empty`, {within: "main"})
    }
    await page.route(isAsked, () => {})
    for (const path of paths) {
      await visit(page, path, async () => true)
      await expectNoBarriers(page, `${path}, loading`, {within: "main"})
    }
    await page.unroute(isAsked)
    const problem = {code: "database_failed", detail: "the disk is full", hint: "Free space on it.", status: 500}
    await page.route(isAsked, route =>
      route.fulfill({status: 500, contentType: "application/problem+json", body: JSON.stringify(problem)}),
    )
    for (const path of paths) {
      await visit(page, path)
      await expectNoBarriers(page, `${path}, refused`, {within: "main"})
    }
  })

  test("while ingress is paused, with a demo token, and while the Host does not answer", async () => {
    const {host} = bad()
    const browser = await startChromium()
    await host.post("/api/ingress/pause")
    const demo = await openConsole(browser, host, {token: env.DEMO_TOKEN, colorScheme: "dark"})
    for (const path of [...(await pagesOf(demo.page)), ...details.slice(0, 7)]) {
      await visit(demo.page, path)
      await expectNoBarriers(demo.page, `${path}, for a demo token`, {within: "main"})
      expect(await demo.page.locator("main [data-alert-dialog-trigger]").allTextContents(), path).toEqual([])
    }
    const {page} = await openConsole(browser, host, {token})
    for (const path of ["", "operations", "endpoints"]) {
      await visit(page, path)
      await expectNoBarriers(page, `${path}, paused`)
    }
    await host.post("/api/ingress/resume")
    await live(page)
    await bad().kill()
    await page.locator("[data-away]").waitFor()
    for (const path of await pagesOf(page)) {
      await visit(page, path)
      await expectNoBarriers(page, `${path}, without a Host`)
      await page.emulateMedia({colorScheme: "dark"})
      await expectNoBarriers(page, `${path}, without a Host, dark`, {colours: true})
      await page.emulateMedia({colorScheme: "light"})
    }
  })
})
