import {randomUUID} from "node:crypto"
import {once} from "node:events"
import {createConnection} from "node:net"
import {createInterface} from "node:readline"
import {setTimeout as sleep} from "node:timers/promises"
import {
  channelType,
  definePlugin,
  fileElement,
  type Node,
  refused,
  renderContent,
  retryAfter,
  type Static,
  Type,
  textOf,
} from "svc-runtime"

/** Faults of the adapter, for the conformance suite to find. */
const Fault = Type.Enum([
  "none",
  "early",
  "ids",
  "storm",
  "hasty",
  "leaky",
  // Acts: cuts long texts, edits only first parts, deletes nothing, leaves its reactions, returns its history
  // backwards, opens another channel each time, lists no commands, never shows typing, fails at the method that it
  // declares.
  "short",
  "halfway",
  "keeping",
  "sticky",
  "backwards",
  "restless",
  "unlisted",
  "silent",
  "unable",
  // Ignores how long to wait, fails to delete what no longer exists, uses other ids in its history than live.
  "deaf",
  "strict",
  "renaming",
  // Sends only the first piece of a file; reads only half of a file.
  "torn",
  "blind",
  // Considers every account valid.
  "trusting",
])
export type Fault = Static<typeof Fault>

/** The prefix of the ids in a renaming adapter's history. */
const renamed = "past "

const snOf = (id: string): number => Number(id.replace(renamed, ""))

/** The longest message that the queue accepts, in characters. */
const longest = 40

const Account = Type.Object({port: Type.Integer(), password: Type.String()}, {additionalProperties: false})

export interface Said {
  readonly sn: number
  readonly text: string
  readonly file?: {readonly name: string; readonly type: string; readonly size: number}
}

interface Answer {
  readonly wait?: number
  readonly all?: readonly Said[]
  /** Of an act: whether its message no longer exists. */
  readonly isGone?: boolean
  /** Of a message's file, in base64. */
  readonly data?: string
}

/** An adapter for the tests' queue (`queue-platform.ts`). It continues behind its stored cursor. */
export default definePlugin({
  config: Type.Object({fault: Type.Optional(Fault), history: Type.Optional(Type.Enum(["replay", "none"]))}),
  setup(plugin, {fault = "none", history = "replay"}) {
    plugin.adapter("queue", {
      account: Account,
      history,
      idempotent: true,
      check: async ({password}) => [
        {
          what: "credentials",
          ok: password === "the-right-one" || fault === "trusting",
          remediation: "Correct password.",
        },
      ],
      features: [
        "edit",
        "delete",
        "react",
        "unreact",
        "open",
        "history",
        "typing",
        "commands",
        "files",
        "download",
        "guild.member.mute",
      ],
      limits: {text: longest, file: 200_000},
      open: async ({port, password}, endpoint) => {
        const socket = createConnection({host: "127.0.0.1", port})
        socket.on("error", error => endpoint.lost(error))
        socket.on("close", () => endpoint.lost(new Error("the queue closed the connection")))
        if (fault !== "leaky") endpoint.defer(() => socket.destroy())
        await once(socket, "connect", {signal: endpoint.signal})
        const lines = createInterface({input: socket})
        const answers = new Map<string, (answer: Answer) => void>()
        const tell = (line: object) => socket.write(`${JSON.stringify(line)}\n`)
        const ask = (id: string, line: object) => {
          const answered = new Promise<Answer>(resolve => answers.set(id, resolve))
          tell(line)
          return answered
        }
        const act = (what: string, more: object = {}) => {
          const id = randomUUID()
          return ask(id, {act: what, id, ...more})
        }
        const contentOf = ({sn, text, file}: Said) =>
          file === undefined ? text : fileElement({src: `queue:${sn}`, ...file})
        const eventOf = (said: Said, id = String(said.sn)) => ({
          id,
          type: "message-created",
          timestamp: Date.now(),
          channel: {id: "room", type: channelType.text},
          user: {id: "ann"},
          message: {id, content: renderContent(contentOf(said))},
        })
        // One after another, so that the cursor never passes an event that is not stored.
        let storing = Promise.resolve()
        let hasTaken = false
        const take = async (said: Said) => {
          const {sn} = said
          hasTaken = true
          const id = fault === "ids" ? `${sn} ${Math.random()}` : String(sn)
          if (fault === "early") {
            tell({ack: sn})
            await sleep(1000)
          }
          await endpoint.receive(eventOf(said, id), {cursor: String(sn)})
          if (fault !== "early") tell({ack: sn})
        }
        const welcome = new Promise<boolean>(resolve => {
          lines.on("line", line => {
            const said = JSON.parse(line)
            if ("welcome" in said) resolve(said.welcome)
            else if ("sent" in said) answers.get(said.sent)?.(said)
            else
              storing = storing
                .then(() => take(said))
                .catch(error => endpoint.lost(error instanceof Error ? error : new Error(String(error))))
          })
        })
        tell({hello: password, from: endpoint.cursor ?? "0", live: history === "none"})
        if (!(await welcome)) {
          if (fault === "storm") throw new Error("the queue refused the password")
          throw refused("the queue refused the password", {reason: "credentials", remediation: "Correct password."})
        }
        endpoint.login({platform: "queue", user: {id: "bot", is_bot: true}, status: 1})
        const filesIn = async (content: readonly Node[]) => {
          const files = []
          for (const node of content) {
            const file = typeof node === "string" ? undefined : await endpoint.file(node)
            if (file === undefined) continue
            const pieces: Uint8Array[] = []
            for await (const piece of file.stream()) pieces.push(piece)
            const data = Buffer.concat(pieces)
            files.push({name: file.name, data: (fault === "torn" ? data.subarray(1) : data).toString("base64")})
          }
          return files
        }
        return {
          send: async ({id, content}) => {
            const text = textOf(content)
            const files = await filesIn(content)
            const {wait} = await ask(id, {
              send: id,
              files,
              text: fault === "short" ? text.slice(0, longest - 10) : text,
            })
            if (wait !== undefined && fault === "deaf") throw new Error("the queue asks to wait")
            if (wait !== undefined) throw retryAfter(fault === "hasty" ? 0 : wait)
            return {ids: [id]}
          },
          edit: async ({message, content}) => {
            if (fault !== "halfway" || !message.includes(".")) await act("edit", {message, text: textOf(content)})
          },
          delete: async ({message}) => {
            if (fault === "keeping") return
            const {isGone} = await act("delete", {message})
            const why = {reason: "message_unknown", remediation: "Delete another one."}
            if (isGone === true && fault === "strict") throw refused(`${message} is gone`, why)
          },
          react: async ({message, emoji}) => void (await act("react", {message, text: emoji})),
          unreact: async ({message, emoji}) => {
            if (fault !== "sticky") await act("unreact", {message, text: emoji})
          },
          download: async ({src}) => {
            const {data = ""} = await act("file", {message: src?.replace("queue:", "")})
            const bytes = Buffer.from(data, "base64")
            return new Response(fault === "blind" ? bytes.subarray(bytes.length / 2) : bytes)
          },
          open: async user => ({id: fault === "restless" ? randomUUID() : `@${user}`, type: channelType.direct}),
          history: async ({before, after, limit}) => {
            // The answer then contains a message that has already arrived live.
            while (fault === "renaming" && !hasTaken) await sleep(10)
            const {all = []} = await act("history")
            const found = all.filter(
              ({sn}) =>
                sn > (after === undefined ? 0 : snOf(after)) && sn < (before === undefined ? Infinity : snOf(before)),
            )
            const events = (after === undefined ? found.slice(-limit) : found.slice(0, limit)).map(each =>
              eventOf(each, fault === "renaming" ? `${renamed}${each.sn}` : String(each.sn)),
            )
            return {events: fault === "backwards" ? events.reverse() : events, more: events.length < found.length}
          },
          typing: async () => {
            if (fault !== "silent") await act("typing")
          },
          commands: async commands => {
            if (fault !== "unlisted") await act("commands", {text: commands.map(({name}) => name).join(" ")})
          },
          call: async method => {
            const why = {reason: "unknown", remediation: "Take it out of features."}
            if (fault === "unable") throw refused(`${method} is not known`, why)
            await act("mute")
          },
        }
      },
    })
  },
})
