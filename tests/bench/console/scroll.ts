import {setTimeout as sleep} from "node:timers/promises"
import type {Page} from "playwright-core"
import {atMost, type Figure} from "../measure/figure.ts"
import {spreadOf} from "../measure/statistics.ts"
import type {WatchedTab} from "./tab.ts"
import {taskTimes} from "./trace.ts"

/** People notice a task that takes longer, in milliseconds. */
const felt = 100

/** How far a list is scrolled, in rows: the last row in the page, and the number of known rows. */
const reached = (page: Page, list: string): Promise<readonly [last: number, known: number]> =>
  page
    .locator(`${list} [aria-posinset]`)
    .last()
    .evaluate(row => [Number(row.getAttribute("aria-posinset")), Number(row.getAttribute("aria-setsize"))] as const)

/** Turns the wheel until the list has scrolled past this many rows. */
const byWheel = async (page: Page, list: string, rows: number): Promise<void> => {
  await page.locator(list).hover()
  while ((await reached(page, list))[0] < rows) {
    for (let turn = 0; turn < 10; turn++) {
      await page.mouse.wheel(0, 800)
      await sleep(16)
    }
  }
}

/** Presses keys in a list: page by page from the beginning to the end, then back line by line, and from end to end. */
const byKeys = async (page: Page, list: string, rows: number): Promise<void> => {
  await page.locator(list).focus()
  await page.keyboard.press("Home")
  await sleep(500)
  while ((await reached(page, list))[0] < rows) {
    for (let press = 0; press < 20; press++) await page.keyboard.press("PageDown")
  }
  for (let press = 0; press < 100; press++) await page.keyboard.press("ArrowUp")
  for (let press = 0; press < 10; press++) {
    await page.keyboard.press(press % 2 === 0 ? "Home" : "End")
    await sleep(150)
  }
}

/** Scrolls the window itself down and up again, for a page that is one long list. */
const wholePage = async (page: Page): Promise<void> => {
  await page.locator("h1").hover()
  for (const step of [700, -700]) {
    for (let turn = 0; turn < 60; turn++) {
      await page.mouse.wheel(0, step)
      await sleep(16)
    }
  }
  for (const key of ["PageDown", "PageUp", "End", "Home"]) {
    for (let press = 0; press < 20; press++) await page.keyboard.press(key)
    await sleep(200)
  }
}

const figuresOf = async (tab: WatchedTab, name: string, scroll: () => Promise<void>): Promise<readonly Figure[]> => {
  // Excludes the work of opening the page.
  await sleep(1500)
  await tab.longTasks()
  const begun = performance.now()
  const [longest = 0] = await taskTimes(tab.browser, tab.page, async () => {
    await scroll()
    await sleep(300)
  })
  const {tasks, frames} = await tab.longTasks()
  const most = (samples: readonly number[]) => Math.max(0, ...samples).toFixed(0)
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  return [
    {
      name: `${name}: longest task`,
      unit: "ms",
      value: spreadOf([longest]),
      target: atMost(felt),
      detail: `its processor time; by the clock ${most(tasks)} ms, ${tasks.length} of 50 ms and more in ${seconds} s, longest frame ${most(frames)} ms`,
    },
  ]
}

export const scrolling = async (tab: WatchedTab, rows: number, endpoints: number): Promise<readonly Figure[]> => {
  const {page} = tab
  const list = '[role="list"][tabindex]'
  await tab.show("inbox", `${list} [data-seq]`)
  const wheel = await figuresOf(tab, `inbox of ${rows}, by wheel`, () => byWheel(page, list, rows))
  const keys = await figuresOf(tab, `inbox of ${rows}, by keys`, () => byKeys(page, list, rows))
  await tab.show("endpoints", `[data-endpoint="crowd~account-${endpoints}"]`)
  const whole = await figuresOf(tab, `${endpoints} endpoints, by wheel and keys`, () => wholePage(page))
  await tab.show("", "[data-heartbeat]")
  const overview = await figuresOf(tab, `overview of ${endpoints} endpoints`, () => wholePage(page))
  return [...wheel, ...keys, ...whole, ...overview]
}
