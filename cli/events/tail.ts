import {styleText} from "node:util"
import {Command, Option} from "clipanion"
import type {Envelope, Notice, StreamGap} from "../../shared/api/event-stream.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {shownInLine} from "../../shared/shown.ts"
import {followEvents, type Told} from "../kit/event-feed.ts"
import {DataCommand} from "../kit/svc-command.ts"

type Style = Parameters<typeof styleText>[0]

export class EventsTail extends DataCommand {
  static override paths = [["events", "tail"]]
  static override usage = Command.Usage({
    description: "show what happens in the running Host, as it happens",
    details: `
      Goes on across restarts of the Host, without a hole: where events were missed, a gap says from where to where, and why. Ctrl-C ends it.

      \`--json\` prints one event a line as it came; a gap as \`{"gap": …}\`, a notice as \`{"notice": …}\`.
    `,
    examples: [
      ["What happens from now on", "svc events tail"],
      ["What becomes of messages at one endpoint", "svc events tail --types 'message.*' --endpoint irc~libera"],
      ["For a program, from where it was", "svc events tail --json --after 3aa44cb96936-41"],
    ],
  })

  types = Option.String("--types", {
    description: "Only these types, comma-separated; message.* for all that begin with message.",
  })
  endpoint = Option.String("--endpoint", {description: "Only events of these endpoints, comma-separated"})
  after = Option.String("--after", {description: "Begin after this event, by its id; with what comes when left out"})

  async run(): Promise<ExitCode> {
    const end = new AbortController()
    const stop = () => end.abort()
    this.context.stdout.once("error", stop)
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop)
    const told = followEvents({
      project: this.folder,
      path: `/api/events?${this.#query()}`,
      after: this.after,
      signal: end.signal,
      onAway: () => this.tell("the Host is away; waiting for it"),
    })
    for await (const each of told) this.#show(each)
    return exit.ok
  }

  #query(): URLSearchParams {
    const query = new URLSearchParams()
    if (this.types !== undefined) query.set("types", this.types)
    if (this.endpoint !== undefined) query.set("endpoint", this.endpoint)
    return query
  }

  #show({event, json}: Told): void {
    if (event === "hello" || event === "cursor") return
    if (event === "gap" || event === "notice") {
      if (this.json) this.print(`{"${event}":${json}}`)
      else this.printPainted(event === "gap" ? this.#gap(JSON.parse(json)) : this.#notice(JSON.parse(json)))
      return
    }
    if (this.json) this.print(json)
    else this.printPainted(this.#line(JSON.parse(json)))
  }

  #line({type, at, endpoint, runId, data}: Envelope): string {
    const about = [...(endpoint === undefined ? [] : [endpoint]), ...(runId === undefined ? [] : [runId])]
    const fields = Object.entries(Object(data))
      .filter(([, value]) => value !== null && value !== "")
      .map(([name, value]) => `${name}=${typeof value === "string" ? quoted(value) : JSON.stringify(value)}`)
    return [
      this.#paint("gray", clock(at)),
      this.#paint(styleOf(type), type.padEnd(20)),
      ...about.map(shownInLine),
      this.#paint("gray", fields.join(" ")),
    ].join(" ")
  }

  #gap({reason, from, to}: StreamGap): string {
    return this.#paint("red", `-- gap (${reason}): what came after ${quoted(from)} up to ${to} is not shown`)
  }

  #notice({what, message, since}: Notice): string {
    const text =
      what === "database_failing" ? "the database fails; what happens cannot be stored" : "the database works again"
    return this.#paint("yellow", `-- ${clock(since)} ${text}${message === undefined ? "" : `: ${quoted(message)}`}`)
  }

  #paint(style: Style, text: string): string {
    const isColored = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
    return isColored ? styleText(style, shownInLine(text), {validateStream: false}) : shownInLine(text)
  }
}

const clock = (at: string) => new Date(at).toTimeString().slice(0, 8)

/** Bare where it is plain; else as JSON, which no terminal takes for a command. */
const quoted = (text: string): string => (/^[\x21\x23-\x7e]+$/.test(text) ? text : JSON.stringify(text))

const styleOf = (type: string): Style => {
  if (/failed|dead|refused|error/.test(type)) return "red"
  if (/unknown|held|paused|gap|stopping|restart/.test(type)) return "yellow"
  return "green"
}
