import {describe, expect, test} from "vitest"
import {Chance, faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {randomRequest, stores} from "../../support/workroom/workroom.ts"
import {WorkroomModel} from "./model.ts"

const run = faultRun("workroom-model")
const {rounds: commands, seed} = run
const together = 100

describe.each(stores)("the workroom in $name", ({make}) => {
  test(`equals a simple model after ${commands} random commands (seed ${seed}), and its rebuilt Catalog equals the stored one`, async () => {
    tellHowToRepeat(run)
    const place = await make()
    const model = new WorkroomModel()
    const chance = new Chance(seed)
    let workroom = await place.open()
    let accepted = 0
    for (let done = 0; done < commands; done += together) {
      const expected: boolean[] = []
      const asked = Array.from({length: together}, () => {
        const request = randomRequest(chance, model.count, id => model.revisionOf(id))
        expected.push(model.run(request))
        return workroom.run(request)
      })
      const outcomes = (await Promise.allSettled(asked)).map(({status}) => status === "fulfilled")
      expect(outcomes).toEqual(expected)
      accepted += outcomes.filter(Boolean).length
      if (chance.below(40) === 0) {
        await workroom.close()
        workroom = await place.open()
      }
    }
    expect(workroom.items.map(WorkroomModel.of)).toEqual(model.items)
    expect(workroom.head.seq).toBe(accepted)
    expect(await workroom.verify()).toMatchObject({seq: accepted, items: model.count})
    await workroom.close()
    expect((await (await place.store()).kept()).seq).toBe(accepted)
    await (await place.open()).verify()
  }, 600_000)
})
