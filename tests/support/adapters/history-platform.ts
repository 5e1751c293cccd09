import type {ServerResponse} from "node:http"
import {startStandIn} from "../machine/stand-in-server.ts"
import {pluginWith} from "../plugins/plugin-sources.ts"

interface Said {
  readonly n: number
  readonly channel: string
  readonly user: string
  readonly text: string
  readonly at: number
}

/** The highest number of messages per answer, whatever the request asks for. */
const page = 3

/** A stand-in that never redelivers and has a history. `asked` is called before each answer from it, or answers. */
export class HistoryPlatform {
  readonly url: string
  asked: (channel: string, response: ServerResponse) => boolean | undefined = () => undefined
  readonly #said: readonly Said[]

  private constructor(url: string, said: readonly Said[]) {
    this.url = url
    this.#said = said
  }

  static async start(): Promise<HistoryPlatform> {
    const said: Said[] = []
    const {url} = await startStandIn((request, response) => {
      const {pathname, searchParams} = new URL(request.url ?? "", "http://platform")
      const after = Number(searchParams.get("after") ?? said.length)
      const channel = searchParams.get("channel") ?? ""
      if (pathname === "/history" && platform.asked(channel, response) === true) return
      const found = said.filter(each => each.n > after && (pathname === "/live" || each.channel === channel))
      const given = pathname === "/live" ? found : found.slice(0, page)
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({said: given, more: given.length < found.length, next: said.length}))
    })
    const platform = new HistoryPlatform(url, said)
    return platform
  }

  say(channel: string, text: string, user = "ann"): void {
    const said = this.#said as Said[]
    said.push({n: said.length + 1, channel, user, text, at: Date.now()})
  }

  get config(): string {
    return `http: {port: 0}\nplugins:\n  past:\n    endpoints: [{id: one, url: "${this.url}"}]\n`
  }
}

/** The source of its adapter, slot `past`, and of a handler that answers each message. */
export const pastPlugin = pluginWith(`
    const eventOf = ({n, channel, user, text, at}) => ({
      id: "said/" + n, type: "message-created", timestamp: at, channel: {id: channel, type: 0},
      user: {id: user}, message: {id: String(n), content: text},
    })
    plugin.adapter("past", {
      history: "none", features: ["history"], account: Type.Object({url: Type.String()}),
      open: async ({url}, endpoint) => {
        const ask = async (path, signal = endpoint.signal) => {
          const response = await fetch(url + path, {signal})
          if (!response.ok) throw new Error(path + " is refused")
          return response.json()
        }
        endpoint.login({platform: "past", user: {id: "bot"}, status: 1})
        let {next: heard} = await ask("/live")
        const listen = async () => {
          while (!endpoint.signal.aborted) {
            const {said, next} = await ask("/live?after=" + heard)
            heard = next
            for (const each of said) {
              if (each.user !== "bot") endpoint.receive(eventOf(each)).catch(error => endpoint.lost(error))
            }
            await sleep(5)
          }
        }
        listen().catch(error => endpoint.lost(error))
        return {
          send: async message => ({ids: [message.id]}),
          history: async ({channel, after, limit}, signal) => {
            const {said, more} = await ask("/history?channel=" + channel + "&after=" + after + "&limit=" + limit, signal)
            return {events: said.map(eventOf), more}
          },
        }
      },
    })
    plugin.on("message-created", session => "heard " + session.text)`)
