import {expect, test} from "vitest"
import {Intake, snOfCursor} from "../../../../server/adapters/satori/intake.ts"
import {type Incoming, type Log, Problem, type Receipt} from "../../../../shared/sdk/sdk.ts"
import {until} from "../../../support/host/process.ts"

const event = (id: string): Incoming => ({id, type: "message-created"})

/** A stand-in for the Host's side of an endpoint; `fails` returns the error for a batch. */
const startEndpoint = (fails: (events: readonly Incoming[]) => Error | undefined = () => undefined) => {
  const stored: {readonly ids: readonly string[]; readonly sn: number | undefined}[] = []
  const lost: string[] = []
  const warned: string[] = []
  const receipt: Receipt = {sn: 1, duplicate: false, dropped: false}
  const receive = async (events: readonly Incoming[] | Incoming, options?: {cursor?: string}) => {
    const all = Array.isArray(events) ? (events as readonly Incoming[]) : [events as Incoming]
    const error = fails(all)
    if (error !== undefined) throw error
    stored.push({ids: all.map(({id}) => id), sn: snOfCursor(options?.cursor, "http://a")})
    return all.map(() => receipt)
  }
  const log = {warn: (text: string) => void warned.push(text)} as Log
  const endpoint = {
    receive: receive as never,
    lost: (error: Error) => void lost.push(error.message),
    log,
    signal: new AbortController().signal,
  }
  return {endpoint, stored, lost, warned}
}

test("the intake stores waiting events in one batch, in order, with the number of the last one", async () => {
  const {endpoint, stored} = startEndpoint()
  const intake = new Intake(endpoint, {url: "http://a", sn: undefined})
  intake.add(event("a"), 5)
  intake.add(undefined, 7)
  intake.add(event("b"), 6)
  expect(stored).toEqual([])
  intake.open()
  await until("the batch", () => stored.length === 1)
  expect(stored).toEqual([{ids: ["a", "b"], sn: 7}])
})

test("a lower number starts a new count only if it is the first of its connection", async () => {
  const {endpoint, stored, warned} = startEndpoint()
  const intake = new Intake(endpoint, {url: "http://a", sn: 50})
  intake.open()
  for (const sn of [3, 5, 4]) {
    intake.add(event(`e${sn}`), sn)
    await until("the event to be stored", () => stored.at(-1)?.ids.includes(`e${sn}`))
  }
  expect(stored.map(({sn}) => sn)).toEqual([3, 5, 5])
  expect(warned).toHaveLength(1)
  expect(warned[0]).toMatch(/ 3 came after 50\b/)
})

test("an event that the Host finds invalid is left out, and blocks no others", async () => {
  const {endpoint, stored, warned} = startEndpoint(events =>
    events.some(({id}) => id === "bad") ? new Problem("event_invalid", "it is bad") : undefined,
  )
  const intake = new Intake(endpoint, {url: "http://a", sn: 1})
  for (const [index, id] of ["a", "bad", "b"].entries()) intake.add(event(id), index + 2)
  intake.open()
  await until("the last event", () => stored.at(-1)?.sn === 4)
  expect(stored).toEqual([
    {ids: ["a"], sn: 2},
    {ids: [], sn: 3},
    {ids: ["b"], sn: 4},
  ])
  expect(warned).toEqual([expect.stringMatching(/: it is bad$/)])
})

test("the intake waits while ingress is paused, and drops the connection if the Host cannot store", async () => {
  let isPaused = true
  const {endpoint, stored, lost} = startEndpoint(() =>
    isPaused ? new Problem("ingress_paused", "paused", {retryAfter: 1}) : undefined,
  )
  const intake = new Intake(endpoint, {url: "http://a", sn: 1})
  intake.open()
  intake.add(event("a"), 2)
  isPaused = false
  await until("the event to be stored", () => stored.length === 1)
  expect(lost).toEqual([])

  const broken = startEndpoint(() => new Error("the disk is full"))
  const other = new Intake(broken.endpoint, {url: "http://a", sn: 1})
  other.open()
  other.add(event("a"), 2)
  await until("the connection to be lost", () => broken.lost.length === 1)
  expect(broken.lost).toEqual(["the disk is full"])
})

test("events without room stay at the server, and the next connection requests them again", async () => {
  const {endpoint, stored, lost} = startEndpoint()
  const intake = new Intake(endpoint, {url: "http://a", sn: undefined})
  for (let sn = 1; sn <= 6000; sn++) intake.add(event(String(sn)), sn)
  intake.open()
  await until("the connection to be lost", () => lost.length === 1)
  expect(stored.at(-1)?.sn).toBe(5000)
  expect(lost[0]).toContain("more than 5000 events were waiting")
})

test("a cursor of another server is ignored", () => {
  expect(snOfCursor(undefined, "http://a")).toBeUndefined()
  expect(snOfCursor('{"url":"http://a","sn":3}', "http://a")).toBe(3)
  expect(snOfCursor('{"url":"http://a","sn":3}', "http://b")).toBeUndefined()
})
