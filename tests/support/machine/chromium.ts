import {existsSync} from "node:fs"
import {type Browser, chromium} from "playwright-core"
import {afterAll, describe} from "vitest"

const executablePath = "/usr/bin/chromium"
const isThere = existsSync(executablePath)

if (!isThere && process.env.SVC_TEST_REQUIRE_TOOLS === "1")
  throw new Error("SVC_TEST_REQUIRE_TOOLS is 1 and chromium is missing: apt-get install chromium")

/**
 * The hidden pages of an address bar, which cost the processor half a second in each context. The last of such options
 * counts, so this list repeats Playwright's.
 */
const disabledFeatures = `WebUIOmniboxPopup WebUIOmniboxAimPopup SpareRendererForSitePerProcess
  AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose HttpsUpgrades HttpsFirstBalancedModeAutoEnable
  LensOverlay MediaRouter PaintHolding ThirdPartyStoragePartitioning AvoidCorsURLLoaderRestartOnRedirect
  OptimizationHints NetworkTimeServiceQuerying AimEnabled PreconnectToSearch`.split(/\s+/)

let running: Promise<Browser> | undefined

const close = async (): Promise<void> => {
  const browser = running
  running = undefined
  await (await browser)?.close()
}

/** `describe`, skipped if Debian's Chromium is not installed. The browser closes after its last test. */
export const describeWithChromium = (name: string, tests: () => void): void => {
  describe.skipIf(!isThere)(name, {timeout: 400_000}, () => {
    // Here, because a process loads this module once for all its test files.
    afterAll(close)
    tests()
  })
}

/** The browser that the tests of a `describeWithChromium` share. Each test uses its own browser context. */
export const startChromium = (): Promise<Browser> => {
  const args = ["--no-sandbox", "--disable-background-networking", `--disable-features=${disabledFeatures}`]
  running ??= chromium.launch({executablePath, args, timeout: 120_000})
  return running
}
