import {existsSync} from "node:fs"
import {type Browser, chromium} from "playwright-core"
import {describe, onTestFinished} from "vitest"

const executablePath = "/usr/bin/chromium"
const isThere = existsSync(executablePath)

if (!isThere && process.env.SVC_TEST_REQUIRE_TOOLS === "1")
  throw new Error("SVC_TEST_REQUIRE_TOOLS is 1 and chromium is missing: apt-get install chromium")

/** `describe` that is skipped where Debian's Chromium is not installed. */
export const describeWithChromium = describe.skipIf(!isThere)

/** A browser that is closed when the test has ended. */
export const startChromium = async (): Promise<Browser> => {
  const args = ["--no-sandbox", "--disable-background-networking"]
  const browser = await chromium.launch({executablePath, args, timeout: 120_000})
  onTestFinished(() => browser.close())
  return browser
}
