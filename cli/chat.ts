import {createInterface} from "node:readline"
import {setTimeout as sleep} from "node:timers/promises"
import {Command, Option} from "clipanion"
import {EventSourceParserStream} from "eventsource-parser/stream"
import {type ExitCode, exit} from "../shared/exit.ts"
import {isProblem, messageOf} from "../shared/problems.ts"
import {type ChatFile, receiving} from "./kit/chat-files.ts"
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

/** What the sandbox tells of a channel. */
type Change =
  | {readonly change: "said" | "edited" | "deleted" | "reacted" | "unreacted"; readonly message: ChatMessage}
  | {readonly change: "typing"}
  | {readonly change: "moderated"; readonly what: string}

/** What a person sees of it. */
const describe = (change: Change): string | undefined => {
  switch (change.change) {
    case "said":
      return change.message.from === "bot" ? change.message.text : undefined
    case "edited":
      return `(edits) ${change.message.text}`
    case "deleted":
      return `(deletes) ${change.message.text}`
    case "reacted":
      return `(reacts ${change.message.reactions.at(-1) ?? ""})`
    case "unreacted":
      return "(takes a reaction back)"
    case "typing":
      return "(is writing…)"
    case "moderated":
      return `(${change.what})`
  }
}

/** Completes what begins as a command, from the list that the bot gives its platforms. */
const completer = async (host: HostClient) => {
  const {items} = await host.get<{items: readonly {name: string}[]}>("/api/plugins/sandbox/commands")
  const commands = items.map(({name}) => `/${name} `)
  return (line: string): [string[], string] => [commands.filter(command => command.startsWith(line)), line]
}

/** The line that presses a button. */
const pressing = /^\/press\s+(\S.*?)\s*$/

/** The line that fills in a form: the form by its number, then each field with its value. */
const filling = /^\/fill\s+([1-9]\d*)((?:\s+[^\s=]+=(?:"[^"]*"|\S*))*)\s*$/
const filled = /([^\s=]+)=(?:"([^"]*)"|(\S*))/g

/** After the input has ended, what was said is waited for so long at most, until it is answered, in milliseconds. */
const mostWaiting = 30_000

/** A Host that restarts comes back within so much time, in milliseconds. */
const mostAbsent = 10_000

/** Then more replies are waited for so long, in milliseconds. */
const lastWords = 1500

export class Chat extends SvcCommand {
  static override paths = [["chat"]]
  static override usage = Command.Usage({
    description: "talk to the bot through its sandbox endpoint",
    details: `
      Every line is a message; what the bot answers is shown as it comes. The buttons of a message stand below it, as \`[1] Yes  [2] No\`: \`/press 2\` presses the second one of the newest message that has one, \`/press Yes\` the newest with that label. The options of a select menu are pressed the same way. A form stands there with its fields, as \`[1] Fill in (name, age)\`: \`/fill 1 name="Ann Lee" age=20\` fills it in. Tab completes a command, and Ctrl-D ends it. Input may be piped in: then the exit code is 1 where the Host refused a message, or was gone.

      \`--attach\` sends a file with the first line, and without a line where the piped input is empty. The files of a message have 512 KiB together.

      The running Host is found by \`.svc/host.json\`, and again after it was restarted. The project needs the plugin \`sandbox\`.
    `,
    examples: [
      ["A conversation", "svc chat"],
      ["One question", "echo '/help' | svc chat"],
      ["A command with a picture", "echo '/pic' | svc chat --attach cat.png"],
      ["With the bot's files", "svc chat --save received"],
      ["In a channel with others, as somebody else", "svc chat --as ann --channel team --group"],
    ],
  })

  user = Option.String("--as", "you", {description: "Who is writing"})
  channel = Option.String("--channel", "chat", {description: "The conversation"})
  group = Option.Boolean("--group", false, {
    description: "In a channel with others, where the bot is called by a prefix or its name",
  })

  attach = Option.Array("--attach", [], {
    description: "A file, or an address (https://…), sent with the first line; may be given again",
  })
  save = Option.String("--save", {description: "A folder that the bot's files are saved to"})

  /** What goes with the next line. */
  #attached: readonly Attachment[] = []

  /** What was said and may wait for its answer, by its sequence in the inbox. */
  readonly #said: number[] = []

  async run(): Promise<ExitCode> {
    const {stdin, stdout} = this.context
    const interactive = (stdin as NodeJS.ReadStream).isTTY === true
    this.#attached = await readAttachments(this.attach)
    const host = await connectHost(this.folder)
    if (interactive) this.print("Talk to the bot; /help lists its commands, Ctrl-D ends.")
    if (interactive && this.attach.length > 0) this.print(`The first line is sent with ${this.attach.join(", ")}.`)
    const ending = new AbortController()
    let prompt = () => {}
    const show = (text: string) => {
      if (interactive) stdout.write("\r\x1b[K")
      this.print(text)
      prompt()
    }
    let code: ExitCode = exit.ok
    const refused = (error: unknown) => {
      code = exit.failed
      this.tell(this.describe(error))
    }
    const heard = listen(this.folder, host, this.channel, show, receiving(this.save), ending.signal)
    await heard.connected
    // Made only now: lines that arrive before they are read would be lost.
    const typed = interactive ? {output: stdout, completer: await completer(host)} : {}
    const lines = createInterface({input: stdin, ...typed, prompt: "> "})
    if (interactive) prompt = () => lines.prompt(true)
    prompt()
    for await (const line of lines) {
      if (line.trim() !== "") await this.#say(line).catch(interactive ? error => show(this.describe(error)) : refused)
      prompt()
    }
    if (!interactive) {
      if (this.#said.length === 0 && code === exit.ok && this.#attached.length > 0) await this.#say("").catch(refused)
      await this.#answered().catch(refused)
      await heard.quiet(lastWords)
    }
    ending.abort()
    return code
  }

  async #say(text: string): Promise<void> {
    const host = await connectHost(this.folder)
    const who = {user: this.user, channel: this.channel, group: this.group}
    const fill = filling.exec(text)
    const button = fill?.[1] ?? pressing.exec(text)?.[1]
    const values = fill === null ? {} : {values: valuesIn(fill[2] ?? "")}
    // What is pressed may be in the answer to the line before.
    if (button !== undefined) await this.#answered()
    const files = this.#attached.length === 0 ? {} : {files: this.#attached}
    const [path, body] =
      button === undefined ? ["messages", {text, ...files, ...who}] : ["press", {button, ...values, ...who}]
    this.#said.push((await host.post<{sn: number}>(`/api/plugins/sandbox/${path}`, body)).sn)
    if (button === undefined) this.#attached = []
  }

  /** Resolves once the bot has handled what was said, and sent what it answers. Throws where the Host is gone. */
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
  const {marks, replies} = await host.get<{marks: readonly {state: string}[]; replies: readonly string[]}>(
    `/api/inbox/${sn}`,
  )
  if (marks.some(({state}) => state === "pending" || state === "running")) return false
  const path = (id: string) => `/api/outbox/${encodeURIComponent(id)}`
  const sent = await Promise.all(replies.map(id => host.get<{state: string; endpoint: string}>(path(id))))
  return sent.every(reply => reply.endpoint !== "sandbox" || (reply.state !== "queued" && reply.state !== "sending"))
}

/** Shows what the bot says; comes back after a restart of the Host. */
const listen = (
  project: string,
  first: HostClient,
  channel: string,
  show: (text: string) => void,
  receive: (host: HostClient, channel: string, message: ChatMessage) => Promise<readonly string[]>,
  signal: AbortSignal,
) => {
  let heard = 0
  let connected: () => void = () => {}
  const once = new Promise<void>(resolve => {
    connected = resolve
  })
  const follow = async () => {
    let host: HostClient | undefined = first
    while (!signal.aborted) {
      try {
        host ??= await connectHost(project)
        for await (const change of changes(host, channel, signal, connected)) {
          heard++
          const text = describe(change)
          if (text !== undefined) show(text)
          if ("message" in change && (change.change === "said" || change.change === "edited"))
            for (const line of await receive(host, channel, change.message)) show(line)
        }
      } catch (error) {
        if (isProblem(error, "not_found")) {
          show(`svc: ${messageOf(error)}\n  hint: add the plugin sandbox to svc.config.yml: plugins: {sandbox: {}}`)
          connected()
          return
        }
      }
      host = undefined
      if (!signal.aborted) await sleep(300)
    }
  }
  void follow()
  return {
    connected: once,
    quiet: async (milliseconds: number) => {
      // By steps, not by the clock: what has come while this process stood still is read in the next one.
      const step = 50
      for (let left = milliseconds; left > 0; left -= step) {
        const before = heard
        await sleep(step)
        if (heard !== before) left = milliseconds
      }
    },
  }
}

async function* changes(
  host: HostClient,
  channel: string,
  signal: AbortSignal,
  connected: () => void,
): AsyncGenerator<Change> {
  const response = await host.open(`/api/plugins/sandbox/stream?channel=${encodeURIComponent(channel)}`, signal)
  if (response.body === null) return
  const events = response.body
    .pipeThrough(new TextDecoderStream() as never)
    .pipeThrough(new EventSourceParserStream({onComment: connected}))
  for await (const {data} of events as unknown as AsyncIterable<{data: string}>) yield JSON.parse(data) as Change
}
