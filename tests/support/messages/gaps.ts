import type {GapView} from "../../../shared/api/endpoints.ts"
import type {Static} from "../../../shared/type.ts"
import type {TestHost} from "../host/host.ts"
import {until} from "../host/process.ts"

export type Gap = Static<typeof GapView>

interface GapPage {
  readonly items: readonly Gap[]
  readonly next: string | null
}

/** All gaps that the Host lists, newest first. */
export const gapsOf = async (host: TestHost): Promise<readonly Gap[]> => {
  const gaps: Gap[] = []
  for (let next: string | null = ""; next !== null; ) {
    const page: GapPage = await host.get<GapPage>(`/api/inbox/gaps?limit=500${next === "" ? "" : `&cursor=${next}`}`)
    gaps.push(...page.items)
    next = page.next
  }
  return gaps
}

/** Waits until there are so many gaps, and each has its end. */
export const untilGaps = (host: TestHost, count: number): Promise<readonly Gap[]> =>
  until(`${count} ended gaps`, async () => {
    const gaps = await gapsOf(host)
    return gaps.length >= count && gaps.every(({to}) => to !== null) && gaps
  })
