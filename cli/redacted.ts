import type {Redacted} from "../shared/api.ts"
import type {Static} from "../shared/type.ts"

const promises: Readonly<Record<Static<typeof Redacted>["erased"], string>> = {
  file: "nothing of it is left in the database file and its log",
  row: "nothing of it is left in its row and in the log; copies in unused parts of this large file may be",
  log: "a checkpoint is being made, so the database's log still has it: repeat this when that is done",
  remote: "what the remote database keeps of it, its own tools know",
}

/** What a redaction has come to, for people. */
export const describeRedaction = (what: string, {erased}: Static<typeof Redacted>): string =>
  `${what} is redacted; ${promises[erased]}. Checkpoints from before still hold it: svc checkpoint create, then prune.`
