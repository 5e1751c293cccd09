import {styleText} from "node:util"
import {Command, Option} from "clipanion"
import {streamAt} from "../../shared/api/operations/client.ts"
import type {Envelope, Notice, StreamGap} from "../../shared/events/event-stream.ts"
import {shownInLine} from "../../shared/shown.ts"
import {followEvents, type Told} from "../kit/event-feed.ts"
import {DataCommand} from "../kit/svc-command.ts"

type Style = Parameters<typeof styleText>[0]

export class EventsTail extends DataCommand {
  static override usage = Command.Usage({
    description: "print the events of the running Host as they happen",
    details: `
      Continues across restarts of the Host. If it missed events, it prints a gap with its range and its reason. Ctrl-C ends it.

      \`--json\` prints one event per line, a gap as \`{"gap": …}\`, and a notice as \`{"notice": …}\`.
    `,
    examples: [
      ["All events from now on", "svc events tail"],
      ["Message events of one endpoint", "svc events tail --types 'message.*' --endpoint irc~libera"],
      ["As JSON, after a known event", "svc events tail --json --after 3aa44cb96936-41"],
    ],
  })

  types = Option.String("--types", {
    description: "Only these types, comma-separated; message.* means all types that start with message.",
  })
  endpoint = Option.String("--endpoint", {description: "Only events of these endpoints, comma-separated"})
  after = Option.String("--after", {description: "Start after the event with this id (default: only new events)"})

  async run(): Promise<void> {
    const end = new AbortController()
    const stop = () => end.abort()
    this.context.stdout.once("error", stop)
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop)
    const told = followEvents({
      project: this.folder,
      path: streamAt("/api/events", {types: this.types, endpoint: this.endpoint}),
      after: this.after,
      signal: end.signal,
      onAway: () => this.tell("the Host is offline; waiting for it"),
    })
    for await (const each of told) this.#show(each)
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
    return this.#paint("red", `-- gap (${reason}): events after ${quoted(from)} up to ${to} are not shown`)
  }

  #notice({what, message, since}: Notice): string {
    const text =
      what === "database_failing" ? "the database fails: the Host cannot store events" : "the database works again"
    return this.#paint("yellow", `-- ${clock(since)} ${text}${message === undefined ? "" : `: ${quoted(message)}`}`)
  }

  #paint(style: Style, text: string): string {
    const isColored = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
    return isColored ? styleText(style, shownInLine(text), {validateStream: false}) : shownInLine(text)
  }
}

const clock = (at: string) => new Date(at).toTimeString().slice(0, 8)

/** Returns plain text as it is, anything else as JSON, so that no terminal interprets it as a control sequence. */
const quoted = (text: string): string => (/^[\x21\x23-\x7e]+$/.test(text) ? text : JSON.stringify(text))

const styleOf = (type: string): Style => {
  if (/failed|dead|refused|error/.test(type)) return "red"
  if (/unknown|held|paused|gap|stopping|restart/.test(type)) return "yellow"
  return "green"
}
