import {readFileSync, writeFileSync} from "node:fs"
import {expect, test} from "vitest"
import {examineFiles} from "../../../server/workroom/store/file-open.ts"
import {listSegments} from "../../../server/workroom/store/segments.ts"
import {Problem} from "../../../shared/problems.ts"
import {Chance, faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {authority} from "../../support/workroom/workroom.ts"
import {killedStore} from "./killed-store.ts"

const run = faultRun("workroom-flips")
const {rounds: flips, seed} = run

test(`a flipped bit is detected at any position (${flips} positions)`, async () => {
  tellHowToRepeat(run)
  const paths = await killedStore(24, 2500)
  const chance = new Chance(seed)
  const files = [paths.catalog, paths.acknowledged, ...(await listSegments(paths.journal)).map(({path}) => path)].map(
    path => ({path, bytes: readFileSync(path)}),
  )
  expect(files.length).toBeGreaterThan(4)
  const size = files.reduce((sum, {bytes}) => sum + bytes.length, 0)
  for (let flip = 0; flip < flips; flip++) {
    let position = chance.below(size)
    const file = files.find(({bytes}) => {
      if (position < bytes.length) return true
      position -= bytes.length
      return false
    })
    if (file === undefined) throw new Error("there is no such position")
    const changed = Buffer.from(file.bytes)
    changed[position] = (changed[position] ?? 0) ^ (1 << chance.below(8))
    writeFileSync(file.path, changed)
    const outcome: unknown = await examineFiles(paths, "keep", authority).catch(error => error)
    if (!(outcome instanceof Problem)) throw new Error(`a flip at ${position} of ${file.path} was not detected`)
    writeFileSync(file.path, file.bytes)
  }
  expect((await examineFiles(paths, "keep", authority))?.catalog.head.seq).toBe(24)
}, 600_000)
