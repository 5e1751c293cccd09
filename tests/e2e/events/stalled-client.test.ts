import {get, type IncomingMessage} from "node:http"
import {createParser} from "eventsource-parser"
import {describe, expect, onTestFinished, test} from "vitest"
import {readEvents} from "../../support/events/reader.ts"
import {onBun, onNode22, plainConfig, startHost, type TestHost, until} from "../../support/host/host.ts"
import {metricsOf} from "../../support/metrics/metrics.ts"
import {tickerPlugin} from "../../support/plugins/ticker-plugin.ts"

const offsetOf = (id: string | undefined) => Number(id?.split("-")[1])

/** A client that reads the start of the stream, then nothing until `readOn`. */
const stall = async (host: TestHost) => {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${host.url}/api/events`, {headers: {authorization: `Bearer ${host.token}`}, agent: false}, resolve).on(
      "error",
      reject,
    ),
  )
  onTestFinished(() => void response.destroy())
  const ids: string[] = []
  const parser = createParser({onEvent: ({id}) => void (id !== undefined && ids.push(id))})
  response.setEncoding("utf8").on("data", text => parser.feed(text))
  let isEnded = false
  response.on("error", () => {})
  response.on("close", () => {
    isEnded = true
  })
  await until("hello", () => ids.length > 0)
  response.pause()
  return {ids, isEnded: () => isEnded, readOn: () => void response.resume()}
}

describe.each([onBun, ...(onNode22 === undefined ? [] : [onNode22])])("a stalled client, on $name", runtime => {
  test("is disconnected as a slow consumer, leaves others undisturbed, and resumes without a hole", async () => {
    const host = await startHost({runtime, config: `${plainConfig}  ticker: {}\n`, plugins: {ticker: tickerPlugin}})
    const other = await readEvents(host)
    const {head} = await other.hello()
    const stalled = await stall(host)
    const slow = async () => (await metricsOf(host)).value("svc_event_stream_slow_consumers_total")
    let ticks = 0
    const ticksSeen = () => other.envelopes().filter(({type}) => type === "message.received").length
    await until(
      "the client to be disconnected",
      async () => {
        await host.plugin("/api/plugins/ticker/ticks", {count: 3000})
        ticks += 3000
        // Otherwise this process, if it gets little processor time, becomes a slow consumer too.
        await until("the other client to have everything", () => ticksSeen() >= ticks)
        return (await slow()) === 1
      },
      120_000,
    )
    const offsets = other.envelopes().map(({id}) => offsetOf(id))
    expect(offsets).toEqual(offsets.map((_, n) => offsetOf(head) + 1 + n))
    expect(other.isEnded()).toBe(false)

    stalled.readOn()
    await until("the stalled stream to end", stalled.isEnded)
    const cursor = stalled.ids.at(-1) ?? ""
    expect(offsetOf(cursor)).toBeLessThan(offsetOf(other.lastId()))
    const resumed = await readEvents(host, {cursor})
    expect((await resumed.hello()).recovered).toBe(true)
    await until("the rest of the events", () => resumed.lastId() === other.lastId())
    const [begin, ...rest] = stalled.ids
    const seen = [...rest, ...resumed.envelopes().map(({id}) => id)]
    // The other client connected earlier, and may have received events from before this client's first one.
    const later = other.envelopes().filter(({id}) => offsetOf(id) > offsetOf(begin))
    expect(seen).toEqual(later.map(({id}) => id))
    expect(resumed.gaps()).toEqual([])
  })
})
