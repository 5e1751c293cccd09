import {createInterface} from "node:readline"
import {setTimeout as sleep} from "node:timers/promises"
import {Command, Option} from "clipanion"
import {addressOf} from "../shared/api/operations/client.ts"
import {isProblem, messageOf} from "../shared/problems.ts"
import {type ChatFile, receiving} from "./kit/chat-files.ts"
import {followEvents} from "./kit/event-feed.ts"
import {connectHost, type HostClient} from "./kit/host-client.ts"
import {type Attachment, readAttachments} from "./kit/messages/attachments.ts"
import {SvcCommand} from "./kit/svc-command.ts"

interface ChatMessage {
  readonly id: string
  readonly from: "user" | "bot"
  readonly text: string
  readonly files: readonly ChatFile[]
  readonly reactions: readonly string[]
}

/** A change in a channel, as the sandbox reports it. */
type Change =
  | {readonly change: "said" | "edited" | "deleted" | "reacted" | "unreacted"; readonly message: ChatMessage}
  | {readonly change: "typing"}
  | {readonly change: "moderated"; readonly what: string}

/** Returns the line that the terminal shows for a change, if it shows one. */
const describe = (change: Change): string | undefined => {
  if (change.change === "typing") return "(is writing…)"
  if (change.change === "moderated") return `(${change.what})`
  const {from, text, reactions} = change.message
  const lines = {
    said: from === "bot" ? text : undefined,
    edited: `(edits) ${text}`,
    deleted: `(deletes) ${text}`,
    reacted: `(reacts ${reactions.at(-1) ?? ""})`,
    unreacted: "(takes a reaction back)",
  }
  return lines[change.change]
}

/** Completes command names from the list that the bot publishes to its platforms. */
const completer = async (host: HostClient) => {
  const {items} = await host.send<{items: readonly {name: string}[]}>("GET", "/api/plugins/sandbox/commands")
  const commands = items.map(({name}) => `/${name} `)
  return (line: string): [string[], string] => [commands.filter(command => command.startsWith(line)), line]
}

/** The line that presses a button. */
const pressing = /^\/press\s+("?)(\S.*?)\1\s*$/

/** The line that fills in a form: the form by its number, then each field with its value. */
const filling = /^\/fill\s+([1-9]\d*)((?:\s+[^\s=]+=(?:"[^"]*"|\S*))*)\s*$/
const filled = /([^\s=]+)=(?:"([^"]*)"|(\S*))/g

/** The longest wait for answers after the input has ended, in milliseconds. */
const mostWaiting = 30_000

/** How long a restarting Host may be offline before the chat gives up, in milliseconds. */
const mostAbsent = 10_000

/** How long the chat waits for further replies after the last one, in milliseconds. */
const lastWords = 1500

export class Chat extends SvcCommand {
  static override usage = Command.Usage({
    description: "chat with the bot through its sandbox endpoint",
    details: `
      Each line is a message, and the bot's answers appear as they arrive. Tab completes a command, and Ctrl-D ends the chat. The project needs the plugin \`sandbox\`.

      Buttons appear below their message, as \`[1] Yes  [2] No\`: \`/press 2\` presses the second button of the newest message that has one, \`/press Yes\` the newest button with that label. The options of a select menu work the same way. A form appears with its fields, as \`[1] Fill in (name, age)\`: \`/fill 1 name="Ann Lee" age=20\` fills it in.

      \`--attach\` sends a file with the first line, or alone if the piped input is empty. The files of one message may have 512 KiB together.

      With piped input, the exit code is 1 if the Host rejected a message or was unreachable.

      The command finds the running Host by \`.svc/host.json\`, and finds it again after a restart.
    `,
    examples: [
      ["A conversation", "svc chat"],
      ["One question", "echo '/help' | svc chat"],
      ["A command with a picture", "echo '/pic' | svc chat --attach cat.png"],
      ["Save the files that the bot sends", "svc chat --save received"],
      ["In a group channel, as another user", "svc chat --as ann --channel team --group"],
    ],
  })

  user = Option.String("--as", "you", {description: "The name of the user who writes"})
  channel = Option.String("--channel", "chat", {description: "The conversation"})
  group = Option.Boolean("--group", false, {
    description: "Treat the channel as a group, where messages address the bot by a prefix or its name",
  })

  attach = Option.Array("--attach", [], {description: "A file or address (https://…) for the first line; repeatable"})
  save = Option.String("--save", {description: "The folder for files that the bot sends"})

  /** The attachments of the next line. */
  #attached: readonly Attachment[] = []

  /** The sent messages that may still get an answer, by their sequence number in the inbox. */
  readonly #said: number[] = []

  async run(): Promise<boolean> {
    const {stdin, stdout} = this.context
    const interactive = (stdin as NodeJS.ReadStream).isTTY === true
    this.#attached = await readAttachments(this.attach)
    const host = await connectHost(this.folder)
    if (interactive) this.print("Chat with the bot: /help lists its commands, Ctrl-D ends the chat.")
    if (interactive && this.attach.length > 0) this.print(`The first line carries ${this.attach.join(", ")}.`)
    const ending = new AbortController()
    let prompt = () => {}
    const show = (text: string) => {
      if (interactive) stdout.write("\r\x1b[K")
      this.print(text)
      prompt()
    }
    let isOk = true
    const refused = (error: unknown) => {
      isOk = false
      this.tell(this.describe(error))
    }
    const heard = listen(this.folder, this.channel, show, receiving(this.folder, this.save), ending.signal)
    await heard.connected
    // Created only now: readline drops the lines that arrive before anything reads them.
    const typed = interactive ? {output: stdout, completer: await completer(host)} : {}
    const lines = createInterface({input: stdin, ...typed, prompt: "> "})
    if (interactive) prompt = () => lines.prompt(true)
    prompt()
    for await (const line of lines) {
      if (line.trim() !== "") await this.#say(line).catch(interactive ? error => show(this.describe(error)) : refused)
      prompt()
    }
    if (!interactive) {
      if (this.#said.length === 0 && isOk && this.#attached.length > 0) await this.#say("").catch(refused)
      await this.#answered().catch(refused)
      await heard.quiet(lastWords)
    }
    ending.abort()
    return isOk
  }

  async #say(text: string): Promise<void> {
    const who = {user: this.user, channel: this.channel, group: this.group}
    const fill = filling.exec(text)
    const button = fill?.[1] ?? pressing.exec(text)?.[2]
    const values = fill === null ? {} : {values: valuesIn(fill[2] ?? "")}
    // The button may be in the answer to the previous line.
    if (button !== undefined) await this.#answered()
    const files = this.#attached.length === 0 ? {} : {files: this.#attached}
    const [path, body] =
      button === undefined ? ["messages", {text, ...files, ...who}] : ["press", {button, ...values, ...who}]
    const host = await connectHost(this.folder)
    this.#said.push((await host.send<{sn: number}>("POST", `/api/plugins/sandbox/${path}`, body)).sn)
    if (button === undefined) this.#attached = []
  }

  /** Resolves once the bot has handled all messages and sent its answers. Throws if the Host stays unreachable. */
  async #answered(): Promise<void> {
    const deadline = Date.now() + mostWaiting
    let seen = Date.now()
    const isAnswered = async (sn: number): Promise<boolean> => {
      try {
        const answered = await hasAnswered(await connectHost(this.folder), sn)
        seen = Date.now()
        return answered
      } catch (error) {
        if (!isProblem(error, "host_unreachable") && !isProblem(error, "starting")) return true
        if (Date.now() - seen > mostAbsent) throw error
        return false
      }
    }
    while (this.#said[0] !== undefined && Date.now() < deadline) {
      if (await isAnswered(this.#said[0])) this.#said.shift()
      else await sleep(100)
    }
  }
}

const valuesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(filled)].map(([, name, quoted, plain]) => [name, quoted ?? plain ?? ""]))

const hasAnswered = async (host: HostClient, sn: number): Promise<boolean> => {
  const {marks, replies} = await host.get("/api/inbox/:seq", {seq: sn})
  if (marks.some(({state}) => state === "pending" || state === "running")) return false
  const sent = await Promise.all(replies.map(id => host.get("/api/outbox/:id", {id})))
  return sent.every(reply => reply.endpoint !== "sandbox" || (reply.state !== "queued" && reply.state !== "sending"))
}

/** Shows the bot's messages, across restarts of the Host. */
const listen = (
  project: string,
  channel: string,
  show: (text: string) => void,
  receive: (channel: string, message: ChatMessage) => Promise<readonly string[]>,
  signal: AbortSignal,
) => {
  let heard = 0
  let last: Change["change"] | undefined
  const connected = Promise.withResolvers<void>()
  const path = addressOf("/api/plugins/sandbox/stream", {channel})
  const onAway = () => {
    last = undefined
  }
  const follow = async () => {
    for await (const {json} of followEvents({project, path, signal, onAway, onOpen: connected.resolve})) {
      const change = JSON.parse(json) as Change
      heard++
      // A bot that writes for long says so again and again.
      const text = change.change === "typing" && last === "typing" ? undefined : describe(change)
      if (text !== undefined) {
        last = change.change
        show(text)
      }
      if ("message" in change && (change.change === "said" || change.change === "edited"))
        for (const line of await receive(channel, change.message)) show(line)
    }
  }
  follow().catch(error => {
    const hint = "\n  hint: add the plugin sandbox to svc.config.yml: plugins: {sandbox: {}}"
    show(`svc: ${messageOf(error)}${isProblem(error, "not_found") ? hint : ""}`)
    connected.resolve()
  })
  return {
    connected: connected.promise,
    quiet: async (milliseconds: number) => {
      // Counts steps instead of reading the clock: after this process was suspended, the next step still reads what arrived.
      const step = 50
      for (let left = milliseconds; left > 0; left -= step) {
        const before = heard
        await sleep(step)
        if (heard !== before) left = milliseconds
      }
    },
  }
}
