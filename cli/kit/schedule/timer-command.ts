import {Option} from "clipanion"
import type {TimerWhen} from "../../../shared/api/scheduled/drafts.ts"
import {DataCommand} from "../svc-command.ts"
import {given} from "./command.ts"

/** The options that say when a timer fires. */
export abstract class TimerCommand extends DataCommand {
  at = Option.String("--at", {description: "When: once, at 2026-05-01T09:00"})
  after = Option.String("--in", {description: "When: once, so long from now, such as 15m or 24h"})
  every = Option.String("--every", {description: "When: each time so much has passed, such as 15m or 24h"})
  cron = Option.String("--cron", {description: "When: five fields, or six with seconds first"})
  timezone = Option.String("--timezone", {description: "Whose clock --at and --cron mean; UTC when left out of --at"})
  data = Option.String("--data", {description: "JSON that its handler gets"})

  /** What was named; undefined where nothing was. What is wrong with it, the Host says. */
  when(): TimerWhen | undefined {
    const {at, after, every, cron, timezone} = this
    const when = given({at, in: after, every, cron, timezone})
    return Object.keys(when).length === 0 ? undefined : when
  }
}
