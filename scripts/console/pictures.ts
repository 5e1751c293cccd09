import {mkdirSync} from "node:fs"
import {type Browser, chromium} from "playwright-core"
import {token} from "../../tests/bench/measure/host.ts"
import {lastAsLongAsProcess} from "../../tests/support/host/shared.ts"
import {root} from "../root.ts"
import {setScene} from "./scene.ts"

/**
 * `bun run console-pictures [page …]`: starts a bot and takes the documentation's pictures of its console,
 * `docs/images/console-*.png`: the overview in both themes, the other pages in the light one.
 */
const folder = `${root}docs/images/`

interface Picture {
  readonly name: string
  /** The page's address. */
  readonly at: string
  /** The selector that shows that the page is complete. */
  readonly shows: string
  /** The selector to click then. */
  readonly opens?: string
  readonly height?: number
  readonly theme?: "light" | "dark"
}

const pictures: readonly Picture[] = [
  {name: "overview", at: "", shows: "[data-heartbeat]"},
  {name: "overview-dark", at: "", shows: "[data-heartbeat]", theme: "dark"},
  {name: "inbox", at: "inbox/4?plugin=greeter&user=Ada", shows: "text=knows no place Mars", height: 1180},
  {name: "metrics", at: "metrics/24h", shows: "[data-uptime]", height: 1000},
  {name: "workroom", at: "workroom", shows: "[data-column]", height: 590},
  {name: "jobs", at: "jobs", shows: "text=morning", height: 615},
  {name: "job-form", at: "jobs/weekly", shows: "text=weekly", opens: 'a:text-is("Edit")', height: 1000},
  {name: "agents", at: "agents", shows: "text=helper", opens: '[data-run-state="succeeded"]', height: 1100},
  {name: "plugins", at: "plugins/tides", shows: "[data-last-failure]", height: 900},
  {name: "operations", at: "operations", shows: "[data-checkpoint=verified]", opens: "text=Ask the five questions"},
]

const take = async (
  browser: Browser,
  url: string,
  {name, at, shows, opens, height = 860, theme = "light"}: Picture,
) => {
  const page = await browser.newPage({viewport: {width: 1280, height}, colorScheme: theme, reducedMotion: "reduce"})
  await page.goto(`${url}/console/#token=${token}`)
  await page.locator('[data-connection="live"]').waitFor()
  await page.evaluate(hash => {
    location.hash = hash
  }, `#/${at}`)
  await page.locator(shows).first().waitFor()
  if (opens !== undefined) await page.locator(opens).first().click()
  await page.mouse.move(0, 0)
  // Waits until the charts are drawn.
  await page.waitForTimeout(1500)
  await page.screenshot({path: `${folder}console-${name}.png`})
  await page.close()
}

lastAsLongAsProcess()
const wanted = process.argv.slice(2)
mkdirSync(folder, {recursive: true})
const host = await setScene()
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking"],
})
for (const picture of pictures) {
  if (wanted.length === 0 || wanted.includes(picture.name))
    await take(browser, `http://127.0.0.1:${host.port}`, picture)
}
await browser.close()
await host.stop()
// The stand-in for a model would keep the process alive.
process.exit(0)
