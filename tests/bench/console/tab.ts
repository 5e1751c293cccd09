import type {Browser, CDPSession, Page} from "playwright-core"
import {token} from "../measure/host.ts"

/** The memory of a page after its garbage is collected. */
export interface Holding {
  /** The JavaScript heap, in KB. */
  readonly heap: number
  readonly nodes: number
  readonly listeners: number
}

/** A tab with the console, observed from inside: the length of its tasks, and when rows appear. */
export interface WatchedTab {
  readonly browser: Browser
  readonly page: Page
  /** Opens a page of the console, and waits until the selector matches. */
  show(at: string, selector: string): Promise<void>
  /** The tasks of at least 50 ms since the last call, and the frames, each in milliseconds. */
  longTasks(): Promise<{readonly tasks: readonly number[]; readonly frames: readonly number[]}>
  /** When each inbox event first appeared in the page, in milliseconds since 1970. */
  appeared(): Promise<ReadonlyMap<number, number>>
  holding(): Promise<Holding>
  close(): Promise<void>
}

interface Watch {
  tasks: number[]
  frames: number[]
  rows: [seq: number, at: number][]
}

/** Runs in the page. */
const watch = () => {
  const seen = new Set<string>()
  const watching: Watch = {tasks: [], frames: [], rows: []}
  Object.assign(window, {watching})
  const keep = (type: string, into: number[]) =>
    new PerformanceObserver(list => into.push(...list.getEntries().map(({duration}) => duration))).observe({type})
  keep("longtask", watching.tasks)
  keep("long-animation-frame", watching.frames)
  new MutationObserver(changes => {
    const at = performance.timeOrigin + performance.now()
    for (const node of changes.flatMap(({addedNodes}) => [...addedNodes])) {
      if (!(node instanceof Element)) continue
      for (const row of [node, ...node.querySelectorAll("[data-seq]")]) {
        const seq = row.getAttribute("data-seq")
        if (seq === null || seen.has(seq)) continue
        seen.add(seq)
        watching.rows.push([Number(seq), at])
      }
    }
  }).observe(document, {childList: true, subtree: true})
}

/** Moves the observations out of the page, so that they do not add to its heap. */
const take = async (page: Page): Promise<Watch> =>
  page.evaluate(() => {
    const {watching} = window as unknown as {watching: Watch}
    return {tasks: watching.tasks.splice(0), frames: watching.frames.splice(0), rows: watching.rows.splice(0)}
  })

const holdingOf = async (session: CDPSession): Promise<Holding> => {
  await session.send("HeapProfiler.collectGarbage")
  await session.send("HeapProfiler.collectGarbage")
  const {usedSize} = await session.send("Runtime.getHeapUsage")
  const {nodes, jsEventListeners} = await session.send("Memory.getDOMCounters")
  return {heap: usedSize / 1024, nodes, listeners: jsEventListeners}
}

export const openTab = async (browser: Browser, url: string): Promise<WatchedTab> => {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}})
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.addInitScript(watch)
  const session = await context.newCDPSession(page)
  await page.goto(`${url}/console/#token=${token}`)
  await page.locator('[data-connection="live"]').waitFor()
  let rows: Watch["rows"] = []
  const taken = async () => {
    const seen = await take(page)
    rows = [...rows, ...seen.rows]
    return seen
  }
  return {
    browser,
    page,
    show: async (at, selector) => {
      await page.evaluate(hash => {
        location.hash = hash
      }, `#/${at}`)
      await page.locator(selector).first().waitFor()
    },
    longTasks: taken,
    appeared: async () => {
      await taken()
      return new Map(rows)
    },
    holding: async () => {
      await taken()
      return holdingOf(session)
    },
    close: () => context.close(),
  }
}
