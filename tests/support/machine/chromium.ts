import {existsSync} from "node:fs"
import {type Browser, chromium} from "playwright-core"
import {afterAll, describe} from "vitest"

const executablePath = "/usr/bin/chromium"
const isThere = existsSync(executablePath)

if (!isThere && process.env.SVC_TEST_REQUIRE_TOOLS === "1")
  throw new Error("SVC_TEST_REQUIRE_TOOLS is 1 and chromium is missing: apt-get install chromium")

/** `describe`, skipped if Debian's Chromium is not installed. */
export const describeWithChromium = describe.skipIf(!isThere)

let running: Promise<Browser> | undefined

afterAll(async () => (await running)?.close())

/** The shared browser of a test file. Each test uses its own browser context. */
export const startChromium = (): Promise<Browser> => {
  const args = ["--no-sandbox", "--disable-background-networking"]
  running ??= chromium.launch({executablePath, args, timeout: 120_000})
  return running
}
