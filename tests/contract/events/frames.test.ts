import type {ServerResponse} from "node:http"
import {createParser} from "eventsource-parser"
import {EventSource as UndiciEventSource} from "undici"
import {describe, expect, onTestFinished, test} from "vitest"
import {type Frame, frame, heartbeat, retry} from "../../../server/events/envelope.ts"
import {Chance} from "../../support/machine/chance.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"

/** An event as a client passed it to its page: JSON is parsed later. */
interface Got {
  readonly id: string
  readonly event: string
  readonly data: string
}

const megabyte = 1024 * 1024

/** Values that a careless encoder would cut, split or double. */
const values: readonly unknown[] = [
  "",
  "\r",
  "\n",
  "\r\n",
  "\n\n",
  "a\r\n\r\nb",
  "\0",
  "a\0b",
  "\ufeff",
  "\ufeffdata: no\n",
  "\ud800",
  "\udfff\ud800",
  "\ud83d\ude00",
  "\u2028\u2029\u0085\v\f",
  "data: forged\n\nid: 1\nevent: gap\ndata: {}\n\n",
  ": comment\n",
  "retry: 1\n",
  "x".repeat(megabyte),
  "\n".repeat(megabyte / 4),
  "é\ud83d\ude00".repeat(megabyte / 8),
  " leading and trailing ",
  {"\r\n": "\r\n", nested: [null, true, 0.1, {"\0": "\ud800"}]},
  "\\u0000\\n",
]

const longId = `3aa44cb96936-${"9".repeat(115)}`

const frames: readonly Frame[] = [
  ...values.map((value, index) => ({
    id: `3aa44cb96936-${index}`,
    event: "message.received",
    json: JSON.stringify(value),
  })),
  // JSON with line breaks between its tokens, as another producer may write it.
  {id: "pretty", event: "hello", json: JSON.stringify({a: [1, {b: "\r\n"}]}, undefined, 2).replaceAll("\n", "\r\n")},
  {id: longId, event: "gap", json: "{}"},
  {id: "é".repeat(64), event: "gap", json: "{}"},
  {event: "notice", json: '"without an id"'},
  {id: "last", event: "end", json: "{}"},
]

const wanted = () => {
  let last = ""
  return frames.map(({id = last, event, json}) => {
    last = id
    return {id, event, value: JSON.parse(json) as unknown}
  })
}

const names = ["message.received", "hello", "gap", "notice", "end"]

const parsed = (got: readonly Got[]) =>
  got.map(({id, event, data}) => ({id, event, value: JSON.parse(data) as unknown}))

/** The frames as one byte stream, cut anywhere: inside a character, a line break or a name. */
const pieces = (chance: Chance): readonly Uint8Array[] => {
  const text = retry(2000) + frames.map(each => (chance.below(3) === 0 ? heartbeat : "") + frame(each)).join("")
  const bytes = new TextEncoder().encode(text)
  const cut: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = chance.below(4) === 0 ? 1 + chance.below(3) : 1 + chance.below(200_000)
    cut.push(bytes.subarray(at, at + size))
    at += size
  }
  return cut
}

const send = async (response: ServerResponse, chance: Chance) => {
  response.writeHead(200, {"content-type": "text/event-stream"})
  for (const piece of pieces(chance))
    if (!response.write(piece)) await new Promise(drained => response.once("drain", drained))
}

/** Serves the stream, and an empty page that may open it. */
const serve = async (seed: number): Promise<string> => {
  const {url} = await startStandIn((request, response) => {
    if (request.url === "/stream") void send(response, new Chance(seed))
    else response.writeHead(200, {"content-type": "text/html"}).end("<!doctype html><title>page</title>")
  })
  return url
}

const seeds = [1, 2, 3]

describe("the encoder's output is read unchanged by", () => {
  test.each(seeds)("eventsource-parser, cut by seed %i", seed => {
    const got: Got[] = []
    let last = ""
    const parser = createParser({
      onEvent: ({id = last, event = "", data}) => {
        last = id
        got.push({id, event, data})
      },
    })
    const decoder = new TextDecoder()
    for (const piece of pieces(new Chance(seed))) parser.feed(decoder.decode(piece, {stream: true}))
    expect(parsed(got)).toEqual(wanted())
  })

  test.each(seeds)("undici's EventSource, cut by seed %i", async seed => {
    const source = new UndiciEventSource(`${await serve(seed)}/stream`)
    onTestFinished(() => source.close())
    const got: Got[] = []
    await new Promise<void>(resolve => {
      for (const event of names) {
        source.addEventListener(event, message => {
          const {lastEventId, data} = message as MessageEvent<string>
          got.push({id: lastEventId, event, data})
          if (event === "end") resolve()
        })
      }
    })
    expect(parsed(got)).toEqual(wanted())
  })
})

describeWithChromium("a real browser", () => {
  test("Chromium's EventSource reads the output unchanged, wherever it is cut", async () => {
    const page = await (await startChromium()).newPage()
    for (const seed of seeds) {
      await page.goto(await serve(seed))
      expect(parsed(await page.evaluate(collect, names))).toEqual(wanted())
    }
  })
})

/** Runs in the page. */
const collect = (events: readonly string[]) =>
  new Promise<Got[]>(resolve => {
    const source = new EventSource("/stream")
    const received: Got[] = []
    for (const event of events) {
      source.addEventListener(event, message => {
        const {lastEventId, data} = message as MessageEvent<string>
        received.push({id: lastEventId, event, data})
        if (event !== "end") return
        source.close()
        resolve(received)
      })
    }
  })

test.each(["a\nb", "a\rb", "a\0b"])("an id or a name that would forge a field is refused: %j", text => {
  expect(() => frame({id: text, event: "gap", json: "{}"})).toThrow(TypeError)
  expect(() => frame({event: text, json: "{}"})).toThrow(TypeError)
})
