import {readFileSync} from "node:fs"
import type {Browser, BrowserContextOptions, Page} from "playwright-core"
import {expect} from "vitest"
import {meet} from "../../support/console/prism.ts"
import {root, type TestHost, until, whenOver} from "../../support/host/host.ts"

export const env = {HTTP_TOKEN: "the-full-token-of-the-console", DEMO_TOKEN: "the-demo-token-of-the-console"}
export const token = env.HTTP_TOKEN

export interface ConsoleTab {
  readonly page: Page
  /** The address that the page uses: the Host's own, except in a run with Prism between them. */
  readonly url: string
}

export interface TabOptions extends BrowserContextOptions {
  /** Signs in by a link with this token. */
  readonly token?: string
  /** The page, as in the address: `inbox/12`. */
  readonly at?: string
  /** Uses the Host's own address in every run, as the test is about addresses or about undocumented routes. */
  readonly direct?: boolean
  /** Errors that the test provokes. */
  readonly provoked?: RegExp
}

/** Messages of the browser about failed requests, and about a newer service worker while the Host is down. */
const ofBrowser = /^Failed to load resource|ERR_|when fetching the script/

/**
 * Opens a Host's console in its own browser profile, which shares nothing and is deleted with the test. The test fails
 * if the page violates its policy or throws or logs an error; requests that a Host rejects are no errors.
 */
export const openConsole = async (
  browser: Browser,
  host: TestHost,
  {token, at, direct = false, provoked, ...options}: TabOptions = {},
): Promise<ConsoleTab> => {
  const context = await browser.newContext({reducedMotion: "reduce", viewport: {width: 1280, height: 900}, ...options})
  const errors: string[] = []
  whenOver(async () => {
    await context.close()
    expect(errors).toEqual([])
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  page.on("pageerror", error => errors.push(`thrown: ${error.message}`))
  page.on("console", message => {
    const text = message.text()
    if (message.type() === "error" && !ofBrowser.test(text) && provoked?.test(text) !== true) errors.push(text)
  })
  const url = direct ? host.url : await meet(host)
  await page.goto(`${url}/console/${token === undefined ? "" : `#token=${token}`}`)
  if (token !== undefined) await live(page)
  if (at !== undefined) await goTo(page, at)
  return {page, url}
}

export const live = (page: Page) => page.locator('[data-connection="live"]').waitFor()

export const goTo = async (page: Page, at: string): Promise<void> => {
  await page.evaluate(hash => {
    location.hash = hash
  }, `#/${at}`)
}

/** Waits until a heading has the focus. It needs the selector, because a link to the page may have the same text. */
export const untilHeadingFocused = (page: Page, selector: "h1" | "h2", text: string) =>
  until(`the heading ${text} to have the focus`, () =>
    page.evaluate(
      ([tag, expected]) => document.activeElement?.matches(tag) && document.activeElement.textContent === expected,
      [selector, text] as const,
    ),
  )

const axe = readFileSync(`${root}node_modules/axe-core/axe.min.js`, "utf8")

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly {readonly html: string; readonly failureSummary?: string}[]
  }[]
}

interface BarrierOptions {
  readonly within?: string
  /** Checks the colours only, because another theme has had the full check. */
  readonly colours?: boolean
}

/** Expects no accessibility violations on the page as it is. The browser's own tools inject axe past its policy. */
export const expectNoBarriers = async (
  page: Page,
  where: string,
  {within, colours = false}: BarrierOptions = {},
): Promise<void> => {
  // The script stays until the page reloads.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  const part = within === undefined ? "document" : JSON.stringify(within)
  // For rules that pass, axe then describes one element instead of all.
  const options = {resultTypes: ["violations"], ...(colours ? {runOnly: ["color-contrast"]} : {})}
  const {violations}: AxeResult = await page.evaluate(`axe.run(${part}, ${JSON.stringify(options)})`)
  const found = violations.map(({id, help, nodes}) => `${id}: ${help}\n  ${nodes.map(({html}) => html).join("\n  ")}`)
  expect(found, where).toEqual([])
}

export const expectNoSidewaysScroll = async (page: Page, where: string): Promise<void> => {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(content, where).toBeLessThanOrEqual(window ?? 0)
}
