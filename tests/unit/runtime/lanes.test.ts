import {expect, test} from "vitest"
import {Lanes, type LanesOptions} from "../../../server/runtime/flow/lanes.ts"

/** Lanes whose work the test ends. They record what started and what is running. */
const makeLanes = (width: number, options: LanesOptions = {}) => {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const lanes = new Lanes<string>(
    width,
    (item, lane) => {
      began.push(`${lane}${item}`)
      return new Promise(resolve => ends.set(`${lane}${item}`, resolve))
    },
    options,
  )
  const end = async (name: string) => {
    const resolve = ends.get(name)
    if (resolve === undefined) throw new Error(`${name} does not run`)
    ends.delete(name)
    resolve()
    await new Promise(turn => setImmediate(turn))
  }
  return {lanes, began, end, running: () => [...ends.keys()]}
}

test("a lane runs one item after the other, in order", async () => {
  const {lanes, began, end, running} = makeLanes(10)
  for (const item of ["1", "2", "3"]) lanes.push("a", item)
  expect(running()).toEqual(["a1"])
  await end("a1")
  expect(running()).toEqual(["a2"])
  await end("a2")
  await end("a3")
  expect(began).toEqual(["a1", "a2", "a3"])
})

test("lanes run in parallel, up to the width", async () => {
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

test("a paused lane starts nothing more, and settles when its running work has ended", async () => {
  const {lanes, began, end} = makeLanes(2)
  lanes.push("a", "1")
  lanes.push("a", "2")
  lanes.pause()
  lanes.push("b", "1")
  let settled = false
  const settling = lanes.idle().then(() => {
    settled = true
  })
  await new Promise(turn => setImmediate(turn))
  expect(settled).toBe(false)
  await end("a1")
  await settling
  expect(began).toEqual(["a1"])
  expect(lanes.length).toBe(2)
})

test("lanes settle at once when nothing runs, or when the last one is idle", async () => {
  const {lanes, end} = makeLanes(2)
  await lanes.idle()
  lanes.push("a", "1")
  lanes.push("a", "2")
  const settling = lanes.idle()
  await end("a1")
  await end("a2")
  await settling
  expect(lanes.length).toBe(0)
})

test("a changed width applies at once when it grows, and as lanes end when it shrinks", async () => {
  const {lanes, end, running} = makeLanes(3)
  lanes.setMost(2)
  for (const lane of ["a", "b", "c", "d"]) lanes.push(lane, "1")
  lanes.setMost(1)
  await end("a1")
  expect(running()).toEqual(["b1"])
  lanes.setMost(Number.POSITIVE_INFINITY)
  expect(running()).toEqual(["b1", "c1", "d1"])
})

/** The owner of lane `irc/1` is `irc`. */
const ownerOf = (lane: string) => lane.split("/")[0] ?? ""

test("endless lanes of one owner do not block another owner's lanes", async () => {
  const {lanes, began, end, running} = makeLanes(2, {ownerOf})
  for (let n = 0; n < 10_000; n++) lanes.push(`discord/${n}`, "")
  lanes.push("irc/1", "")
  expect(running()).toEqual(["discord/0", "discord/1", "irc/1"])
  await end("irc/1")
  const turn = lanes.enter("irc/2")
  expect(lanes.enter("discord/new")).toBeUndefined()
  turn?.commit("")
  expect(running()).toEqual(["discord/0", "discord/1", "irc/2"])
  await end("discord/0")
  expect(began.at(-1)).toBe("discord/2")
})

test("owners take turns when the total number of running lanes is limited", async () => {
  const {lanes, began, end} = makeLanes(10, {ownerOf})
  lanes.setMost(1)
  for (let n = 0; n < 10_000; n++) lanes.push(`discord/${n}`, "")
  lanes.push("irc/1", "")
  lanes.push("irc/2", "")
  for (const name of ["discord/0", "discord/1", "irc/1", "discord/2", "irc/2"]) await end(name)
  expect(began).toEqual(["discord/0", "discord/1", "irc/1", "discord/2", "irc/2", "discord/3"])
})
