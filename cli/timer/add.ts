import {Command, Option} from "clipanion"
import type {Accepted} from "../../shared/api/messages.ts"
import type {TimerDetail} from "../../shared/api/scheduled/timers.ts"
import {parseJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import type {Static} from "../../shared/type.ts"
import {given, TimerCommand} from "../kit/schedule/command.ts"

export class TimerAdd extends TimerCommand {
  static override usage = Command.Usage({
    description: "set a timer for a plugin that declares it",
    details: `
      Needs one of --at, --in, --every and --cron. The plugin's handler gets --data, and its answers go to the place that --endpoint, --channel and --user name.

      With --like, place and data come from another timer. Needs a running Host.
    `,
    examples: [
      [
        "In an hour",
        `svc timer add reminders/remind --in 1h --data '{"text": "Tea"}' --endpoint sandbox --channel chat`,
      ],
      ["A copy of a timer, for tomorrow", "svc timer add --like 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --in 24h"],
    ],
  })

  timer = Option.String({name: "timer", required: false})
  like = Option.String("--like", {description: "The id of a timer to copy; other options override its settings"})
  key = Option.String("--key", {
    description: "The plugin's name for it; refused if the plugin has a timer of that name",
  })
  endpoint = Option.String("--endpoint", {description: "The endpoint for the answers"})
  channel = Option.String("--channel", {description: "A channel of the endpoint"})
  user = Option.String("--user", {description: "A user of the endpoint"})

  async run(): Promise<void> {
    const {key, endpoint, channel, user} = this
    const when = this.when()
    if (when === undefined) throw this.#missing("when it fires: --at, --in, --every or --cron")
    const like = this.like === undefined ? undefined : encodeURIComponent(this.like)
    const copied = like === undefined ? undefined : await this.get<TimerDetail>(`/api/timers/${like}`)
    const [plugin = copied?.plugin, name = copied?.name] = this.timer?.split("/") ?? []
    if (plugin === undefined || name === undefined) throw this.#missing("<plugin>/<timer>, or --like")
    const own = copied === undefined ? {} : ownOf(copied)
    const data = this.data === undefined ? own.data : parseJson(this.data, "--data")
    const place = {...own.place, ...given({key, endpoint, channel, user})}
    const {id} = await this.post<Static<typeof Accepted>>("/api/timers", {
      ...{plugin, name, when, data},
      ...place,
    })
    this.show({id}, () => `${id} of ${plugin}/${name} is set`)
  }

  #missing(what: string): Problem {
    return new Problem("request_invalid", `a timer needs ${what}`, {hint: "svc timer add --help"})
  }
}

/** Returns the parts of a timer that a copy keeps: all but its time and its key. */
const ownOf = ({
  data,
  endpoint,
  channel,
  user,
}: TimerDetail): {data?: unknown; place?: Readonly<Record<string, string>>} => ({
  data,
  place: Object.fromEntries(
    Object.entries({endpoint, channel, user}).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  ),
})
