import {execFileSync} from "node:child_process"
import {expect, test} from "vitest"
import {root, runtimes} from "../../support/host/runtimes.ts"

/** Fills the young generation, lets V8 make it small as in a rest, and fills it again. Prints its sizes in MiB. */
const script = `
import {setTimeout as sleep} from "node:timers/promises"
import {getHeapSpaceStatistics} from "node:v8"
import {keepHeapSmall} from ${JSON.stringify(`${root}server/runtime/flow/heap.ts`)}

keepHeapSmall("")
const young = () => getHeapSpaceStatistics().find(each => each.space_name === "new_space").space_size / 2 ** 20
const rush = async () => {
  let largest = 0
  for (let turn = 0, kept = []; turn < 200; turn++) {
    if (turn % 10 === 0) kept = []
    for (let n = 0; n < 20_000; n++) kept.push({text: "message " + n})
    // The observer of collections runs between turns.
    await sleep(0)
    largest = Math.max(largest, young())
  }
  return largest
}
const before = await rush()
let rested = before
for (let rests = 0; rests < 40 && rested > before / 2; rests++) {
  await sleep(250)
  gc()
  rested = young()
}
console.log(JSON.stringify({before, rested, after: await rush()}))
`

test.each(runtimes.filter(({name}) => name !== "bun"))(
  "the young generation is limited in a rush, and grows again after a rest, on $name",
  ({command: [node = ""]}) => {
    const args = ["--expose-gc", "--no-warnings", "--experimental-strip-types", "--input-type=module", "--eval", script]
    const {before, rested, after} = JSON.parse(execFileSync(node, args, {encoding: "utf8"}))
    expect(before).toBeLessThanOrEqual(64)
    expect(rested).toBeLessThan(before / 2)
    expect(after).toBeGreaterThan(before / 2)
  },
)
