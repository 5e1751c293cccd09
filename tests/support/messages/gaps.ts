import type {GapView} from "../../../shared/api/endpoints.ts"
import type {Page} from "../../../shared/api/pages.ts"
import {until} from "../host/process.ts"
import type {TestHost} from "../host/test-host.ts"

export type Gap = GapView

/** All items of a list: `read` returns the page at a cursor, and the first page without one. */
export const allOf = async <T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<readonly T[]> => {
  const {items, next} = await read(undefined)
  const all = [...items]
  for (let cursor = next; cursor !== null; ) {
    const page = await read(cursor)
    all.push(...page.items)
    cursor = page.next
  }
  return all
}

export const gapsOf = (host: TestHost): Promise<readonly Gap[]> =>
  allOf(cursor => host.get("/api/inbox/gaps", {limit: 500, cursor}))

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
