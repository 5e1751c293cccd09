import {Option} from "clipanion"
import type {TimerWhen} from "../../../shared/api/scheduled/drafts.ts"
import {DataCommand} from "../svc-command.ts"
import {given} from "./command.ts"

export abstract class TimerCommand extends DataCommand {
  at = Option.String("--at", {description: "Time: once, such as 2026-05-01T09:00"})
  after = Option.String("--in", {description: "Time: once, this long from now, such as 15m or 24h"})
  every = Option.String("--every", {description: "Time: at this interval, such as 15m or 24h"})
  cron = Option.String("--cron", {description: "Time: a cron expression of five fields, or six with seconds first"})
  timezone = Option.String("--timezone", {description: "The timezone of --at and --cron (default for --at: UTC)"})
  data = Option.String("--data", {description: "The JSON data for the handler"})

  /** Returns the named options, or undefined if there are none. The Host validates them. */
  when(): TimerWhen | undefined {
    const {at, after, every, cron, timezone} = this
    const when = given({at, in: after, every, cron, timezone})
    return Object.keys(when).length === 0 ? undefined : when
  }
}
