import type {Browser, Page} from "playwright-core"

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly args?: {readonly name?: string}
  /** The thread's processor time, in microseconds. */
  readonly tdur?: number
}

/** The processor time of each task during `run`, in milliseconds, longest first; clock time would count other work. */
export const taskTimes = async (browser: Browser, page: Page, run: () => Promise<void>): Promise<readonly number[]> => {
  await browser.startTracing(page, {categories: ["disabled-by-default-devtools.timeline", "__metadata"]})
  await run()
  const {traceEvents}: {traceEvents: readonly TraceEvent[]} = JSON.parse((await browser.stopTracing()).toString())
  const threadOf = ({pid, tid}: TraceEvent) => `${pid} ${tid}`
  const main = new Set(
    traceEvents.filter(({name, args}) => name === "thread_name" && args?.name === "CrRendererMain").map(threadOf),
  )
  return traceEvents
    .filter(event => event.name.endsWith("RunTask") && main.has(threadOf(event)))
    .map(({tdur = 0}) => tdur / 1000)
    .sort((one, other) => other - one)
}
