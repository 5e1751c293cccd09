import {spawn} from "node:child_process"
import {EventSource as NpmEventSource} from "eventsource"
import {createParser} from "eventsource-parser"
import {Agent, EventSource as UndiciEventSource} from "undici"
import {onTestFinished} from "vitest"
import {eventTypes} from "../../../shared/events/events.ts"
import {cleanEnvironment} from "../../support/host/process.ts"
import {startChromium} from "../../support/machine/chromium.ts"
import {startStandIn} from "../../support/machine/stand-in-server.ts"

/** An event stream client by another author. It reconnects automatically, or in the way that its manual recommends. */
export interface StreamClient {
  readonly name: string
  /** Whether it is connected and has received `hello`. */
  readonly isOpen: () => boolean
  readonly ids: () => readonly string[]
}

export interface Stream {
  readonly url: string
  readonly token: string
}

const logTypes = Object.keys(eventTypes)

interface Source {
  addEventListener(type: string, listener: (event: {readonly lastEventId: string}) => void): void
}

const listenTo = (name: string, source: Source): StreamClient => {
  const ids: string[] = []
  let isOpen = false
  source.addEventListener("hello", () => {
    isOpen = true
  })
  source.addEventListener("gap", ({lastEventId}) => void ids.push(`gap ${lastEventId}`))
  for (const type of logTypes) source.addEventListener(type, ({lastEventId}) => void ids.push(lastEventId))
  return {name, isOpen: () => isOpen, ids: () => ids}
}

/** npm's `eventsource`, with a fetch that sends the token. */
export const npmClient = ({url, token}: Stream): StreamClient => {
  const source = new NpmEventSource(url, {
    fetch: (input, init) => fetch(input, {...init, headers: {...init.headers, authorization: `Bearer ${token}`}}),
  })
  onTestFinished(() => source.close())
  return listenTo("eventsource", source)
}

/** undici's EventSource, with a dispatcher that sends the token. */
export const undiciClient = ({url, token}: Stream): StreamClient => {
  const dispatcher = new Agent().compose(dispatch => (options, handler) => {
    const {headers} = options
    const more = {authorization: `Bearer ${token}`}
    return dispatch(
      {
        ...options,
        headers: Array.isArray(headers) ? [...headers, ...Object.entries(more).flat()] : {...headers, ...more},
      },
      handler,
    )
  })
  const source = new UndiciEventSource(url, {node: {dispatcher}})
  onTestFinished(() => source.close())
  return listenTo("undici", source)
}

/** curl in a loop. Each run starts with the id of the last complete event. */
export const curlClient = ({url, token}: Stream): StreamClient => {
  const ids: string[] = []
  let last: string | undefined
  let isOpen = false
  let isOver = false
  const run = () => {
    if (isOver) return
    const resume = last === undefined ? [] : ["-H", `Last-Event-ID: ${last}`]
    const child = spawn("curl", ["-sN", "-H", `Authorization: Bearer ${token}`, ...resume, url], {
      env: cleanEnvironment(),
    })
    stop = () => child.kill()
    const parser = createParser({
      onEvent: ({id, event = ""}) => {
        last = id ?? last
        if (event === "hello") isOpen = true
        else if (event === "gap") ids.push(`gap ${id}`)
        else if (logTypes.includes(event)) ids.push(id ?? "none")
      },
    })
    child.stdout.setEncoding("utf8").on("data", text => parser.feed(text))
    child.on("close", () => setTimeout(run, 200))
  }
  let stop = () => {}
  onTestFinished(() => {
    isOver = true
    stop()
  })
  run()
  return {name: "curl", isOpen: () => isOpen, ids: () => ids}
}

/** Serves a page. The Host must allow its origin, so serve it before the Host starts. */
export const servePage = async (): Promise<string> =>
  (
    await startStandIn((_, response) =>
      response.writeHead(200, {"content-type": "text/html"}).end("<!doctype html><title>page</title>"),
    )
  ).url

/** Chromium in a page of another origin. It reads with fetch, because its EventSource cannot send the token. */
export const chromiumClient = async (origin: string, {url, token}: Stream): Promise<StreamClient> => {
  const ids: string[] = []
  let isOpen = false
  const page = await (await startChromium()).newPage()
  onTestFinished(() => page.close())
  await page.exposeFunction("told", (event: string, id: string) => {
    if (event === "hello") isOpen = true
    else if (event === "gap") ids.push(`gap ${id}`)
    else if (logTypes.includes(event)) ids.push(id)
  })
  await page.goto(origin)
  await page.evaluate(readInPage, {url, token})
  return {name: "Chromium", isOpen: () => isOpen, ids: () => ids}
}

/** Runs in the page. Each of the Host's frames has one `id`, `event` and `data` line. */
const readInPage = ({url, token}: Stream) => {
  let last = ""
  const readOnce = async () => {
    const headers = {authorization: `Bearer ${token}`, ...(last === "" ? {} : {"last-event-id": last})}
    const {body} = await fetch(url, {headers, cache: "no-store"})
    let text = ""
    const decoder = new TextDecoder()
    const reader = body?.getReader()
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      text += decoder.decode(read.value, {stream: true})
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const frame = text.slice(0, end)
        text = text.slice(end + 2)
        last = /^id: (.*)$/m.exec(frame)?.[1] ?? last
        const event = /^event: (.*)$/m.exec(frame)?.[1]
        if (event !== undefined) await Reflect.get(window, "told")(event, last)
      }
    }
  }
  const go = () => {
    readOnce()
      .catch(() => {})
      .finally(() => setTimeout(go, 200))
  }
  go()
}
