import {EventSourceParserStream} from "eventsource-parser/stream"
import {
  type AdapterUnderTest,
  adapterChecks,
  type Heard,
  type HostAddress,
} from "../../../server/testing/adapter/conformance.ts"
import {until} from "../host/process.ts"
import {joinIrc, startIrcServer} from "../irc/servers.ts"
import {faultRun} from "../machine/fault-run.ts"
import {deliver, secretOf, startReceiver} from "../webhooks/webhooks.ts"

type At = () => HostAddress | undefined

/** Posts until the Host answers 2xx, as platforms that retry do. */
const insist = (post: (host: HostAddress) => Promise<Response>, at: At): Promise<unknown> =>
  until("the Host to accept a delivery", async () => {
    const host = at()
    return (host && (await post(host).catch(() => undefined)))?.ok === true
  })

/** The built-in adapter `irc` at a real server. */
export const irc: AdapterUnderTest = {
  use: "irc",
  name: "irc",
  platform: async () => {
    const server = await startIrcServer("ngircd")
    const locked = await startIrcServer("ngircd", {password: "the-right-one"})
    let ann = await joinIrc(server, "ann", {channel: "#room"})
    const account = {id: "one", server: "127.0.0.1", tls: false, nick: "bot", channels: ["#room"]}
    return {
      account: {...account, port: server.port},
      refused: {...account, port: locked.port},
      hostile: ({port, isSecure}) => ({account: {...account, port, tls: isSecure, verify: false}}),
      channel: "#room",
      say: async text => {
        await until("the bot in the channel", () => ann.lines.some(line => /bot!\S+ JOIN/.test(line)) || undefined)
        ann.say("#room", text)
      },
      heard: () =>
        ann.lines.flatMap((line, index): readonly Heard[] => {
          const [, text] = /^:bot!\S+ PRIVMSG #room :?(.*)$/.exec(line) ?? []
          return text === undefined ? [] : [{text, at: ann.times[index] ?? 0}]
        }),
      cut: async () => {
        await server.kill()
        await server.start()
        ann = await joinIrc(server, "ann", {channel: "#room"})
      },
    }
  },
}

const secret = secretOf("conformance")

/** The built-in adapter `webhook`, with a partner of the tests that retries unacknowledged deliveries. */
export const webhook: AdapterUnderTest = {
  use: "webhook",
  name: "webhook",
  env: {PARTNER_SECRET: secret},
  platform: async () => {
    let pause: number | undefined
    const heard: Heard[] = []
    const receiver = await startReceiver(secret, ({body}) => {
      if (pause !== undefined) {
        const seconds = Math.ceil(pause / 1000)
        pause = undefined
        return {status: 429, headers: {"retry-after": String(seconds)}}
      }
      heard.push({text: body.text, at: Date.now()})
      return {status: 200}
    })
    let number = 0
    let last = ""
    const post = (text: string, id: string, at: At) =>
      insist(({hook}) => deliver(hook, JSON.stringify({text, channel: "orders", user: "ann"}), {id, secret}), at)
    return {
      account: {id: "shop", url: receiver.url, secrets: ["${PARTNER_SECRET}"]},
      channel: "orders",
      say: async (text, at) => {
        last = text
        await post(text, `msg_${++number}`, at)
      },
      repeat: async at => void (await post(last, `msg_${number}`, at)),
      heard: () => heard,
      slowDown: milliseconds => {
        pause = milliseconds
      },
    }
  },
}

interface SandboxPage {
  readonly items: readonly (Omit<Heard, "at" | "files"> & {
    readonly id: string
    readonly from: string
    readonly at: string
    readonly files: readonly {readonly name: string}[]
  })[]
}

/** The sandbox: a platform inside the Host. */
export const sandbox: AdapterUnderTest = {
  use: "sandbox",
  name: "sandbox",
  platform: defer => {
    let number = 0
    let last = ""
    let timesTyping = 0
    let watched: string | undefined
    const path = "/api/plugins/sandbox/messages"
    const ended = new AbortController()
    defer(() => ended.abort())
    const headersOf = ({token}: HostAddress) => ({authorization: `Bearer ${token}`, "content-type": "application/json"})
    const post = (text: string, id: string, at: At) =>
      insist(host => {
        const body = JSON.stringify({text, id, channel: "room", user: "ann"})
        return fetch(`${host.url}${path}`, {method: "POST", headers: headersOf(host), body})
      }, at)
    /** From now on, counts how often the bot shows as typing on this Host. */
    const watch = async (at: At) => {
      const host = at()
      if (host === undefined || host.url === watched) return
      const headers = headersOf(host)
      const stream = await fetch(`${host.url}/api/plugins/sandbox/stream?channel=room`, {headers, signal: ended.signal})
      if (!stream.ok || stream.body === null) return
      watched = host.url
      const read = async (body: ReadableStream<Uint8Array>) => {
        for await (const {data} of body
          .pipeThrough(new TextDecoderStream() as never)
          .pipeThrough(new EventSourceParserStream()) as unknown as AsyncIterable<{data: string}>)
          if (JSON.parse(data).change === "typing") timesTyping++
      }
      // The stream ends with its Host.
      void read(stream.body).catch(() => {})
    }
    return {
      channel: "room",
      user: "ann",
      calls: {
        "guild.member.mute": {user_id: "bob", duration: 0},
        "guild.member.kick": {user_id: "bob"},
        "guild.member.list": {},
        "guild.role.create": {role: {name: "helper"}},
        "channel.create": {data: {name: "news"}},
      },
      say: async (text, at) => {
        await watch(at)
        last = text
        await post(text, `said-${++number}`, at)
      },
      sayFile: async ({name, type, bytes}, at) =>
        void (await insist(host => {
          const file = {name, type, data: Buffer.from(bytes).toString("base64")}
          const body = JSON.stringify({text: "", id: `said-${++number}`, channel: "room", user: "ann", files: [file]})
          return fetch(`${host.url}${path}`, {method: "POST", headers: headersOf(host), body})
        }, at)),
      typing: () => timesTyping,
      commands: async at => {
        const host = at()
        if (host === undefined) return []
        const answer = await fetch(`${host.url}/api/plugins/sandbox/commands`, {headers: headersOf(host)})
        return ((await answer.json()) as {items: readonly {name: string}[]}).items.map(({name}) => name)
      },
      repeat: async at => void (await post(last, `said-${number}`, at)),
      heard: async at => {
        const host = at()
        if (host === undefined) return []
        const {items} = (await (
          await fetch(`${host.url}${path}?channel=room`, {headers: headersOf(host)})
        ).json()) as SandboxPage
        const read = async (message: string, number: number) => {
          const query = new URLSearchParams({channel: "room", message, number: String(number)})
          const answer = await fetch(`${host.url}/api/plugins/sandbox/files?${query}`, {headers: headersOf(host)})
          return new Uint8Array(await answer.arrayBuffer())
        }
        const said = items.filter(({from}) => from === "bot")
        return Promise.all(
          said.map(async ({id, at: time, files, ...item}) => {
            const shown = files.map(async ({name}, number) => ({name, bytes: await read(id, number)}))
            return {...item, at: Date.parse(time), files: await Promise.all(shown)}
          }),
        )
      },
    }
  },
}

export const without = (feature: string): string => `not checked: features does not name ${feature}`

/** Runs all or some of the checks, with the kills of `bun run faults conformance`. Returns why each did not pass. */
export const omissionsOf = async (
  adapter: AdapterUnderTest,
  isWanted: (name: string) => boolean = () => true,
): Promise<Readonly<Record<string, string>>> => {
  const omissions: Record<string, string> = {}
  let close = async () => {}
  const {rounds: kills} = faultRun("conformance")
  const checks = adapterChecks({...adapter, kills}, closing => {
    close = closing
  })
  for (const {name, run} of checks.filter(each => isWanted(each.name))) {
    const why = await run().then(
      why => why && `not checked: ${why}`,
      error => `failed: ${error.message}`,
    )
    if (why !== undefined) omissions[name] = why
  }
  await close()
  return omissions
}
