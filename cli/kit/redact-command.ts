import {Option} from "clipanion"
import type {Redacted} from "../../shared/api/messages.ts"
import {DataCommand} from "./svc-command.ts"

/** The places from which redacted content is gone. */
export const promises: Readonly<Record<Redacted["erased"], string>> = {
  file: "nothing of it is left in the database file and its log",
  row: "nothing of it is left in its row and in the log; unused parts of this large file may still have copies",
  log: "a checkpoint is being made, so the database's log still has it: repeat the command when that is done",
  remote: "the remote database may still have copies: check with its own tools",
}

/** The base of the commands that overwrite the content of one row. */
export abstract class RedactCommand extends DataCommand {
  reason = Option.String("--reason", {description: "The reason, for the event log; not the secret itself"})

  /** `what` names the row in the output. */
  protected async redact(what: string, path: string): Promise<void> {
    const done = await this.post<Redacted>(path, {reason: this.reason})
    this.show(done, () => describeRedaction(what, done))
  }
}

const describeRedaction = (what: string, {erased}: Redacted): string =>
  `redacted ${what}; ${promises[erased]}. Earlier checkpoints still contain it: svc checkpoint create, then prune.`
