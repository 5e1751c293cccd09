import {type CommandClass, Option, type Usage} from "clipanion"
import type {Redacted} from "../../../shared/api/messages.ts"
import {command} from "../rows.ts"

/** The places from which redacted content is gone. */
export const promises: Readonly<Record<Redacted["erased"], string>> = {
  file: "nothing of it is left in the database file and its log",
  row: "nothing of it is left in its row and in the log; unused parts of this large file may still have copies",
  log: "a checkpoint is being made, so the database's log still has it: repeat the command when that is done",
  remote: "the remote database may still have copies: check with its own tools",
}

/** Makes the command that overwrites the content of one row; `what` names the row in the output, and `name` its id. */
export const redactCommand = (list: "inbox" | "outbox", what: string, name: string, usage: Usage): CommandClass => {
  const options = {
    reason: Option.String("--reason", {description: "The reason, for the event log; not the secret itself"}),
    id: Option.String({name}),
  }
  return command(usage, options, async given => {
    const {id, reason} = given
    const done = await given.post<Redacted>(`/api/${list}/${encodeURIComponent(id)}/redact`, {reason})
    given.show(done, ({erased}) => {
      const checkpoints = "Earlier checkpoints still contain it: svc checkpoint create, then prune."
      return `redacted ${what} ${id}; ${promises[erased]}. ${checkpoints}`
    })
  })
}
