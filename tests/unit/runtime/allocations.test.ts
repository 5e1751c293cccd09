import {writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {Allocations} from "../../../server/runtime/flow/allocations.ts"
import {makeFolder} from "../../support/host/project.ts"

const plugin = `const kept = []
export const keep = times => { for (let n = 0; n < times; n++) kept.push({n, text: "kept " + n}) }
export const waste = times => { for (let n = 0; n < times; n++) ({n, text: "wasted " + n}) }
`

test("what code holds is counted for its owner, without garbage; Bun cannot tell", async () => {
  const folder = makeFolder()
  const load = async (name: string): Promise<Record<"keep" | "waste", (times: number) => void>> => {
    writeFileSync(join(folder, `${name}.mjs`), plugin)
    return import(join(folder, `${name}.mjs`))
  }
  const [greedy, wasteful] = [await load("greedy"), await load("wasteful")]
  const allocations = new Allocations()
  const ownerOf = (script: string) => /(greedy|wasteful)\.mjs$/.exec(script)?.[1]
  expect(await allocations.held(ownerOf)).toBeUndefined()
  greedy.keep(300_000)
  wasteful.waste(300_000)
  const held = await allocations.held(ownerOf)
  if (process.versions.bun !== undefined) return expect(held).toBeUndefined()
  const [most, others] = [held?.get("greedy") ?? 0, (held?.get("wasteful") ?? 0) + (held?.get(undefined) ?? 0)]
  // Each takes at least 40 bytes.
  expect(most).toBeGreaterThan(8_000_000)
  expect(most).toBeGreaterThan(others)
})
