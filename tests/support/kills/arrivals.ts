import {expect} from "vitest"
import {type Gap, isInGap} from "../messages/gaps.ts"
import type {KillPlatform} from "./platform.ts"

export interface Arrivals {
  readonly missed: number
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
}

/** The gaps in which something may be missing. A `filled` gap has everything. */
const leavingOut = ({replays, hasHistory}: KillPlatform, gaps: readonly Gap[]): readonly Gap[] => {
  const wanted: readonly Gap["backfill"][] = hasHistory ? ["filled", "partly"] : [null]
  expect(gaps.filter(({to, backfill}) => replays || to === null || !wanted.includes(backfill))).toEqual([])
  return gaps.filter(({backfill}) => backfill !== "filled")
}

/** `stored` are the texts in the inbox, in order; `gaps` are those of the endpoint. */
export const checkArrivals = (platform: KillPlatform, stored: readonly string[], gaps: readonly Gap[]): Arrivals => {
  const gone = leavingOut(platform, gaps)
  const known = new Set(stored)
  const missing = platform.arrivals().filter(({line}) => !known.has(line))
  const lost = missing.filter(arrival => gone.length === 0 || !isInGap(gone, arrival))
  const said = [...platform.said.keys()]
  expect([...known]).toEqual(said.filter(text => known.has(text)))
  // A kill may take the end of the messages of a stay, and none from the middle.
  const stays = platform.stays?.().map(({lines}) => lines.map(line => known.has(line))) ?? []
  for (const found of stays) expect(found).toEqual(found.toSorted((a, b) => Number(b) - Number(a)))
  return {
    missed: missing.length - lost.length,
    lost: lost.map(({line}) => line),
    doubled: stored.filter((text, n) => stored.indexOf(text) !== n),
  }
}
