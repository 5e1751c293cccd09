import {describe, expect, test} from "vitest"
import {resume} from "../../../server/events/envelope.ts"
import {epochOf, eventId} from "../../../shared/event-id.ts"
import {readEvents, readHistoryOf} from "../../support/events/reader.ts"
import {Chance, onBun, onNode22, startHost, until} from "../../support/host/host.ts"

const odd = [
  "-",
  "0",
  "1",
  "9",
  "a",
  "f",
  "g",
  "é",
  "\u{1f600}",
  "\ud800",
  "\0",
  "\n",
  " ",
  ".",
  "e",
  "+",
  "%",
  "/",
  "\u0661",
]

/** Any string: nonsense, ids of this epoch and others, and ids with one error. */
const anyCursor = (chance: Chance, epoch: string, head: number): string => {
  const offset = chance.pick([0, 1, head - 1, head, head + 1, chance.below(2 * head + 2), 2 ** 53 - 1, 2 ** 53, 1e21])
  const id = eventId(chance.pick([epoch, epoch, epoch, "0".repeat(12), ""]), offset)
  const at = chance.below(id.length + 1)
  switch (chance.below(6)) {
    case 0:
      return Array.from({length: chance.below(40)}, () => chance.pick(odd)).join("")
    case 1:
      return id.slice(0, at) + chance.pick(odd) + id.slice(at)
    case 2:
      return id.slice(0, at) + id.slice(at + 1)
    case 3:
      return id.repeat(1 + chance.below(200))
    default:
      return id
  }
}

/** The expected result for a cursor, computed in a different way than by the program. */
const expected = (cursor: string, epoch: string, head: number, evictedTo: number): string => {
  if (cursor === "") return "fresh"
  for (let offset = 0; offset <= head + 1; offset++) {
    if (cursor !== `${epoch}-${offset}`) continue
    if (offset > head) return "ahead"
    return offset < evictedTo ? "evicted" : `resumed after ${offset}`
  }
  return "another gap"
}

const told = (result: ReturnType<typeof resume>): string => {
  if (result.is === "fresh") return "fresh"
  if (result.is === "resumed") return `resumed after ${result.after}`
  return result.reason === "ahead" || result.reason === "evicted" ? result.reason : "another gap"
}

test("any string as a cursor either resumes exactly or is a gap", () => {
  const chance = new Chance(20_261_121)
  const epoch = epochOf("3aa44cb9-6936-4000-8000-000000000000")
  let resumed = 0
  for (let round = 0; round < 50_000; round++) {
    const head = chance.below(30)
    const evictedTo = chance.below(head + 1)
    const cursor = anyCursor(chance, epoch, head)
    const result = told(resume(cursor, epoch, {head, evictedTo}))
    const far = /^[0-9a-f]{12}-[1-9][0-9]{0,15}$/.test(cursor) && cursor.startsWith(epoch)
    const wanted = expected(cursor, epoch, head, evictedTo)
    // Far beyond the head there is nothing to count to; both are gaps.
    expect(
      far && wanted === "another gap" ? result === "ahead" || result === "another gap" : result === wanted,
      cursor,
    ).toBe(true)
    if (result.startsWith("resumed")) resumed++
  }
  expect(resumed).toBeGreaterThan(1000)
})

describe.each([onBun, ...(onNode22 === undefined ? [] : [onNode22])])("over HTTP on $name", runtime => {
  test("any string as a cursor gets 200, resumed or with a gap, and shows no other history", async () => {
    const host = await startHost({
      runtime,
      config: "http:\n  port: 0\nplugins:\n  sandbox: {}\nevents:\n  history: {events: 6}\n",
    })
    for (let n = 0; n < 4; n++) await host.say("/help")
    const quiet = await until("eviction", async () => {
      const page = await host.get("/api/events/history")
      return page.items.length === 6 && page
    })
    const whole = await readHistoryOf(host)
    const {epoch} = quiet
    const head = Number(quiet.head.split("-")[1])
    const evictedTo = Number(quiet.oldest.split("-")[1]) - 1
    const chance = new Chance(7)
    const restOf = (offset: number) => whole.filter(({id}) => Number(id.split("-")[1]) > offset)
    for (let round = 0; round < 120; round++) {
      const cursor = anyCursor(chance, epoch, head).toWellFormed()
      const wanted = expected(cursor, epoch, head, evictedTo)
      const exact = wanted.startsWith("resumed") ? restOf(Number(wanted.split(" ").at(-1))) : undefined
      const page = await host.get("/api/events/history", {after: cursor})
      expect(page.gap === null, cursor).toBe(exact !== undefined || wanted === "fresh")
      expect(page.items, cursor).toEqual(exact ?? whole)
      if (round % 4 !== 0) continue
      const canBeHeader = /^[\x21-\x7e]*$/.test(cursor)
      const reader = await readEvents(host, canBeHeader ? {cursor} : {query: {last_event_id: cursor}})
      expect((await reader.hello()).recovered, cursor).toBe(exact !== undefined)
      if (exact === undefined && wanted !== "fresh") await until("the gap", () => reader.gaps().length === 1)
      if (exact !== undefined) await until("the rest", () => reader.envelopes().length === exact.length)
      expect(reader.envelopes(), cursor).toEqual(exact ?? [])
      expect(reader.gaps().length, cursor).toBe(exact === undefined && wanted !== "fresh" ? 1 : 0)
      reader.close()
    }
  })
})
