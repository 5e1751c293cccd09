import {expect, onTestFinished, test} from "vitest"
import {Envelopes, heartbeat} from "../../../server/events/envelope.ts"
import {createFilter} from "../../../server/events/filter.ts"
import {EventLog} from "../../../server/events/log.ts"
import {EventStream} from "../../../server/events/stream.ts"
import {tellingAll, toRow} from "../../../server/events/telling.ts"
import {localDatabase, log, open, until} from "../../support/database/databases.ts"

const epoch = "3aa44cb96936"

const cursorAt = (offset: number) => `id: ${epoch}-${offset}\nevent: cursor\ndata: {"id":"${epoch}-${offset}"}\n\n`

/** A client that wants starts only, and the text that it received so far. */
const opened = async (beatEvery: number) => {
  const database = await open(await localDatabase())
  const events = new EventLog(database, log)
  await events.start()
  const envelopes = new Envelopes({epoch, project: "test", hide: text => text})
  const stream = new EventStream({database, events, envelopes, epoch, log, beatEvery})
  onTestFinished(() => stream.end())
  const filter = createFilter("host.started", undefined)
  const reader = stream.open({audience: "full", filter, cursor: undefined}).getReader()
  let text = ""
  const read = async () => {
    const decoder = new TextDecoder()
    for (let got = await reader.read(); !got.done; got = await reader.read()) text += decoder.decode(got.value)
  }
  void read()
  await until("hello", () => text.includes("event: hello"))
  return {
    text: () => text,
    /** Adds this number of events that the client does not want. */
    pass: (count: number) =>
      database.write([
        tellingAll(Array.from({length: count}, (_, code) => toRow("host.stopping", {code, reason: "unwanted"}))),
      ]),
  }
}

test("a client receives a comment at each interval, or a cursor after skipped events", async () => {
  const {text, pass} = await opened(150)
  await until("two comments", () => text().split(heartbeat).length > 2)
  expect(text()).not.toContain("cursor")
  await pass(5)
  await until("the cursor", () => text().includes(cursorAt(5)))
  const before = text().split(heartbeat).length
  await until("comments again", () => text().split(heartbeat).length > before)
  expect(text().split("event: cursor")).toHaveLength(2)
})

test("a client receives its cursor right after 1,000 skipped events, and no sooner", async () => {
  // The interval is longer than the test.
  const {text, pass} = await opened(3_600_000)
  await pass(999)
  await pass(1)
  await until("the cursor", () => text().includes(cursorAt(1000)))
  expect(text().split("event: cursor")).toHaveLength(2)
  await pass(999)
  await pass(1)
  await until("the next cursor", () => text().includes(cursorAt(2000)))
  expect(text()).not.toContain("unwanted")
  expect(text()).not.toContain(heartbeat)
})
