import {Option} from "clipanion"
import type {Redacted} from "../../../shared/api/messages.ts"

/** The places from which redacted content is gone. */
export const promises: Readonly<Record<Redacted["erased"], string>> = {
  file: "nothing of it is left in the database file and its log",
  row: "nothing of it is left in its row and in the log; unused parts of this large file may still have copies",
  log: "a checkpoint is being made, so the database's log still has it: repeat the command when that is done",
  remote: "the remote database may still have copies: check with its own tools",
}

export const reason = Option.String("--reason", {description: "The reason, for the event log; not the secret itself"})

export const describeRedacted = ({erased}: Redacted, what: string): string =>
  `redacted ${what}; ${promises[erased]}. Earlier checkpoints still contain it: svc checkpoint create, then prune.`
