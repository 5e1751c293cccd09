import {expect, test} from "vitest"
import {isWithin} from "../../../server/runtime/packages/version-range.ts"

test.each([
  [">=22.12.0", "22.12.0"],
  [">=22.12.0", "24.1.0"],
  ["^20.19.0 || >=22.12.0", "20.20.1"],
  [">= 20 < 25", "24.9.9"],
  ["^0.2.3", "0.2.9"],
  ["~1.2", "1.2.9"],
  ["22.x", "22.99.0"],
  ["22", "22.0.1"],
  ["*", "1.0.0"],
  ["", "1.0.0"],
  ["1.2.3 - 2.0", "2.0.9"],
  [">22", "23.0.0"],
  ["<=22", "22.99.1"],
  ["v22.12.0", "22.12.0"],
  [">=22", "23.0.0-nightly2026"],
])("%s admits %s", (range, version) => expect(isWithin(version, range)).toBe(true))

test.each([
  [">=22.12.0", "22.11.9"],
  ["^20.19.0 || >=22.12.0", "21.0.0"],
  [">=20 <25", "25.0.0"],
  ["^0.2.3", "0.3.0"],
  ["^1.2.3", "2.0.0"],
  ["~1.2.3", "1.3.0"],
  ["22.x", "23.0.0"],
  ["1.2.3 - 2.0", "2.1.0"],
  [">22", "22.99.0"],
  ["<=22", "23.0.0"],
  ["1.2.3", "1.2.4"],
])("%s does not admit %s", (range, version) => expect(isWithin(version, range)).toBe(false))

test.each(["latest", ">=one", "file:../x"])("%s is not a supported range", range =>
  expect(isWithin("1.0.0", range)).toBeUndefined(),
)
