import {Option} from "clipanion"
import type {Redacted} from "../../shared/api/messages.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import type {Static} from "../../shared/type.ts"
import {connectHost} from "./host-client.ts"
import {DataCommand} from "./svc-command.ts"

/** Where nothing is left of what was redacted. */
export const promises: Readonly<Record<Static<typeof Redacted>["erased"], string>> = {
  file: "nothing of it is left in the database file and its log",
  row: "nothing of it is left in its row and in the log; copies in unused parts of this large file may be",
  log: "a checkpoint is being made, so the database's log still has it: repeat this when that is done",
  remote: "what the remote database keeps of it, its own tools know",
}

/** A command that takes away what one row says. */
export abstract class RedactCommand extends DataCommand {
  reason = Option.String("--reason", {description: "Why, for the event log; not the secret itself"})

  /** `what` names the row for people. */
  protected async redact(what: string, path: string): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const body = this.reason === undefined ? {} : {reason: this.reason}
    const done = await host.post<Static<typeof Redacted>>(path, body)
    this.show(done, () => describeRedaction(what, done))
    return exit.ok
  }
}

/** What a redaction has come to, for people. */
const describeRedaction = (what: string, {erased}: Static<typeof Redacted>): string =>
  `${what} is redacted; ${promises[erased]}. Checkpoints from before still hold it: svc checkpoint create, then prune.`
