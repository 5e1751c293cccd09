import {existsSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {setTimeout as sleep} from "node:timers/promises"
import type {Page} from "playwright-core"
import {beforeAll, expect, type TestContext, test} from "vitest"
import {buildSite, NotFetched} from "../../../scripts/site/build.ts"
import {placeOf} from "../../../scripts/site/pages.ts"
import {serveSite} from "../../../scripts/site/serve.ts"
import {readDocuments} from "../../support/docs/documents.ts"
import {deadLinks} from "../../support/docs/site.ts"
import {whenOver} from "../../support/host/host.ts"
import {onBun, root} from "../../support/host/runtimes.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {expectNoBarriers, expectNoSidewaysScroll} from "../console/console.ts"

const base = "/svc/"
const output = join(root, "node_modules/.cache/site-of-the-tests")
let missing: string | undefined

/** The pause after each attempt to fetch VitePress, in milliseconds: registries are often unavailable for a moment. */
const rests = [5000, 30_000]

/** Builds the site. Without VitePress it returns the reason; with `SVC_TEST_REQUIRE_TOOLS=1` it throws that. */
const build = async (attempt = 0): Promise<string | undefined> => {
  try {
    buildSite({base, output, bun: onBun.command[0] ?? "bun", say: () => {}})
    return undefined
  } catch (error) {
    if (!(error instanceof NotFetched)) throw error
    if (process.env.SVC_TEST_REQUIRE_TOOLS !== "1") return error.message
    const rest = rests[attempt]
    if (rest === undefined) throw error
    await sleep(rest)
    return build(attempt + 1)
  }
}

const openSite = async (context: TestContext, options: object = {}): Promise<{page: Page; url: string}> => {
  needSite(context)
  const {url, close} = await serveSite(output, base, 0)
  whenOver(close)
  const browser = await (await startChromium()).newContext({reducedMotion: "reduce", ...options})
  const foreign: string[] = []
  whenOver(async () => {
    await browser.close()
    expect(foreign).toEqual([])
  })
  const page = await browser.newPage()
  page.on("request", request => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:")) foreign.push(request.url())
  })
  page.on("pageerror", error => foreign.push(`thrown: ${error.message}`))
  return {page, url}
}

const needSite = (context: TestContext): void => {
  if (missing !== undefined) context.skip(missing)
}

/** A front page, a guide, a reference page, and a page with wide tables. */
const shown = ["", "docs/backup.html", "docs/reference/readiness.html", "docs/adapters/"]

describeWithChromium("the site of the documentation", () => {
  beforeAll(async () => {
    missing = await build()
  }, 400_000)

  test("every link and anchor leads somewhere", context => {
    needSite(context)
    expect(deadLinks(output, base)).toEqual([])
  })

  test("every page is in the site and in the index for programs", context => {
    needSite(context)
    const index = readFileSync(join(output, "llms.txt"), "utf8")
    const whole = readFileSync(join(output, "llms-full.txt"), "utf8")
    const lost = readDocuments().filter(({path, text}) => {
      const place = placeOf(path)
      const isListed = index.includes(`](${base}${place}): `) && whole.includes(text.trim())
      return !isListed || !existsSync(join(output, place)) || !existsSync(join(output, place.replace(/md$/, "html")))
    })
    expect(lost.map(({path}) => path)).toEqual([])
  })

  test.for(["light", "dark"] as const)(
    "in the %s theme, pages have no barriers, wide or narrow",
    async (theme, context) => {
      const {page, url} = await openSite(context, {colorScheme: theme})
      for (const path of shown) {
        await page.setViewportSize({width: 1280, height: 900})
        await page.goto(`${url}${path}`)
        await page.locator(".VPDoc h1").waitFor()
        await expectNoBarriers(page, `${path}, ${theme}`, {colours: theme === "dark"})
        await page.setViewportSize({width: 390, height: 844})
        await expectNoBarriers(page, `${path}, ${theme}, 390 px`, {colours: theme === "dark"})
        await expectNoSidewaysScroll(page, `${path}, 390 px`)
      }
    },
  )

  test("the search finds a page", async context => {
    const {page, url} = await openSite(context)
    await page.goto(url)
    await page.locator("#local-search button").click()
    await page.locator(".VPLocalSearchBox input").fill("restore checkpoint")
    const found = page.locator(`.VPLocalSearchBox a[href^="${base}docs/backup.html"]`)
    await found.first().click()
    await page.locator(".VPDoc h1").waitFor()
    expect(new URL(page.url()).pathname).toBe(`${base}docs/backup.html`)
  })
})
