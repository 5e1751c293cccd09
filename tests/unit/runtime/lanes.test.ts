import {expect, test} from "vitest"
import {Lanes} from "../../../server/runtime/flow/lanes.ts"

/** Lanes whose work ends when the test says so; what began and what runs now. */
const makeLanes = (width: number) => {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const lanes = new Lanes<string>(width, (item, lane) => {
    began.push(`${lane}${item}`)
    return new Promise(resolve => ends.set(`${lane}${item}`, resolve))
  })
  const end = async (name: string) => {
    const resolve = ends.get(name)
    if (resolve === undefined) throw new Error(`${name} does not run`)
    ends.delete(name)
    resolve()
    await new Promise(turn => setImmediate(turn))
  }
  return {lanes, began, end, running: () => [...ends.keys()]}
}

test("a lane takes one item after the other, in order", async () => {
  const {lanes, began, end, running} = makeLanes(10)
  for (const item of ["1", "2", "3"]) lanes.push("a", item)
  expect(running()).toEqual(["a1"])
  await end("a1")
  expect(running()).toEqual(["a2"])
  await end("a2")
  await end("a3")
  expect(began).toEqual(["a1", "a2", "a3"])
})

test("lanes run side by side, as many as the width", async () => {
  const {lanes, end, running} = makeLanes(2)
  for (const lane of ["a", "b", "c"]) for (const item of ["1", "2"]) lanes.push(lane, item)
  expect(running()).toEqual(["a1", "b1"])
  expect(lanes.length).toBe(4)
  await end("b1")
  expect(running()).toEqual(["a1", "c1"])
})

test("a busy lane does not starve the others", async () => {
  const {lanes, began, end} = makeLanes(1)
  for (const item of ["1", "2", "3"]) lanes.push("a", item)
  lanes.push("b", "1")
  await end("a1")
  await end("b1")
  await end("a2")
  expect(began).toEqual(["a1", "b1", "a2", "a3"])
})

test("a paused one starts nothing more, and is settled when what runs has ended", async () => {
  const {lanes, began, end} = makeLanes(2)
  lanes.push("a", "1")
  lanes.push("a", "2")
  lanes.pause()
  lanes.push("b", "1")
  let settled = false
  const settling = lanes.settled().then(() => {
    settled = true
  })
  await new Promise(turn => setImmediate(turn))
  expect(settled).toBe(false)
  await end("a1")
  await settling
  expect(began).toEqual(["a1"])
  expect(lanes.length).toBe(2)
})

test("settles at once where nothing runs, and only when the last lane is idle", async () => {
  const {lanes, end} = makeLanes(2)
  await lanes.settled()
  lanes.push("a", "1")
  lanes.push("a", "2")
  const settling = lanes.settled()
  await end("a1")
  await end("a2")
  await settling
  expect(lanes.length).toBe(0)
})

test("takes a new width: a smaller one as lanes end, a larger one at once", async () => {
  const {lanes, end, running} = makeLanes(2)
  for (const lane of ["a", "b", "c", "d"]) lanes.push(lane, "1")
  lanes.setWidth(1)
  await end("a1")
  expect(running()).toEqual(["b1"])
  lanes.setWidth(3)
  expect(running()).toEqual(["b1", "c1", "d1"])
})
