import type {GapView} from "../../../shared/api/endpoints.ts"
import type {Page} from "../../../shared/api/pages.ts"
import {until} from "../host/process.ts"
import type {TestHost} from "../host/test-host.ts"

export type Gap = GapView

/** All items of a paged list. */
export const allOf = async <T>(host: TestHost, path: string): Promise<readonly T[]> => {
  const items: T[] = []
  for (let next: string | null = ""; next !== null; ) {
    const page: Page<T> = await host.get<Page<T>>(`${path}?limit=500${next === "" ? "" : `&cursor=${next}`}`)
    items.push(...page.items)
    next = page.next
  }
  return items
}

/** All gaps of the Host, newest first. */
export const gapsOf = (host: TestHost): Promise<readonly Gap[]> => allOf<Gap>(host, "/api/inbox/gaps")

/** Waits until there are `count` gaps, all of which have ended. */
export const untilGaps = (host: TestHost, count: number): Promise<readonly Gap[]> =>
  until(`${count} ended gaps`, async () => {
    const gaps = await gapsOf(host)
    return gaps.length >= count && gaps.every(({to}) => to !== null) && gaps
  })

/** The time when a message reached the platform, in milliseconds since 1970: after `from` and before `to`. */
export interface Arrival {
  readonly from: number
  readonly to: number
}

/** Whether a message may have reached a platform before the first gap began, or during a gap. */
export const isInGap = (gaps: readonly Gap[], said: Arrival): boolean =>
  gaps.every(({from}) => said.from < Date.parse(from)) ||
  gaps.some(({from, to}) => Date.parse(from) <= said.to && to !== null && said.from <= Date.parse(to))
