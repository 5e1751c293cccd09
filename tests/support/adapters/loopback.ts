import {fileElement, renderContent} from "../../../shared/sdk/sdk.ts"
import {bodyOf, startStandIn} from "../machine/stand-in-server.ts"
import {pluginWith} from "../plugins/plugin-sources.ts"

/** The adapter of the tests' loopback platform. It continues behind its cursor, with files and all moderation. */
export const loopbackPlugin = pluginWith(`
    plugin.adapter("loop", {
      history: "replay", idempotent: true,
      features: ["delete", "edit", "open", "download", "files", "guild.member.mute"],
      account: Type.Object({url: Type.String()}),
      open: async ({url}, endpoint) => {
        const read = async () => {
          let cursor = endpoint.cursor ?? "0"
          while (!endpoint.signal.aborted) {
            const {events, next} = await (await fetch(url + "/events/" + cursor, {signal: endpoint.signal})).json()
            if (events.length > 0) await endpoint.receive(events, {cursor: String(next)})
            else await sleep(10)
            cursor = String(next)
          }
        }
        read().catch(error => endpoint.lost(error))
        endpoint.login({platform: "loop", user: {id: "bot", is_bot: true}, status: 1})
        // Of the elements, only paragraphs are texts here.
        const textIn = content =>
          content.map(node => typeof node === "string" ? node : node.type === "p" ? textIn(node.children) : "").join("")
        const act = async (act: string, body: object, signal: AbortSignal) => {
          const answer = await fetch(url + "/acts/" + act, {method: "POST", body: JSON.stringify(body), signal})
          if (!answer.ok) throw retryAfter(100)
          return answer.json()
        }
        return {
          send: async ({id, channel, content}, signal) => {
            const files: object[] = []
            for (const node of content) {
              const file = typeof node === "string" ? undefined : await endpoint.file(node)
              if (file === undefined) continue
              const data = Buffer.from(await new Response(file.stream()).arrayBuffer()).toString("base64")
              files.push({name: file.name, type: file.type, data})
            }
            await act("send", {id, channel, text: textIn(content), files}, signal)
            return {ids: [id]}
          },
          download: async ({src = ""}, signal) => (src.startsWith(url + "/files/") ? fetch(src, {signal}) : undefined),
          edit: ({id, message, content}, signal) => act("edit", {id, message, text: textIn(content)}, signal),
          delete: ({id, message}, signal) => act("delete", {id, message}, signal),
          open: (user, signal) => act("open", {user}, signal),
          call: (method, params, signal) => act(method, params, signal),
        }
      },
    })`)

interface SentFile {
  readonly name: string
  readonly type: string
  /** Base64. */
  readonly data: string
}

interface Asked {
  readonly id?: string
  readonly channel?: string
  readonly message?: string
  readonly text?: string
  readonly user?: string
  readonly user_id?: string
  readonly duration?: number
  readonly files?: readonly SentFile[]
}

/** A request in words: `team: hello`, `team: [cat.png]`, `edit m1: hello`, `delete m1`, `mute eve 600000`. */
const wordsOf: Readonly<Record<string, (asked: Asked) => string>> = {
  send: ({channel, text, files = []}) => `${channel}: ${text}${files.map(({name}) => `[${name}]`).join("")}`,
  edit: ({message, text}) => `edit ${message}: ${text}`,
  delete: ({message}) => `delete ${message}`,
  "guild.member.mute": ({user_id: user, duration}) => `mute ${user} ${duration}`,
}

/**
 * A stand-in for a chat platform. It keeps people's messages for clients that ask for everything behind a cursor, and
 * drops an act that repeats an id. A mute has no id: repeating it changes nothing.
 */
export const startLoopback = async () => {
  const events: object[] = []
  const deeds: string[] = []
  const known = new Set<string>()
  const mutes = new Map<string, string>()
  const uploads = new Map<string, Uint8Array>()
  const downloads: string[] = []
  const sent: {readonly deed: string; readonly type: string; readonly bytes: Buffer}[] = []
  let trap: {readonly deed: string; readonly spring: () => void} | undefined
  let isAway = false
  let repeated = 0

  const perform = (act: string, asked: Asked): string | undefined => {
    const deed = wordsOf[act]?.(asked)
    if (deed === undefined) return undefined
    const isMute = asked.id === undefined
    const isKnown = isMute ? mutes.get(asked.user_id ?? "") === deed : known.has(asked.id ?? "")
    if (isMute) mutes.set(asked.user_id ?? "", deed)
    else known.add(asked.id ?? "")
    if (isKnown) {
      repeated++
      return deed
    }
    deeds.push(deed)
    for (const {type, data} of asked.files ?? []) sent.push({deed, type, bytes: Buffer.from(data, "base64")})
    return deed
  }

  /** Springs the trap for this deed, once; returns whether it did. */
  const springs = (deed: string | undefined): boolean => {
    if (trap === undefined || deed?.startsWith(trap.deed) !== true) return false
    const {spring} = trap
    trap = undefined
    spring()
    return true
  }

  const {url} = await startStandIn(async (request, response) => {
    const [, kind, what = ""] = (request.url ?? "").split("/")
    const answer = (body: object, status = 200) => {
      response.writeHead(status, {"content-type": "application/json"})
      response.end(JSON.stringify(body))
    }
    if (kind === "events") {
      const next = events.slice(Number(what), Number(what) + 20)
      return answer({events: next, next: Number(what) + next.length})
    }
    if (kind === "files") {
      const bytes = uploads.get(what)
      downloads.push(what)
      return bytes === undefined ? answer({}, 404) : response.end(bytes, () => springs(`download ${what}`))
    }
    const asked = JSON.parse(String(await bodyOf(request))) as Asked
    if (isAway) return answer({}, 503)
    if (what === "open") return answer({id: `@${asked.user}`, type: 1})
    if (!springs(perform(what, asked))) answer({})
  })

  return {
    url,
    /** The bot's deeds in order, without repetitions. */
    deeds: deeds as readonly string[],
    /** The files of the bot's deeds, in order. */
    sent: sent as readonly {readonly deed: string; readonly type: string; readonly bytes: Buffer}[],
    /** The names of the files that the bot has read, once for each time. */
    downloads: downloads as readonly string[],
    repeated: () => repeated,
    has: (deed: string): boolean => deeds.some(each => each.startsWith(deed)),
    /** Keeps a file for people's messages; returns its element. Reading it counts as the deed `download <name>`. */
    upload: (name: string, type: string, bytes: Uint8Array): string => {
      uploads.set(name, bytes)
      return renderContent([fileElement({src: `${url}/files/${name}`, name, type, size: bytes.length})])
    },
    /** A person says something in a shared channel or in a direct one, `@eve`. The id is that of the message. */
    say: (id: string, text: string, {user, channel}: {user: string; channel: string}): void => {
      events.push({
        id,
        type: "message-created",
        timestamp: Date.now(),
        channel: {id: channel, type: channel.startsWith("@") ? 1 : 0},
        guild: {id: "guild"},
        user: {id: user, name: user},
        message: {id, content: text},
      })
    },
    /** A person joins the guild, as a shared channel reports it. */
    join: (id: string, {user, channel}: {user: string; channel: string}): void => {
      events.push({
        id,
        type: "guild-member-added",
        timestamp: Date.now(),
        channel: {id: channel, type: 0},
        guild: {id: "guild", name: "The Guild"},
        user: {id: user, name: user},
      })
    },
    /** The next deed that begins like this gets no answer; `spring` is called instead. */
    set: (deed: string, spring: () => void): void => {
      trap = {deed, spring}
    },
    /** While offline, it refuses to act and asks for a retry. */
    away: (is: boolean): void => {
      isAway = is
    },
  }
}

export type Loopback = Awaited<ReturnType<typeof startLoopback>>
