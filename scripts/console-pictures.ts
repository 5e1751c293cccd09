import {mkdirSync} from "node:fs"
import {fileURLToPath} from "node:url"
import {chromium} from "playwright-core"

/**
 * Takes the pictures of the documentation, `docs/images/console-*.png`, of a Host that runs:
 * `bun run console-pictures <link of its console> [page …]`.
 */
const [link = "", ...pages] = process.argv.slice(2)
const folder = fileURLToPath(new URL("../docs/images/", import.meta.url))
mkdirSync(folder, {recursive: true})

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking"],
})
const page = await browser.newPage({
  viewport: {width: 1280, height: 860},
  colorScheme: "light",
  reducedMotion: "reduce",
})
await page.goto(link)
await page.locator('[data-connection="live"]').waitFor()
for (const name of pages.length === 0 ? ["overview"] : pages) {
  await page.evaluate(
    hash => {
      location.hash = hash
    },
    `#/${name === "overview" ? "" : name}`,
  )
  // Charts are drawn once their data is there.
  await page.waitForTimeout(1500)
  await page.screenshot({path: `${folder}console-${name.split("/")[0]}.png`})
}
await browser.close()
