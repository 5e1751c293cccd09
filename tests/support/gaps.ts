import type {GapView} from "../../shared/api.ts"
import type {Static} from "../../shared/type.ts"
import type {TestHost} from "./host.ts"
import {until} from "./process.ts"

export type Gap = Static<typeof GapView>

/** All gaps that the Host lists, newest first. */
export const gapsOf = async (host: TestHost): Promise<readonly Gap[]> =>
  (await host.get<{items: readonly Gap[]}>("/api/inbox/gaps?limit=500")).items

/** Waits until there are so many gaps, and each has its end. */
export const untilGaps = (host: TestHost, count: number): Promise<readonly Gap[]> =>
  until(`${count} ended gaps`, async () => {
    const gaps = await gapsOf(host)
    return gaps.length >= count && gaps.every(({to}) => to !== null) && gaps
  })
